// Requests of an api's pages, as the caller of the page. `askForLogin` resolves to whether the user has logged in again.
const pageRequests = (askForLogin) => {
  "use strict";

  const meta = (name, from = document) => from.querySelector(`meta[name="${name}"]`)?.content;
  const sessionOf = (page) => ({ header: meta("csrf-header", page), token: meta("csrf-token", page) });
  let session = {};
  const useSessionOf = (page) => { session = sessionOf(page); };
  const loginUrl = () => (meta("login") ? new URL(meta("login"), location.href).pathname : "");

  // Value of a JSON text. Integers that a number of JavaScript would round become texts, so that a key stays the same.
  const parsed = (text) => JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g,
    (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)));
  const parsedPage = async (url) => {
    const response = await fetch(url, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    return new DOMParser().parseFromString(await response.text(), "text/html");
  };

  const send = async (method, url, body, headers = {}) => {
    const all = { Accept: "application/json", ...headers };
    if (body !== undefined && !all["Content-Type"]) all["Content-Type"] = "application/json";
    if (session.token) all[session.header] = session.token;
    const response = await fetch(url, { method, body, headers: all, credentials: "same-origin", cache: "no-store" });
    const text = await response.text();
    let json = null;
    try { json = text ? parsed(text) : null; } catch { /* Not JSON. */ }
    return { status: response.status, ok: response.ok, json, headers: response.headers };
  };

  // A write. If the session has ended, or another one has begun, it is repeated after a login, and the form keeps its
  // contents.
  const write = async (method, url, body, headers) => {
    let answer = await send(method, url, body, headers);
    const isLogin = url === loginUrl();
    // Without its session, the caller may not even see the object.
    const refused = session.token ? [401, 403, 404] : [401, 403];
    if (refused.includes(answer.status) && !isLogin && loginUrl()) {
      const current = sessionOf(await parsedPage(location.href));
      if (current.token && current.token !== session.token) {
        session = current;
        answer = await send(method, url, body, headers);
      } else if (!current.token && await askForLogin()) {
        answer = await send(method, url, body, headers);
      }
    }
    return answer;
  };

  // A new UUID of version 7, the fastest kind of key for the server. Plain HTTP has no crypto.randomUUID.
  const newKey = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    let time = Date.now();
    for (let at = 5; at >= 0; at -= 1) { bytes[at] = time % 256; time = Math.floor(time / 256); }
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };

  // Headers of the writes that may have been made, since no answer says what has become of them. A key belongs to one
  // request with its precondition, so it is repeated as it was sent. Other contents are another write.
  const unanswered = new Map();
  const nameOf = (method, url, body = "", { "Content-Type": type = "" } = {}) => [method, url, type, body].join("\n");
  const isUnanswered = (method, url, body) => unanswered.has(nameOf(method, url, body));
  // The server failed, or is still busy with the first request.
  const isUnknown = ({ status, headers }) => status >= 500 || status === 408 || (status === 409 && headers.has("Retry-After"));
  // A write with an Idempotency-Key.
  const writeOnce = async (method, url, body, headers = {}) => {
    const name = nameOf(method, url, body, headers);
    const sent = unanswered.get(name) ?? { ...headers, "Idempotency-Key": newKey() };
    unanswered.set(name, sent);
    const answer = await write(method, url, body, sent);
    if (!isUnknown(answer)) unanswered.delete(name);
    return answer;
  };

  // Precondition of a write: it is refused if the object has another version by now.
  const ifMatch = (version) => (version ? { "If-Match": version } : {});
  // A tag that no object has, for one whose version cannot be read. The write is refused and says why.
  const NO_VERSION = '""';
  const MAX_CONCURRENT = 6;
  // Versions of the objects at these URLs, in their order.
  const versionsOf = async (urls) => {
    const versions = urls.map(() => NO_VERSION);
    let next = 0;
    const read = async () => {
      while (next < urls.length) {
        const at = next++;
        try { versions[at] = (await send("HEAD", urls[at])).headers.get("ETag") || NO_VERSION; } catch { /* As without a version. */ }
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, read));
    return versions;
  };

  return { ifMatch, isUnanswered, loginUrl, parsed, parsedPage, send, useSessionOf, versionsOf, write, writeOnce };
};
