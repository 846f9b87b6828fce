// Script of an api's pages: forms that write JSON, search for referenced objects, changes of several rows.
// Reading works without it. It is loaded before the body, so that the chosen theme applies from the start.
(() => {
  "use strict";

  const root = document.documentElement;
  root.classList.add("js");

  const THEMES = ["", "light", "dark"];
  const stored = (name) => { try { return localStorage.getItem(name) || ""; } catch { return ""; } };
  const setTheme = (theme) => { if (theme) root.dataset.theme = theme; else delete root.dataset.theme; };
  if (THEMES.includes(stored("theme"))) setTheme(stored("theme"));

  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const element = (tag, properties = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in made) made[name] = value; else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };
  const words = (name) => {
    const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]/g, " ").toLowerCase();
    return spaced.charAt(0).toUpperCase() + spaced.slice(1);
  };

  // Status messages, which survive the change to another page: a text, or an object with what was done to it.
  const kept = (name) => { try { return JSON.parse(sessionStorage.getItem(name)); } catch { return null; } };
  const keep = (name, value) => { try { sessionStorage.setItem(name, JSON.stringify(value)); } catch { /* It is lost. */ } };
  const visible = (text) => {
    const code = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, code);
  };
  const shortened = (text) => { const all = [...text]; return all.length > 80 ? `${all.slice(0, 80).join("").trimEnd()}…` : text; };
  const sentence = ({ model, label, key, url, done }) => {
    if (!label && !key) return [`${model} was ${done}.`];
    const [before, after] = label ? ["“", "”"] : ["#", ""];
    const name = element("bdi", { textContent: visible(shortened(label || key)) });
    const target = new URL(url || location.href, location.href);
    const isElsewhere = target.origin === location.origin && target.pathname !== location.pathname;
    return [`${model} ${before}`, isElsewhere ? element("a", { href: target.href }, name) : name, `${after} was ${done}.`];
  };
  const say = (message, bad = false) => {
    const status = $("[data-status]");
    if (!status) return;
    status.replaceChildren(...(typeof message === "string" ? [message] : sentence(message)));
    status.classList.toggle("bad", bad);
  };
  // Until the next page is shown, a form is not sent again.
  const MAX_LEAVING = 2000;
  let leavesUntil = 0;
  const leaveTo = (url, message) => {
    keep("message", message);
    leavesUntil = Date.now() + MAX_LEAVING;
    if (new URL(url, location.href).href === location.href) location.reload(); else location.assign(url);
  };

  // The query of each list is remembered, so that the way back from an object leads to the same rows.
  const listed = (path) => path + (kept("lists")?.[path] || "");
  const rememberList = () => {
    const { pathname, search } = location;
    if ($("nav.pager")) { if (!new URLSearchParams(search).has("_view")) keep("lists", { ...kept("lists"), [pathname]: search }); return; }
    for (const link of $$(".crumbs a")) link.setAttribute("href", listed(link.getAttribute("href")));
  };

  // A heading with Shift adds its column to the order. The heading of a column in the order keeps the others anyway.
  const MAX_SORTED = 8;
  const sortAlso = (link) => {
    if (link.closest("th").matches("[aria-sort], [data-sort]")) return;
    link.title = "With Shift: sort by this column too";
    link.addEventListener("click", (event) => {
      const target = new URL(link.href);
      const order = new URLSearchParams(location.search).get("sort")?.split(",") ?? [];
      if (!event.shiftKey || event.ctrlKey || event.metaKey || order.length >= MAX_SORTED) return;
      event.preventDefault();
      target.searchParams.set("sort", [...order, target.searchParams.get("sort")].join(","));
      location.assign(target.href.replaceAll("%2C", ",").replaceAll("%5B", "[").replaceAll("%5D", "]"));
    });
  };

  const { ifMatch, isUnanswered, loginUrl, parsed, parsedPage, send, useSessionOf, versionsOf, write, writeOnce } = pageRequests(() => askForLogin());
  // How a form, a bar or a button writes: once, however often it is repeated, if the resource requires a key.
  const writerOf = ({ dataset }) => ("keyed" in dataset ? writeOnce : write);

  // Login in a dialog. Resolves to whether it succeeded.
  const askForLogin = async () => {
    const page = await parsedPage($('meta[name="login"]').content);
    const form = $("form[data-submit]", page);
    if (!form) return false;
    const dialog = element("dialog", { "aria-labelledby": "login-title" });
    dialog.append(element("h2", { id: "login-title", textContent: "Log in again" }),
      element("p", { textContent: "Your session has ended. What you have entered is kept." }));
    const own = document.importNode(form, true);
    own.removeAttribute("data-next");
    for (const labelled of $$("[id]", own)) labelled.id = `login-${labelled.id}`;
    for (const label of $$("[for]", own)) label.setAttribute("for", `login-${label.getAttribute("for")}`);
    for (const described of $$("[aria-describedby]", own)) {
      const ids = described.getAttribute("aria-describedby").split(" ");
      described.setAttribute("aria-describedby", ids.map((id) => `login-${id}`).join(" "));
    }
    $(".buttons a", own)?.remove();
    const cancel = element("button", { type: "button", className: "quiet", textContent: "Cancel" });
    $(".buttons", own)?.append(cancel);
    dialog.append(own);
    document.body.append(dialog);
    prepare(own);
    return new Promise((resolve) => {
      let done = false;
      own.addEventListener("sent", async (event) => {
        event.preventDefault();
        useSessionOf(await parsedPage(location.href));
        done = true;
        dialog.close();
      });
      cancel.addEventListener("click", () => dialog.close());
      dialog.addEventListener("close", () => { dialog.remove(); resolve(done); });
      dialog.showModal();
    });
  };

  // A dialog with a question. Resolves to the form, or to null. It stays open while `isComplete` is false.
  const ask = (title, contents, submit, className = "primary", isComplete = () => true) => {
    const form = element("form", { method: "dialog", noValidate: true });
    const ok = element("button", { className, value: "ok", textContent: submit });
    const cancel = element("button", { className: "quiet", type: "button", textContent: "Cancel" });
    form.append(element("h2", { id: "dialog-title", textContent: title }), ...contents,
      element("div", { className: "buttons" }, ok, cancel));
    const dialog = element("dialog", { "aria-labelledby": "dialog-title" }, form);
    document.body.append(dialog);
    return new Promise((resolve) => {
      cancel.addEventListener("click", () => dialog.close());
      form.addEventListener("submit", (event) => { if (!isComplete()) event.preventDefault(); });
      dialog.addEventListener("close", () => {
        resolve(dialog.returnValue === "ok" ? form : null);
        dialog.remove();
      });
      dialog.showModal();
    });
  };

  // Values of a form's controls as JSON text. Numbers and documents are sent as they are written, since a number of
  // JavaScript would lose digits.
  class InvalidValue extends Error {}
  const isChanged = (control) => {
    if (control.type === "checkbox") return control.checked !== control.defaultChecked;
    if (control.type === "file") return control.files.length > 0;
    if (control.tagName === "SELECT") {
      const initial = $$("option", control).find((option) => option.defaultSelected) || control.options[0];
      return control.value !== (initial ? initial.value : "");
    }
    return control.value !== (control.dataset.initial ?? control.defaultValue);
  };
  const base64 = (file) => new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.split(",", 2)[1] || ""));
    reader.addEventListener("error", () => reject(new InvalidValue("The file cannot be read.")));
    reader.readAsDataURL(file);
  });
  const completeTime = (type, value) => {
    const seconds = /:\d\d:\d\d/.test(value) || (type === "time" && /^\d\d:\d\d:\d\d/.test(value)) ? "" : ":00";
    return type === "time" ? value + seconds : `${value}${seconds}Z`;
  };
  const jsonOf = async (control, isPartial) => {
    const type = control.dataset.json;
    const original = control.dataset.original;
    if (!isChanged(control) && (isPartial || original)) return isPartial ? undefined : original;
    if (control.type === "checkbox") return String(control.checked);
    if (type === "bytes") {
      return control.files.length ? JSON.stringify(await base64(control.files[0])) : undefined;
    }
    const value = control.value;
    if (value === "") {
      if ("nullable" in control.dataset) return isPartial || original ? "null" : undefined;
      if (type === "string" && (isPartial || control.required) && isText(control)) return '""';
      return isPartial ? "null" : undefined;
    }
    if (type === "boolean") return value;
    if (type === "number") {
      if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value)) throw new InvalidValue("Not a valid number.");
      return value;
    }
    if (type === "json") {
      try { JSON.parse(value); } catch (error) { throw new InvalidValue(`Not valid JSON: ${error.message}`); }
      return value;
    }
    const isTime = control.type === "datetime-local" || control.type === "time";
    return JSON.stringify(isTime ? completeTime(control.type, value) : value);
  };
  const isText = (control) => ["text", "textarea", "email", "password", "url", "search"].includes(control.type);

  // Errors beside their fields.
  const fieldOf = (form, name) => $$("[data-field]", form).find((field) => field.dataset.field === name);
  const linesOf = (form, name) => $$("[data-lines]", form).find((lines) => lines.dataset.lines === name);
  const controlOf = (field) => (field.matches("[data-lines]") && $("[data-add]", field)) || $("input:not([type=hidden]), select, textarea", field) || $("button", field);
  const clearErrors = (form) => {
    for (const error of $$("[data-error]", form)) { error.hidden = true; error.textContent = ""; }
    for (const control of $$("[aria-invalid]", form)) control.removeAttribute("aria-invalid");
    const summary = $("[data-summary]", form);
    if (summary) { summary.hidden = true; summary.replaceChildren(); }
  };
  const showFieldError = (field, text) => {
    const error = $("[data-error]", field);
    error.textContent = error.hidden ? text : `${error.textContent} ${text}`;
    error.hidden = false;
    if (!field.matches("[data-lines]")) controlOf(field)?.setAttribute("aria-invalid", "true");
  };
  const messages = (value) => {
    if (Array.isArray(value)) return value.flatMap(messages);
    if (value && typeof value === "object") {
      if ("message" in value) return [value.message];
      return Object.entries(value).flatMap(([name, inner]) => messages(inner).map((text) => (name.startsWith("_") ? text : `${name}: ${text}`)));
    }
    return [String(value)];
  };
  const reasons = {
    401: "You are not logged in, or your session has ended.",
    403: "You are not allowed to do this.",
    404: "It does not exist any more, or you may not see it.",
    409: "This conflicts with the current state.",
    413: "It is too large.",
    412: "It was changed by someone else in the meantime, and stays as it is now. Load it again.",
    428: "It is changed only in a version that was read, and none was sent.",
    429: "Too many requests; try again in a while.",
  };
  // What the server says about versions is for programs.
  const isOfVersion = ({ status }) => status === 412 || status === 428;
  const errorText = (answer) => {
    const said = !isOfVersion(answer) && (answer.json?.message || answer.json?.detail || answer.json?.title);
    return said || reasons[answer.status] || `The server answered with status ${answer.status}.`;
  };
  // Errors by path, such as lines.add.0.cents: those of related objects are inside that of their relation.
  const isNested = (value) => value && typeof value === "object" && !Array.isArray(value) && !("message" in value);
  const isRelation = (form, name) => linesOf(form, name) || fieldOf(form, name)?.matches("[data-links]");
  const byPath = (form, errors, path = "") => Object.entries(errors).flatMap(([name, value]) => {
    const own = path ? `${path}.${name}` : name;
    return isNested(value) && (path || isRelation(form, name)) ? byPath(form, value, own) : [[own, value]];
  });
  // Field of an error, or the relation of one that has none, with the words that name it.
  const placeOf = (form, path) => {
    const part = $$("[data-path]", form).find(({ dataset }) => `${path}.`.startsWith(`${dataset.path}.`));
    const whole = part?.closest("[data-lines], [data-links]");
    const own = fieldOf(form, path);
    const field = own || whole || fieldOf(form, path.split(".")[0]) || linesOf(form, path.split(".")[0]);
    if (!part) return { field, label: field?.dataset.label };
    if (whole.matches("[data-links]")) return { field, label: whole.dataset.label, about: `${part.dataset.label}: ` };
    const line = `${whole.dataset.label}, line ${$("[data-number]", part).textContent}`;
    return own ? { field, label: `${line}: ${own.dataset.label}` } : { field, label: line, about: `Line ${$("[data-number]", part).textContent}: ` };
  };
  const showErrors = (form, answer) => {
    const summary = $("[data-summary]", form);
    const errors = answer.json?.errors;
    if (!errors || typeof errors !== "object") {
      summary.replaceChildren(element("strong", { textContent: errorText(answer) }));
      summary.hidden = false;
      summary.focus();
      return;
    }
    const list = element("ul");
    let first = null;
    for (const [name, value] of byPath(form, errors)) {
      const text = messages(value).join(" ");
      const { field, label, about = "" } = placeOf(form, name);
      const item = element("li");
      if (field) {
        showFieldError(field, about + text);
        const control = controlOf(field);
        first ??= control;
        item.append(element("a", { href: `#${control.id}`, textContent: label || name }), `: ${text}`);
        $("a", item).addEventListener("click", (event) => { event.preventDefault(); control.focus(); });
      } else {
        item.textContent = name.startsWith("_") ? text : `${words(name)}: ${text}`;
      }
      list.append(item);
    }
    const count = list.children.length;
    summary.replaceChildren(element("strong", { textContent: count === 1 ? "One thing needs to be corrected:" : `${count} things need to be corrected:` }), list);
    summary.hidden = false;
    (first || summary).focus();
  };
  const check = (form) => {
    const errors = {};
    for (const field of $$("[data-field]", form)) {
      const control = controlOf(field);
      const hidden = $("input[type=hidden][name]", field);
      const repeated = control?.dataset.repeats && fieldOf(form, control.dataset.repeats);
      if (repeated && control.value !== controlOf(repeated).value) errors[field.dataset.field] = "It is not the same.";
      else if (hidden && control?.required && !control.disabled && !hidden.value) errors[field.dataset.field] = "Choose one from the list.";
      else if (control && !control.checkValidity()) errors[field.dataset.field] = (control.validity.patternMismatch && control.dataset.patternMessage) || control.validationMessage;
    }
    return errors;
  };

  // Members of an object, as JSON texts by name. One that is not valid is among the errors.
  const membersOf = async (controls, isPartial, errors) => {
    const members = new Map();
    for (const control of controls) {
      try {
        const json = await jsonOf(control, isPartial);
        if (json !== undefined) members.set(control.name, json);
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        members.set(control.name, "null");
        errors[control.closest("[data-field]").dataset.field] = error.message;
      }
    }
    return members;
  };
  const objectOf = (members) => `{${[...members].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
  // Changes of a relation: only what differs is named, so that what others have added meanwhile stays.
  const changesOf = (lists) => {
    const changed = new Map(Object.entries(lists).filter(([, items]) => items.length).map(([name, items]) => [name, `[${items.join(",")}]`]));
    return changed.size ? objectOf(changed) : undefined;
  };

  // Body of a form, as JSON text.
  const bodyOf = async (form) => {
    const errors = {};
    const isPartial = "partial" in form.dataset;
    const own = $$('[data-json][name]:not([data-json="whole"])', form).filter((control) => !control.closest("[data-line]"));
    const members = await membersOf(own, isPartial, errors);
    for (const field of $$("[data-links]", form)) {
      const json = linksJson(field, isPartial);
      if (json !== undefined) members.set(field.dataset.field, json);
    }
    for (const lines of $$("[data-lines]", form)) {
      const json = await linesJson(lines, isPartial, errors);
      if (json !== undefined) members.set(lines.dataset.lines, json);
    }
    const whole = $('[data-json="whole"]', form);
    if (whole) {
      try { JSON.parse(whole.value || "{}"); } catch (error) { errors[whole.name] = `Not valid JSON: ${error.message}`; }
      return { body: whole.value || "{}", errors, members };
    }
    let body = objectOf(members);
    if (form.dataset.envelope) body = `{${JSON.stringify(form.dataset.envelope)}:${body}}`;
    return { body, errors, members };
  };
  // Fields that the form writes and that somebody else has changed since it was opened, and the version of the object
  // that has these values.
  const conflictsOf = async (form, members) => {
    const { envelope, expand } = form.dataset;
    const answer = await send("GET", form.getAttribute("action") + (expand ? `?expand=${expand}` : ""));
    const object = (answer.ok && (envelope ? answer.json?.[envelope] : answer.json)) || {};
    const conflicts = [];
    for (const control of $$("[data-original][name]", form)) {
      const { original, seen = original } = control.dataset;
      const row = control.closest("[data-line]");
      const [stored, written] = row ? [storedLine(row, object), row.written] : [object, members];
      if (!seen || !written?.has(control.name) || stored?.[control.name] === undefined) continue;
      const now = JSON.stringify(stored[control.name]);
      const isSame = [seen, written.get(control.name)].some((json) => JSON.stringify(parsed(json)) === now);
      if (!isSame) conflicts.push({ control, now, own: written.get(control.name) });
    }
    return { conflicts, version: (answer.ok && answer.headers.get("ETag")) || "" };
  };
  // Version that the form may overwrite, or null if the user decides against it.
  const overwritable = async (form, members) => {
    const { conflicts, version } = await conflictsOf(form, members);
    if (!conflicts.length) return version;
    const shown = (json) => {
      const value = parsed(json);
      return element("strong", {}, element("bdi", { textContent: value === null || value === "" ? "empty" : visible(shortened(typeof value === "string" ? value : json)) }));
    };
    const lines = conflicts.map(({ control, now, own }) => element("li", {}, `${placeOf(form, control.closest("[data-field]").dataset.field).label}: stored is `, shown(now), ", yours is ", shown(own)));
    const note = element("p", { textContent: "Since you opened this form, other values have been stored:" });
    if (!await ask(CHANGED, [note, element("ul", {}, ...lines)], "Overwrite", "danger primary")) return null;
    for (const { control, now } of conflicts) control.dataset.seen = now;
    return version;
  };
  const CHANGED = "Changed by someone else in the meantime";
  // A write that does not overwrite what somebody else stores after the comparison: it is compared again. Null if the
  // user decides against it.
  const writeVersion = async (form, method, body, members) => {
    const url = form.getAttribute("action");
    for (let attempt = 1; ; attempt += 1) {
      // A write that may have been made is not compared with itself.
      const version = isUnanswered(method, url, body) ? "" : await overwritable(form, members);
      if (version === null) return null;
      const answer = await writerOf(form)(method, url, body, ifMatch(version));
      if (answer.status !== 412 || attempt === 5) return answer;
    }
  };
  // Sends a form once, however often it is submitted meanwhile: a keyboard and a fast double click need no enabled button.
  const underWay = new WeakSet();
  const submit = async (form, then) => {
    if (underWay.has(form) || Date.now() < leavesUntil) return;
    underWay.add(form);
    try { await submitted(form, then); } finally { underWay.delete(form); }
  };
  // A deletion of the version that the page shows. If somebody else has stored another one, the user decides; null if
  // against it.
  const deleteVersion = async (form) => {
    const url = form.getAttribute("action");
    for (let { version } = form.dataset; ;) {
      const answer = await writerOf(form)("DELETE", url, undefined, ifMatch(version));
      if (answer.status !== 412) return answer;
      const note = element("p", { textContent: "It was changed after you opened this page, and was not deleted." });
      const link = element("p", {}, element("a", { href: url, textContent: "Show it as it is now" }));
      if (!await ask(CHANGED, [note, link], "Delete anyway", "danger primary")) return null;
      // The version that is stored, so that a change during the question is noticed as well.
      version = answer.headers.get("ETag");
    }
  };
  const written = (form, method, url, body, members) => {
    const isView = "view" in form.dataset;
    if (["PATCH", "PUT"].includes(method) && !isView) return writeVersion(form, method, body, members);
    if (method === "DELETE" && !isView) return deleteVersion(form);
    return writerOf(form)(method, url, body, ifMatch(form.dataset.version));
  };
  const submitted = async (form, then) => {
    clearErrors(form);
    const method = form.dataset.submit;
    const hasBody = method !== "DELETE" && !("view" in form.dataset && !$("[data-json]", form));
    const { body, errors, members } = hasBody ? await bodyOf(form) : { errors: {} };
    const invalid = { ...check(form), ...errors };
    if (Object.keys(invalid).length) return showErrors(form, { json: { errors: invalid } });
    if ("partial" in form.dataset && !members.size) {
      form.dispatchEvent(new CustomEvent("saved"));
      return leaveTo(nextPage(form, form.getAttribute("action"), then), "Nothing was changed.");
    }
    const buttons = $$("button[type=submit], button:not([type])", form);
    for (const button of buttons) button.disabled = true;
    try {
      const answer = await written(form, method, form.getAttribute("action"), body, members);
      if (!answer) return;
      if (!answer.ok) return showErrors(form, answer);
      form.dispatchEvent(new CustomEvent("saved"));
      const isOpen = form.dispatchEvent(new CustomEvent("sent", { detail: answer, cancelable: true }));
      if (isOpen) afterwards(form, answer, then);
    } catch {
      const again = "keyed" in form.dataset ? "try again: it takes effect only once." : "try again.";
      showErrors(form, { json: { message: `The server cannot be reached. What you have entered is kept; ${again}` } });
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  };
  const DONE = { POST: "created", PUT: "changed", PATCH: "changed", DELETE: "deleted" };
  // Page after a form: the object, its form, the form of another one, or where the form was opened.
  const nextPage = (form, url, then) => {
    const { next, editQuery, another } = form.dataset;
    if (then === "edit" && editQuery && url) return url + editQuery;
    if (then === "another" && another) return another;
    return listed(next || url || form.getAttribute("action"));
  };
  const afterwards = (form, answer, then) => {
    const { next, item, keyName, labelName, envelope, view, model } = form.dataset;
    if (view !== undefined) {
      if (next) return leaveTo(next, form.getAttribute("action") === loginUrl() ? "Logged in." : "Done.");
      const result = $("[data-result]");
      $("pre", result).textContent = answer.json === null ? `Status ${answer.status}` : JSON.stringify(answer.json, null, 2);
      result.hidden = false;
      say("Done.");
      return;
    }
    const body = envelope ? answer.json?.[envelope] : answer.json;
    const object = body && typeof body === "object" ? body : {};
    const text = (value) => (value === undefined || value === null ? "" : String(value).trim());
    const isDeleted = form.dataset.submit === "DELETE";
    const key = text(object[keyName]) || form.dataset.key;
    const own = form.dataset.submit === "POST" || isDeleted ? "" : form.getAttribute("action");
    const url = item && key ? item + encodeURIComponent(key) : own;
    const label = labelName in object ? text(object[labelName]) : form.dataset.label;
    const message = { model, label, key, url, done: DONE[form.dataset.submit] };
    const leave = () => leaveTo(nextPage(form, url, then), message);
    const once = form.dataset.known ? shownOnce(form.dataset, answer.json, object) : [];
    if (once.length) {
      if (requester()) handOver(object, false, () => {});
      showOnce(form, message, once, nextPage(form, url, then));
    } else if (form.dataset.submit === "POST" && requester()) handOver(object, !then, leave); else leave();
  };

  // Members of a response that no page shows later, such as the secret of a token. They replace the form: a message for
  // the next page would have to be stored.
  const shownOnce = ({ known, envelope }, json, object) => {
    const names = known.split(" ");
    const beside = envelope && json && typeof json === "object" ? Object.entries(json).filter(([name]) => name !== envelope) : [];
    return [...Object.entries(object).filter(([name]) => !names.includes(name)), ...beside].filter(([, value]) => value !== null && value !== "");
  };
  const showOnce = (form, message, members, next) => {
    const shown = members.map(([name, value]) => {
      const copy = element("button", { type: "button", className: "quiet" }, "Copy", element("span", { className: "sr", textContent: ` ${words(name)}` }));
      copy.dataset.copy = "";
      const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
      return element("div", { className: "snippet" }, element("h2", { textContent: words(name) }), copy, element("pre", { tabIndex: 0, textContent: visible(text) }));
    });
    const note = element("p", {}, element("strong", { textContent: "It is shown only now. " }), "Copy it before you leave this page.");
    const card = element("section", { className: "card", tabIndex: -1 }, note, ...shown,
      element("div", { className: "buttons" }, element("a", { className: "button primary", href: next, textContent: "Continue" })));
    card.setAttribute("aria-label", "Shown once");
    form.replaceWith(card);
    prepareCopies(card);
    card.focus();
    say(message);
  };

  // A form for a new object that was opened beside a foreign key hands the object over to the form with that key. The
  // fragment of its URL says which one has asked.
  const REQUESTER = /^#for-\w+$/;
  const requester = () => (typeof BroadcastChannel === "function" && REQUESTER.test(location.hash) ? location.hash : "");
  let opened = null;
  const channel = () => { opened ??= new BroadcastChannel("created objects"); return opened; };
  const handOver = (object, isLast, leave) => {
    channel().postMessage({ created: requester(), object });
    if (!isLast) { leave(); return; }
    // Without an answer the other form is gone, and this tab goes on as usual.
    const timer = setTimeout(leave, 400);
    channel().addEventListener("message", ({ data }) => {
      if (data?.chosen !== requester()) return;
      clearTimeout(timer);
      window.close();
      setTimeout(leave, 200);
    });
  };
  const offerNew = (link, key, choose) => {
    if (typeof BroadcastChannel !== "function") return;
    const own = `#for-${Math.random().toString(36).slice(2)}${Date.now().toString(36)}`;
    link.hash = own;
    channel().addEventListener("message", ({ data }) => {
      if (data?.created !== own || (data.object?.[key] ?? null) === null) return;
      choose(data.object);
      channel().postMessage({ chosen: own });
    });
  };

  // Search for a referenced object: a combobox with a list, by keyboard or pointer.
  let comboboxes = 0;
  const combobox = (input, picks) => {
    const { reference, referenceKey, referenceLabel, referenceParameter, referenceEnvelope, referenceItem, referenceUrlKey, shown } = input.dataset;
    const related = $(".related", input.parentElement);
    const open = related && $("[data-open]", related);
    const create = related && $("[data-new]", related);
    const id = `options-${++comboboxes}`;
    const hidden = element("input", { type: "hidden", name: input.name });
    hidden.value = input.value;
    for (const name of ["json", "original", "nullable"]) {
      if (name in input.dataset) hidden.dataset[name] = input.dataset[name];
    }
    hidden.dataset.initial = input.value;
    const list = element("ul", { id, className: "options", role: "listbox", hidden: true });
    list.setAttribute("aria-label", "Matching objects");
    const wrapper = element("div", { className: "combobox" });
    input.replaceWith(wrapper);
    for (const name of ["name", "data-json", "data-original", "data-nullable"]) input.removeAttribute(name);
    input.value = input.value ? shown || input.value : "";
    input.placeholder = "Type to search";
    for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": id, "aria-autocomplete": "list" })) {
      input.setAttribute(name, value);
    }
    wrapper.append(input, hidden, list);
    let chosen = input.value;
    let timer = 0;
    let run = 0;
    let rows = [];
    const options = () => $$("[role=option]", list);
    const active = () => options().find((option) => option.getAttribute("aria-selected") === "true");
    const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
    const highlight = (option) => {
      active()?.setAttribute("aria-selected", "false");
      option?.setAttribute("aria-selected", "true");
      option?.scrollIntoView({ block: "nearest" });
      if (option) input.setAttribute("aria-activedescendant", option.id); else input.removeAttribute("aria-activedescendant");
    };
    const labelOf = (row) => String(row[referenceLabel] ?? row[referenceKey]);
    // A text that names no chosen object is kept, and is an error of the form.
    const invalidate = () => input.setCustomValidity(input.value === "" || input.value === chosen ? "" : "Choose one from the list.");
    const showLink = (row) => {
      if (!open) return;
      const key = row?.[referenceUrlKey] ?? null;
      open.hidden = key === null;
      if (key !== null) open.href = referenceItem + encodeURIComponent(key);
    };
    const choose = (row) => {
      if (picks) {
        picks.add(row[referenceKey], labelOf(row));
        input.value = "";
        invalidate();
        close();
        list.replaceChildren();
        return;
      }
      hidden.value = String(row[referenceKey]);
      chosen = input.value = labelOf(row);
      invalidate();
      showLink(row);
      close();
      for (const name of ["input", "change"]) hidden.dispatchEvent(new Event(name, { bubbles: true }));
    };
    const clear = () => { hidden.value = chosen = ""; showLink(null); };
    if (!hidden.value) showLink(null);
    if (create) {
      offerNew(create, referenceKey, (row) => {
        choose(row);
        say({ model: words(create.dataset.new), label: labelOf(row), done: "created and chosen" });
      });
    }
    const search = async () => {
      const own = ++run;
      const query = new URLSearchParams({ limit: "10" });
      if (input.value.trim()) query.set(referenceParameter, input.value.trim());
      query.set("fields", [...new Set([referenceKey, referenceLabel, ...(referenceUrlKey ? [referenceUrlKey] : [])])].join(","));
      let found = [];
      try {
        const answer = await send("GET", `${reference}?${query}`);
        found = (referenceEnvelope ? answer.json?.[referenceEnvelope] : answer.json) || [];
      } catch { /* Without a connection nothing is found. */ }
      if (own !== run || document.activeElement !== input) return;
      rows = found;
      list.replaceChildren(...rows.map((row, position) => {
        const option = element("li", { role: "option", id: `${id}-${position}` });
        option.setAttribute("aria-selected", "false");
        const isPicked = picks?.has(row[referenceKey]);
        const note = isPicked ? "✓ chosen" : referenceKey === referenceLabel ? "" : `#${row[referenceKey]}`;
        option.append(element("bdi", { textContent: labelOf(row) }), " ", element("span", { className: "muted", textContent: note }));
        option.addEventListener("pointerdown", (event) => { event.preventDefault(); choose(row); });
        return option;
      }));
      if (!rows.length) list.append(element("li", { className: "muted", textContent: "Nothing found." }));
      list.hidden = false;
      list.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-expanded", "true");
    };
    input.addEventListener("input", () => {
      if (input.value === "") clear();
      invalidate();
      clearTimeout(timer);
      timer = setTimeout(search, 150);
    });
    input.addEventListener("click", search);
    // A closed panel would hide the reason why its form is not sent.
    input.addEventListener("invalid", () => { const panel = input.closest("details"); if (panel) panel.open = true; });
    input.addEventListener("keydown", (event) => {
      const all = options();
      const at = all.indexOf(active());
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (list.hidden) { search(); return; }
        const step = event.key === "ArrowDown" ? 1 : -1;
        highlight(all[(at + step + all.length) % all.length]);
      } else if (event.key === "Enter" && !list.hidden && active()) {
        event.preventDefault();
        choose(rows[at]);
      } else if (event.key === "Enter" && picks && input.value) {
        // The results may be on their way.
        event.preventDefault();
      } else if (event.key === "Escape" && !list.hidden) {
        event.stopPropagation();
        close();
      }
    });
    input.addEventListener("blur", () => {
      clearTimeout(timer);
      run += 1;
      close();
      if (input.value === "") { clear(); invalidate(); return; }
      const typed = input.value.trim().toLowerCase();
      const named = input.value === chosen ? [] : rows.filter((row) => labelOf(row).toLowerCase() === typed);
      if (named.length === 1) choose(named[0]);
    });
  };

  // Objects that a many-to-many relation links: a chip for each of them, and a search that adds one.
  const touch = (changed) => changed.dispatchEvent(new Event("input", { bubbles: true }));
  const linkJson = (field, value) => (field.dataset.links === "number" ? String(value) : JSON.stringify(String(value)));
  const chipsOf = (field) => [...$(".chips", field).children];
  const offerRemoval = (field, chip) => {
    const button = element("button", { type: "button", className: "js", title: "Remove" },
      element("span", { "aria-hidden": "true", textContent: "×" }), element("span", { className: "sr", textContent: `Remove ${visible(chip.dataset.label)}` }));
    button.addEventListener("click", () => {
      const beside = chip.nextElementSibling || chip.previousElementSibling;
      chip.remove();
      ((beside && $("button", beside)) || controlOf(field)).focus();
      touch(field);
    });
    chip.append(button);
  };
  const picker = (field) => {
    const input = $("[data-picks]", field);
    const has = (value) => chipsOf(field).some((chip) => chip.dataset.value === linkJson(field, value));
    const add = (value, label) => {
      if (has(value)) return;
      const chip = element("li", {}, element("span", {}, element("bdi", { textContent: visible(label) })));
      Object.assign(chip.dataset, { value: linkJson(field, value), label });
      offerRemoval(field, chip);
      $(".chips", field).append(chip);
      touch(field);
    };
    for (const chip of chipsOf(field)) if (!("fixed" in chip.dataset)) offerRemoval(field, chip);
    if (input.dataset.reference) { combobox(input, { has, add }); input.placeholder = "Search to add"; return; }
    // The caller cannot search the objects, but may know one by its name.
    const addTyped = () => {
      const value = input.value.trim();
      const isValid = field.dataset.links !== "number" || /^(-?(0|[1-9]\d*))?$/.test(value);
      input.setCustomValidity(isValid ? "" : "Not a valid number.");
      if (!isValid || !value) return;
      add(value, value);
      input.value = "";
    };
    input.placeholder = "Type and press Enter to add";
    input.addEventListener("blur", addTyped);
    input.addEventListener("keydown", (event) => { if (event.key === "Enter" && input.value) { event.preventDefault(); addTyped(); } });
  };
  const linksJson = (field, isPartial) => {
    const { field: name, original } = field.dataset;
    const before = original ? parsed(original).map((value) => linkJson(field, value)) : [];
    const chips = chipsOf(field);
    const added = chips.filter((chip) => !before.includes(chip.dataset.value));
    const now = chips.map((chip) => chip.dataset.value);
    (isPartial ? added : chips).forEach((chip, at) => { chip.dataset.path = `${name}.${isPartial ? "add." : ""}${at}`; });
    const changes = changesOf({ add: added.map((chip) => chip.dataset.value), remove: before.filter((value) => !now.includes(value)) });
    return isPartial || !changes ? changes : `[${now.join(",")}]`;
  };

  // Lines: objects that are written with the one of the form.
  const linesIn = (lines) => $$("[data-line]", lines);
  const controlsIn = (row) => $$("[data-json][name]", row);
  const renumber = (lines) => {
    linesIn(lines).forEach((row, at) => { for (const number of $$("[data-number]", row)) number.textContent = at + 1; });
    $("table", lines).hidden = !linesIn(lines).length;
  };
  const setPath = (row, path) => {
    row.dataset.path = path;
    for (const field of $$("[data-field]", row)) {
      field.dataset.name ??= field.dataset.field;
      field.dataset.field = `${path}.${field.dataset.name}`;
    }
  };
  let addedLines = 0;
  const addLine = (lines) => {
    const row = document.importNode($("template", lines).content, true).firstElementChild;
    const [from, to] = [`${lines.dataset.lines}-new-`, `${lines.dataset.lines}-added${++addedLines}-`];
    for (const part of $$("[id], [for], [aria-describedby]", row)) {
      for (const name of ["id", "for", "aria-describedby"]) {
        if (part.hasAttribute(name)) part.setAttribute(name, part.getAttribute(name).replaceAll(from, to));
      }
    }
    $("tbody", lines).append(row);
    prepareLine(lines, row);
    prepare(row);
    renumber(lines);
    $("input:not([type=hidden]), select, textarea", row)?.focus();
    touch(lines);
  };
  // A stored line is removed when the form is saved, and can be kept until then. A new one is gone at once.
  const removeLine = (lines, row) => {
    const button = $("[data-remove]", row);
    if (row.dataset.key) {
      const isRemoved = row.toggleAttribute("data-removed");
      for (const control of $$("input, select, textarea, button", row)) if (control !== button) control.disabled = isRemoved;
      button.firstChild.textContent = isRemoved ? "Keep" : "Remove";
    } else {
      const beside = row.nextElementSibling || row.previousElementSibling;
      row.remove();
      renumber(lines);
      ((beside && $("[data-remove]", beside)) || controlOf(lines)).focus();
    }
    touch(lines);
  };
  const prepareLine = (lines, row) => $("[data-remove]", row)?.addEventListener("click", () => removeLine(lines, row));
  const prepareLines = (lines) => {
    linesIn(lines).forEach((row, at) => { setPath(row, `${lines.dataset.lines}.${at}`); prepareLine(lines, row); });
    $("[data-add]", lines)?.addEventListener("click", () => addLine(lines));
  };
  const linesJson = async (lines, isPartial, errors) => {
    const { lines: name, keyName } = lines.dataset;
    const kept = linesIn(lines).filter((row) => !("removed" in row.dataset));
    const removed = linesIn(lines).filter((row) => "removed" in row.dataset);
    removed.forEach((row, at) => setPath(row, `${name}.remove.${at}`));
    const changes = { add: [], update: [], remove: removed.map((row) => row.dataset.key) };
    const all = [];
    for (const row of kept) {
      const { key } = row.dataset;
      const list = key ? changes.update : changes.add;
      const isWritten = !key || controlsIn(row).some(isChanged);
      setPath(row, isPartial ? `${name}.${!key ? "add" : isWritten ? "update" : "kept"}.${isWritten ? list.length : all.length}` : `${name}.${all.length}`);
      row.written = await membersOf(controlsIn(row), isPartial && Boolean(key), errors);
      const object = objectOf(new Map([...(key ? [[keyName, key]] : []), ...row.written]));
      if (isWritten) list.push(object);
      all.push(object);
    }
    const changed = changesOf(changes);
    return isPartial || !changed ? changed : `[${all.join(",")}]`;
  };
  const storedLine = (row, object) => {
    const { lines: name, keyName } = row.closest("[data-lines]").dataset;
    const stored = row.dataset.key && Array.isArray(object[name]) ? object[name] : [];
    return stored.find((line) => String(line[keyName]) === String(parsed(row.dataset.key)));
  };

  // States that an object can have next, as buttons.
  const nextStates = (bar) => {
    const { states: url, version, model, label, key } = bar.dataset;
    const buttons = $$("[data-state]", bar);
    const change = async ({ dataset: { state, body, column, oneWay } }) => {
      const question = element("p", { textContent: `${column} cannot be changed back afterwards.` });
      if (oneWay !== undefined && !await ask(`Change ${column} to ${state}?`, [question], "Change")) return;
      for (const button of buttons) button.disabled = true;
      try {
        const answer = await writerOf(bar)("PATCH", url, body, ifMatch(version));
        const { errors } = answer.json || {};
        if (answer.ok) leaveTo(location.href, { model, label, key, url, done: `changed to ${state}` });
        else say(isNested(errors) ? messages(Object.values(errors)).join(" ") : errorText(answer), true);
      } catch { say("The server cannot be reached; try again.", true); } finally {
        for (const button of buttons) button.disabled = false;
      }
    };
    for (const button of buttons) button.addEventListener("click", () => change(button));
  };

  // Filters: the script offers all operators of a field.
  const OPERATORS = {
    range: "from / to", eq: "is", ne: "is not", gt: "greater than", gte: "at least", lt: "less than", lte: "at most",
    in: "is one of", nin: "is none of", contains: "contains (case-sensitive)", icontains: "contains", startswith: "begins with",
    endswith: "ends with", like: "matches (case-sensitive)", ilike: "matches", between: "between", isnull: "is empty or not",
  };
  const filter = (fieldset) => {
    const { filter: field, equalName, input, operators, operator } = fieldset.dataset;
    const known = operators.split(" ");
    const isRange = !["select", "text", "reference"].includes(input);
    const offered = [...(isRange ? ["range"] : []), ...known.filter((name) => !(name === "between" && isRange))];
    const legend = $("legend", fieldset).textContent.trim();
    const inputs = $(".inputs", fieldset);
    const initial = [...inputs.children];
    const select = element("select", { className: "operator" });
    select.setAttribute("aria-label", `Operator of ${legend}`);
    for (const name of offered) select.append(element("option", { value: name, textContent: OPERATORS[name] || name, selected: name === operator }));
    const simple = (name, type) => {
      const made = element("input", { type, name });
      made.setAttribute("aria-label", legend);
      if (type === "number") made.step = "any";
      return made;
    };
    select.addEventListener("change", () => {
      const chosen = select.value;
      for (const child of [...inputs.children]) if (child !== select) child.remove();
      if (chosen === operator) { inputs.append(...initial); return; }
      const name = chosen === "eq" ? equalName : `${field}[${chosen}]`;
      if (chosen === "isnull") {
        const made = element("select", { name }, element("option", { value: "", textContent: "any" }),
          element("option", { value: "true", textContent: "Empty" }), element("option", { value: "false", textContent: "Not empty" }));
        made.setAttribute("aria-label", legend);
        inputs.append(made);
      } else if (chosen === "range") {
        inputs.append(simple(`${field}[gte]`, input), simple(`${field}[lte]`, input));
      } else if (input === "select" && ["eq", "ne"].includes(chosen) && initial[0].tagName === "SELECT" && operator !== "isnull") {
        const made = initial[0].cloneNode(true);
        made.name = name;
        inputs.append(made);
      } else {
        const isList = ["in", "nin", "between"].includes(chosen);
        const made = simple(name, isList || input === "reference" || input === "select" ? "text" : input);
        if (isList) made.placeholder = "comma-separated values";
        inputs.append(made);
      }
    });
    if (offered.length > 1) inputs.prepend(select);
  };

  // Several rows of a list. A row has a key and a name.
  const several = (bar) => {
    const boxes = () => $$("input[data-key]");
    const all = $("input[data-select-all]");
    const matching = $("[data-matching]", bar);
    const checked = () => boxes().filter((box) => box.checked);
    let isMatching = false;
    const update = () => {
      const count = checked().length;
      const isWhole = count > 0 && count === boxes().length;
      isMatching = isMatching && isWhole;
      bar.hidden = count === 0;
      $("[data-count]", bar).textContent = isMatching ? matching.dataset.matchingSelected : `${count} selected`;
      if (matching) matching.hidden = !isWhole || isMatching;
      if (all) { all.checked = isWhole; all.indeterminate = count > 0 && !isWhole; }
    };
    const selected = async () => {
      if (isMatching) return matchingRows(bar, matching.dataset);
      return checked().map((box) => ({ key: box.dataset.key, name: box.dataset.name }));
    };
    // Runs something on the selected rows. On those of all pages it stops at the first failure, since the next ones are
    // likely to fail too.
    const withSelected = async (act) => {
      const rows = await selected();
      if (rows?.length) await act(rows, isMatching);
    };
    let last = null;
    for (const box of boxes()) {
      box.addEventListener("click", (event) => {
        const list = boxes();
        if (event.shiftKey && last) {
          const [from, to] = [list.indexOf(last), list.indexOf(box)].sort((a, b) => a - b);
          for (const between of list.slice(from, to + 1)) between.checked = box.checked;
        }
        last = box;
        update();
      });
      box.addEventListener("change", update);
    }
    all?.addEventListener("change", () => { for (const box of boxes()) box.checked = all.checked; update(); });
    matching?.addEventListener("click", () => { isMatching = true; update(); $("button:not([hidden])", bar)?.focus(); });
    $("[data-clear]", bar)?.addEventListener("click", () => { for (const box of boxes()) box.checked = false; update(); });
    $("[data-delete]", bar)?.addEventListener("click", () => withSelected((rows, stops) => deleteSeveral(bar, rows, stops)));
    $("[data-change]", bar)?.addEventListener("click", () => withSelected((rows, stops) => changeSeveral(bar, rows, stops)));
    for (const button of $$("[data-action]", bar)) {
      button.addEventListener("click", () => withSelected((rows, stops) => actOnSeveral(bar, button, rows, stops)));
    }
    update();
  };
  const keyJson = (bar, key) => ("textKey" in bar.dataset ? JSON.stringify(key) : key);
  const chunks = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
  const counted = (rows) => `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  const someNames = (rows) => rows.slice(0, 5).map((row) => row.name).join(", ") + (rows.length > 5 ? ", …" : "");

  const keysIn = ({ keyName, envelope }, text) => {
    const json = parsed(text);
    return (envelope ? json[envelope] : json).map((object) => String(object[keyName]));
  };
  // Rows of all pages that the filters find, read by cursor; null if they cannot be read.
  const matchingRows = async (bar, { matching, matchingMax }) => {
    const rows = [];
    try {
      for (let url = matching; url && rows.length < Number(matchingMax);) {
        say(`${rows.length} rows found …`);
        const response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
        if (!response.ok) { say(`The rows cannot be read. ${errorText({ status: response.status })}`, true); return null; }
        for (const key of keysIn(bar.dataset, await response.text())) rows.push({ key, name: `#${key}` });
        const next = /<([^>]*)>;[^<]*rel="next"/.exec(response.headers.get("link") || "");
        url = next && bar.dataset.list + new URL(next[1], location.href).search;
      }
    } catch { say("The rows cannot be read; try again.", true); return null; }
    say("");
    return rows.slice(0, Number(matchingMax));
  };

  // Rows with the versions that they have now, if a change needs them. What is stored afterwards is not overwritten.
  const versioned = async ({ dataset }, bar, rows) => {
    if (!("versioned" in dataset)) return rows;
    const versions = await versionsOf(rows.map(({ key }) => bar.dataset.item + encodeURIComponent(key)));
    return rows.map((row, at) => ({ ...row, version: versions[at] }));
  };

  // Runs a request for each chunk of rows, with progress, and reports the errors of each row.
  const SUCCEEDED = { Delete: "deleted", Change: "changed" };
  const runOn = async (title, rows, stops, size, request) => {
    const summary = (count) => (SUCCEEDED[title] ? `${count} ${SUCCEEDED[title]}.` : `${title}: ${count} succeeded.`);
    const progress = element("progress", { max: rows.length, value: 0 });
    progress.setAttribute("aria-label", title);
    const note = element("p", { className: "muted" });
    const stop = element("button", { type: "button", textContent: "Stop" });
    const dialog = element("dialog", { "aria-labelledby": "progress-title" }, element("h2", { id: "progress-title", textContent: title }), progress, note,
      element("div", { className: "buttons" }, stop));
    let isStopped = false;
    stop.addEventListener("click", () => { isStopped = true; stop.disabled = true; });
    dialog.addEventListener("cancel", (event) => { event.preventDefault(); isStopped = true; });
    document.body.append(dialog);
    dialog.showModal();
    const failed = [];
    let done = 0;
    let tried = 0;
    let refused = 0;
    for (const chunk of chunks(rows, size)) {
      if (isStopped || (stops && failed.length)) break;
      note.textContent = `${tried} of ${counted(rows)}`;
      let answer;
      try { answer = await request(chunk); } catch { answer = { ok: false, status: 0, json: { message: "The server cannot be reached." } }; }
      if (answer.ok) done += chunk.length;
      else if (chunk.length > 1 && answer.json?.errors) {
        for (const [position, errors] of Object.entries(answer.json.errors)) {
          const text = isOfVersion(answer) && "_schema" in errors ? errorText(answer) : messages(errors).join(" ");
          failed.push([chunk[Number(position)]?.name ?? position, text]);
        }
      } else {
        const text = answer.json?.errors && !isOfVersion(answer) ? messages(answer.json.errors).join(" ") : errorText(answer);
        failed.push([chunk.length === 1 ? chunk[0].name : counted(chunk), text]);
      }
      if (!answer.ok) refused += chunk.length;
      tried += chunk.length;
      progress.value = tried;
    }
    if (!failed.length && tried === rows.length) { leaveTo(location.href, summary(counted(rows))); return; }
    const list = element("ul", {}, ...failed.slice(0, 100).map(([name, text]) => element("li", {}, element("strong", { textContent: name }), `: ${text}`)));
    const close = element("button", { type: "button", className: "primary", textContent: "Close" });
    close.addEventListener("click", () => { dialog.close(); if (done) location.reload(); });
    const left = rows.length - tried;
    const rest = [
      ...(refused > failed.length ? [`A request changes all of its rows or none: ${refused - failed.length} others were not changed either.`] : []),
      ...(left ? [`Stopped: ${left} of ${counted(rows)} were not attempted.`] : []),
    ].map((text) => element("p", { textContent: text }));
    dialog.replaceChildren(element("h2", { id: "progress-title", textContent: `${title}: ${done} ${done === 1 ? "row" : "rows"} succeeded, ${refused} failed` }),
      ...(failed.length ? [element("div", { className: "problem summary" }, list)] : []), ...rest, element("div", { className: "buttons" }, close));
    dialog.addEventListener("close", () => dialog.remove());
    close.focus();
  };
  // Forms of the first selected rows, each from its page. The rows without one are refused, and their pages say why.
  const MAX_CONFIRMATIONS = 10;
  const formsOf = async (bar, rows, view, selector) => {
    const asked = rows.slice(0, MAX_CONFIRMATIONS);
    const pages = await Promise.all(asked.map((row) => parsedPage(`${bar.dataset.item}${encodeURIComponent(row.key)}?_view=${view}`)));
    const isRefused = (page) => !$(selector, page);
    const refusal = pages.filter(isRefused).map((page) => $$(".refusal span", page)).find((sentences) => sentences.length);
    return {
      pages: pages.filter((page) => !isRefused(page)),
      refused: asked.filter((_, at) => isRefused(pages[at])),
      reason: (refusal || []).slice(1).map((sentence) => sentence.textContent).join(" "),
      of: rows.length > asked.length ? `the first ${asked.length}` : "them",
    };
  };
  const refusals = ({ refused, reason, of }, verb, rows) => {
    if (!refused.length) return [];
    const all = refused.length === rows.length;
    const which = all ? "these rows" : `${refused.length} of ${of}, which ${refused.length === 1 ? "stays" : "stay"} as ${refused.length === 1 ? "it is" : "they are"}`;
    return [element("p", { textContent: `You may not ${verb} ${which}. ${reason}`.trim() })];
  };
  // Rows that belong to others, from the confirmations of their deletions.
  const belonging = ({ pages, refused, of }) => {
    if (!pages.length) return [];
    const sums = new Map();
    for (const { dataset } of pages.flatMap((page) => $$("[data-related]", page))) {
      const name = `${dataset.related}\n${dataset.consequences}`;
      const known = sums.get(name) ?? { rows: 0, isExact: true };
      sums.set(name, { rows: known.rows + Number(dataset.rows), isExact: known.isExact && dataset.rows !== "" });
    }
    const lines = [...sums].map(([name, { rows, isExact }]) => {
      const [title, consequence] = name.split("\n");
      return element("li", { textContent: `${title}: ${isExact ? "" : "at least "}${rows} ${rows === 1 ? "row" : "rows"}, ${consequence}` });
    });
    const others = refused.length ? " of the others" : of !== "them" && ` of ${of}`;
    const heading = element("p", { textContent: lines.length ? `Related rows${others || ""}:` : `No related rows${others || ""} that you can see.` });
    return lines.length ? [heading, element("ul", {}, ...lines)] : [heading];
  };
  const deleteSeveral = async (bar, selected, stops) => {
    const question = element("p", { textContent: `${someNames(selected)}. This cannot be undone.` });
    const related = element("div", { role: "status" }, element("p", { className: "muted", textContent: "Counting related rows …" }));
    const reading = formsOf(bar, selected, "delete", "form[data-submit=DELETE]").then((forms) => {
      related.replaceChildren(...refusals(forms, "delete", selected), ...belonging(forms));
      const button = $("button[value=ok]", related.closest("form"));
      button.disabled = forms.refused.length === selected.length;
      if (forms.refused.length) button.textContent = `Delete ${counted(selected.slice(forms.refused.length))}`;
      return forms.refused;
    }).catch(() => { related.replaceChildren(); return []; });
    const known = versioned(bar, bar, selected);
    if (!await ask(`Delete ${counted(selected)}?`, [question, related], "Delete", "danger primary")) return;
    const refused = await reading;
    const rows = (await known).filter((_, at) => !refused.includes(selected[at]));
    if (!rows.length) { say("You may not delete these rows.", true); return; }
    const { list, item, keyName, max } = bar.dataset;
    const remove = (url, version) => writerOf(bar)("DELETE", url, undefined, ifMatch(version));
    if ("bulkDelete" in bar.dataset) {
      const name = encodeURIComponent(keyName);
      // Keys are in the URL, whose length is limited.
      const size = Math.min(100, Number(max) || 100);
      await runOn("Delete", rows, stops, size, (chunk) => remove(`${list}?${chunk.map(({ key }) => `${name}=${encodeURIComponent(key)}`).join("&")}`));
    } else {
      await runOn("Delete", rows, stops, 1, ([{ key, version }]) => remove(item + encodeURIComponent(key), version));
    }
  };
  const patchSeveral = async (bar, rows, stops, title, members) => {
    const { list, item, keyName, envelope, envelopeOne, max } = bar.dataset;
    const wrapped = (body, name) => (name ? `{${JSON.stringify(name)}:${body}}` : body);
    const patch = (url, body, version) => writerOf(bar)("PATCH", url, body, ifMatch(version));
    if ("bulkPatch" in bar.dataset) {
      const versionJson = (version) => (version ? [`"version":${JSON.stringify(version)}`] : []);
      const object = ({ key, version }) => `{${[`${JSON.stringify(keyName)}:${keyJson(bar, key)}`, ...versionJson(version), ...members].join(",")}}`;
      await runOn(title, rows, stops, Number(max) || 100, (chunk) => patch(list, wrapped(`[${chunk.map(object).join(",")}]`, envelope)));
    } else {
      await runOn(title, rows, stops, 1, ([{ key, version }]) => patch(item + encodeURIComponent(key), wrapped(`{${members.join(",")}}`, envelopeOne), version));
    }
  };
  const changeSeveral = async (bar, selected, stops) => {
    const forms = await formsOf(bar, selected, "edit", "form[data-submit] [data-field]");
    const notes = refusals(forms, "change", selected);
    if (!forms.pages.length) { say(`You may not change ${selected.length > forms.refused.length ? `the first ${forms.refused.length} of these rows` : "these rows"}. ${forms.reason}`.trim(), true); return; }
    const rows = selected.filter((row) => !forms.refused.includes(row));
    const known = versioned(bar, bar, rows);
    const fields = $$("form[data-submit] [data-field]:not([data-links], [data-line] *)", forms.pages[0]);
    const select = element("select", { id: "change-field" });
    for (const field of fields) select.append(element("option", { value: field.dataset.field, textContent: labelText(field) }));
    const place = element("div", { className: "fields" });
    const show = () => {
      const field = document.importNode(fields.find((one) => one.dataset.field === select.value), true);
      untouched(field);
      place.replaceChildren(field);
      prepare(place);
      offerEmpty(field);
    };
    select.addEventListener("change", show);
    show();
    const chosen = element("div", { className: "field" }, element("label", { htmlFor: "change-field", textContent: "Field" }), select);
    const isComplete = () => {
      const field = $("[data-field]", place);
      const error = newValueError(field);
      if (error) { showFieldError(field, error); controlOf(field).focus(); }
      return !error;
    };
    if (!await ask(`Change ${counted(rows)}`, [...notes, chosen, place], "Continue", "primary", isComplete)) return;
    const field = $("[data-field]", place);
    const control = $("[data-json][name]", field);
    let json;
    try { json = await newJson(field, control); } catch (error) { say(error.message, true); return; }
    const value = setsEmpty(field) ? ["emptied"] : ["set to ", element("strong", {}, element("bdi", { textContent: newText(field, control) }))];
    const question = element("p", {}, element("strong", { textContent: labelText(field) }), " is ", ...value, ` in ${counted(rows)}: ${someNames(rows)}.`);
    if (!await ask(`Change ${counted(rows)}?`, [question], "Change")) return;
    await patchSeveral(bar, await known, stops, "Change", [`${JSON.stringify(control.name)}:${json}`]);
  };
  // New value of a field in several rows. A control without a value is no value: emptying a field is a choice of its own.
  const labelText = (field) => field.dataset.label;
  const setsEmpty = (field) => Boolean($("[data-empty]", field)?.checked);
  const untouched = (field) => {
    const check = $("input[type=checkbox]", field);
    if (check) {
      const { id, name } = check;
      const label = element("label", { htmlFor: id, textContent: labelText(field) });
      const choice = element("select", { id, name, required: true, "aria-describedby": check.getAttribute("aria-describedby") },
        element("option", { value: "true", textContent: "Yes" }), element("option", { value: "false", textContent: "No" }));
      choice.dataset.json = "boolean";
      check.closest("label").replaceWith(label, choice);
    }
    for (const control of $$("input, textarea, select", field)) {
      if (control.tagName === "SELECT") {
        for (const option of $$("option", control)) { option.defaultSelected = false; if (!option.value) option.remove(); }
        control.prepend(element("option", { value: "", textContent: "–", selected: true }));
      } else if (control.type !== "file") { control.value = ""; control.defaultValue = ""; control.dataset.shown = ""; }
      delete control.dataset.original;
    }
  };
  // A choice to empty the field, if its values may be empty.
  const offerEmpty = (field) => {
    const control = $("[data-json][name]", field);
    const shown = controlOf(field);
    const isNullable = "nullable" in control.dataset;
    if (!isNullable && (shown.required || !isText(control) || control.dataset.json !== "string")) return;
    const box = element("input", { type: "checkbox", id: "change-empty" });
    box.dataset.empty = isNullable ? "null" : '""';
    box.addEventListener("change", () => {
      for (const other of $$("input, select, textarea, button", field)) if (other !== box) other.disabled = box.checked;
      clearErrors(field);
    });
    $("[data-error]", field).before(element("label", { className: "check", htmlFor: box.id }, box, " Empty the field"));
  };
  const newValueError = (field) => {
    if (setsEmpty(field)) return "";
    const control = controlOf(field);
    if (control.validationMessage && !control.validity.valueMissing) return (control.validity.patternMismatch && control.dataset.patternMessage) || control.validationMessage;
    const { value, dataset } = $("[data-json][name]", field);
    if (value && dataset.json === "json") {
      try { JSON.parse(value); } catch (error) { return `Not valid JSON: ${error.message}`; }
    }
    if (value) return "";
    return $("[data-empty]", field) ? "Enter a value, or choose to empty the field." : "Enter a value.";
  };
  const newJson = async (field, control) => (setsEmpty(field) ? $("[data-empty]", field).dataset.empty : jsonOf(control, true));
  const newText = (field, control) => {
    const shown = controlOf(field);
    if (shown.type === "file") return shown.files[0].name;
    return visible(shortened(control.tagName === "SELECT" ? control.selectedOptions[0].textContent : shown.value));
  };
  const actOnSeveral = async (bar, button, rows, stops) => {
    const { action, actionUrl, actionBody } = button.dataset;
    const known = versioned(actionUrl ? button : bar, bar, rows);
    if (!await ask(`${action}?`, [element("p", { textContent: `${counted(rows)}: ${someNames(rows)}` })], action)) return;
    if (actionUrl) {
      const post = ({ key, version }) => writerOf(button)("POST", actionUrl.replace("{key}", encodeURIComponent(key)), actionBody || undefined, ifMatch(version));
      await runOn(action, await known, stops, 1, ([row]) => post(row));
    } else {
      await patchSeveral(bar, await known, stops, action, [actionBody.slice(1, -1)]);
    }
  };

  // Import of a file, with a preview of its first lines and the errors by line.
  const cells = (line) => {
    const found = [];
    const pattern = /("(?:[^"]|"")*"|[^,]*)(,|$)/g;
    for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
      found.push(match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
      if (match[2] === "") break;
    }
    return found;
  };
  const importForm = (form) => {
    const [file, text] = [$("#import-file", form), $("#import-text", form)];
    const isJson = () => /^\s*[{[]/.test(text.value);
    const preview = () => {
      const area = $("[data-preview]", form);
      const lines = text.value.split(/\r?\n/).filter((line) => line.trim());
      area.hidden = lines.length === 0;
      const table = $("[data-preview-table]", form);
      const caption = $("caption", table);
      const head = element("thead");
      const body = element("tbody");
      if (isJson()) {
        head.append(element("tr", {}, element("th", { scope: "col", textContent: "Object" })));
        for (const line of lines.slice(0, 5)) body.append(element("tr", {}, element("td", {}, element("code", { textContent: line }))));
      } else if (lines.length) {
        head.append(element("tr", {}, ...cells(lines[0]).map((name) => element("th", { scope: "col", textContent: name }))));
        for (const line of lines.slice(1, 6)) body.append(element("tr", {}, ...cells(line).map((cell) => element("td", { textContent: cell }))));
      }
      table.replaceChildren(caption, head, body);
      const count = isJson() ? lines.length : Math.max(lines.length - 1, 0);
      $("[data-preview-note]", form).textContent = `${isJson() ? "NDJSON" : "CSV"} with ${count} ${count === 1 ? "line" : "lines"} of data; the first ${Math.min(count, 5)} are shown.`;
    };
    file.addEventListener("change", async () => {
      if (!file.files.length) return;
      text.value = await file.files[0].text();
      preview();
    });
    text.addEventListener("input", preview);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const summary = $("[data-summary]", form);
      const area = $("[data-import-errors]", form);
      area.hidden = true;
      summary.hidden = true;
      const fail = (message) => { summary.replaceChildren(element("strong", { textContent: message })); summary.hidden = false; summary.focus(); };
      if (!text.value.trim()) { fail("Choose a file or paste some lines."); return; }
      const button = $("button[type=submit]", form);
      button.disabled = true;
      try {
        const type = isJson() ? "application/x-ndjson" : "text/csv";
        const mode = $("#import-mode", form)?.value || "POST";
        const answer = await writerOf(form)(mode, form.getAttribute("action"), text.value, { "Content-Type": type });
        if (answer.ok) {
          const rows = Array.isArray(answer.json) ? answer.json : Object.values(answer.json || {})[0];
          const done = mode === "PATCH" ? "updated" : "imported";
          leaveTo(form.getAttribute("action"), `${Array.isArray(rows) ? counted(rows) : "All rows"} ${done}.`);
          return;
        }
        const errors = answer.json?.errors;
        if (!errors || typeof errors !== "object") { fail(errorText(answer)); return; }
        const lines = Object.entries(errors);
        fail(`Nothing was imported: ${lines.length} ${lines.length === 1 ? "line has" : "lines have"} errors.`);
        const rows = lines.flatMap(([line, fields]) => Object.entries(fields?.constructor === Object ? fields : { "": fields }).map(([name, value]) => {
          const number = Number(line);
          const text = isOfVersion(answer) && name === "_schema" ? errorText(answer) : messages(value).join(" ");
          const row = element("tr", {}, element("th", { scope: "row", textContent: Number.isNaN(number) ? line : String(number) }),
            element("td", { textContent: name.startsWith("_") ? "" : name }), element("td", { textContent: text }));
          ["Line", "Field", "Error"].forEach((label, position) => { row.children[position].dataset.label = label; });
          return row;
        }));
        $("tbody", area).replaceChildren(...rows);
        area.hidden = false;
      } catch {
        fail("The server cannot be reached; try again.");
      } finally {
        button.disabled = false;
      }
    });
  };

  // Present day or time, in UTC as all times of the pages.
  const setNow = (button) => {
    const input = $("input", button.parentElement);
    const now = new Date().toISOString();
    input.value = { date: now.slice(0, 10), time: now.slice(11, 19) }[input.type] ?? now.slice(0, 19);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };

  // Saves bytes of the object's JSON as a file. Its type is never that of the contents, so that nothing is opened.
  const ENDINGS = [["\x89PNG", "png"], ["\xff\xd8\xff", "jpg"], ["GIF8", "gif"], ["%PDF", "pdf"], ["PK\x03\x04", "zip"]];
  const download = async (button) => {
    const { download: name, envelope, file } = button.dataset;
    try {
      const answer = await send("GET", location.pathname);
      const object = envelope ? answer.json[envelope] : answer.json;
      const bytes = atob(object[name]);
      const ending = ENDINGS.find(([start]) => bytes.startsWith(start))?.[1] || "bin";
      const blob = new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))], { type: "application/octet-stream" });
      const link = element("a", { href: URL.createObjectURL(blob), download: `${file.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80)}.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch { say("The file cannot be read.", true); }
  };

  // Makes the controls below an element work.
  const prepare = (from) => {
    // What the browser makes of a value, such as 12:30 of 12:30:00, is not a change.
    for (const control of $$("input[data-json], textarea[data-json]", from)) control.dataset.initial ??= control.value;
    for (const button of $$("[data-now]", from)) button.addEventListener("click", () => setNow(button));
    for (const input of $$("input[data-reference]:not([data-picks])", from)) combobox(input);
    for (const field of $$("[data-links]", from)) picker(field);
    for (const lines of $$("[data-lines]", from)) prepareLines(lines);
    for (const button of $$("[data-format-json]", from)) {
      button.addEventListener("click", () => {
        const field = button.closest("[data-field]");
        const area = $("textarea", field);
        try {
          JSON.parse(area.value);
          area.value = formatted(area.value);
          $("[data-error]", field).hidden = true;
          area.removeAttribute("aria-invalid");
        } catch (error) { showFieldError(field, `Not valid JSON: ${error.message}`); }
      });
    }
    const forms = from.matches?.("form[data-submit]") ? [from] : $$("form[data-submit]", from);
    for (const form of forms) {
      form.addEventListener("submit", (event) => { event.preventDefault(); submit(form, event.submitter?.value); });
    }
  };
  // Indents JSON without parsing its numbers, which may have more digits than those of JavaScript.
  const formatted = (text) => {
    let out = "";
    let depth = 0;
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) || [];
    const line = () => `\n${"  ".repeat(depth)}`;
    tokens.forEach((token, at) => {
      const next = tokens[at + 1];
      if (token === "{" || token === "[") {
        out += token;
        if (next !== "}" && next !== "]") { depth += 1; out += line(); }
      } else if (token === "}" || token === "]") {
        if (tokens[at - 1] !== "{" && tokens[at - 1] !== "[") { depth -= 1; out += line(); }
        out += token;
      } else if (token === ",") out += `,${line()}`;
      else if (token === ":") out += ": ";
      else out += token;
    });
    return out;
  };

  const prepareCopies = (from) => {
    for (const button of $$("[data-copy]", from)) {
      button.addEventListener("click", async () => {
        try { await navigator.clipboard.writeText($("pre", button.parentElement).textContent); say("Copied."); } catch { say("The browser does not allow copying; select the text instead.", true); }
      });
    }
  };
  const themeSwitch = () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme || "") + 1) % THEMES.length];
    setTheme(next);
    try { localStorage.setItem("theme", next); } catch { /* The theme lasts for this page. */ }
    say(`Theme: ${next || "system"}.`);
  };
  const shortcuts = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      event.target.closest?.("form[data-submit]")?.requestSubmit();
      return;
    }
    if (event.key === "Escape") for (const popup of $$("details.popup[open]")) popup.open = false;
    const isTyping = event.target.matches?.("input, select, textarea, [contenteditable]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    if (event.key === "t") { themeSwitch(); return; }
    const target = $$("[data-shortcut]").find((one) => one.dataset.shortcut === event.key);
    if (!target) return;
    event.preventDefault();
    if (target.tagName === "INPUT") target.focus(); else target.click();
  };
  const guardUnsaved = () => {
    let dirty = false;
    for (const form of $$("form.edit[data-submit]")) {
      form.addEventListener("input", () => { dirty = true; });
      form.addEventListener("saved", () => { dirty = false; });
    }
    addEventListener("beforeunload", (event) => { if (dirty) event.preventDefault(); });
  };

  const start = () => {
    useSessionOf(document);
    const message = kept("message");
    if (message) { keep("message", null); setTimeout(() => say(message), 50); }
    rememberList();
    // The stylesheet shows them on a wide screen anyway.
    if (matchMedia("(min-width: 48.01rem)").matches) for (const quick of $$(".quick details")) quick.open = true;
    for (const fieldset of $$("[data-filter]")) filter(fieldset);
    prepare(document);
    for (const bar of $$("[data-several]")) several(bar);
    for (const link of $$("table.rows thead a")) sortAlso(link);
    for (const form of $$("[data-import]")) importForm(form);
    for (const bar of $$("[data-states]")) nextStates(bar);
    guardUnsaved();
    $("form.edit [data-field] :is(input:not([type=hidden]), select, textarea)")?.focus({ preventScroll: true });
    $("[data-theme-switch]")?.addEventListener("click", themeSwitch);
    $("[data-logout]")?.addEventListener("click", async (event) => {
      const answer = await send("POST", event.target.dataset.logout);
      if (answer.ok || answer.status === 401) leaveTo(location.href, "Logged out."); else say(errorText(answer), true);
    });
    for (const button of $$("[data-download]")) button.addEventListener("click", () => download(button));
    prepareCopies(document);
    document.addEventListener("keydown", shortcuts);
    document.addEventListener("click", (event) => {
      for (const popup of $$("details.popup[open]")) if (!popup.contains(event.target)) popup.open = false;
    });
    // On a touch screen the focus would open the keyboard.
    const first = $("form.edit[data-model] [data-field]");
    if (first && matchMedia("(pointer: fine)").matches) controlOf(first)?.focus({ preventScroll: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
})();
