//! Elements as people find them: by their texts and labels.

use serde_json::{Value, json};

use crate::session::Session;

/// Key under which the protocol sends the id of an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// An element of the page.
pub struct Element<'a> {
    session: &'a Session,
    id: String,
}

impl<'a> Element<'a> {
    /// Finds the first element, and waits for it a few seconds.
    pub(crate) async fn find(session: &'a Session, using: &str, value: &str) -> Self {
        let found = session
            .attempt("element", json!({"using": using, "value": value}))
            .await;
        match found {
            Ok(found) => Self {
                session,
                id: found[ELEMENT].as_str().unwrap().to_owned(),
            },
            Err(error) => {
                let script = json!({"script": "return document.body?.innerText", "args": []});
                let text = session.post("execute/sync", script).await;
                let text = text.as_str().unwrap_or_default();
                panic!("no element {value}: {error}\n{text}");
            }
        }
    }

    /// Clicks it as a person does: it must be visible and not covered.
    pub async fn click(&self) {
        self.post("click", json!({})).await;
    }

    /// Types a text at the end of the present one. A file input takes the path of a file.
    pub async fn send_keys(&self, text: &str) {
        self.post("value", json!({"text": text})).await;
    }

    /// Replaces the text.
    pub async fn fill(&self, text: &str) {
        self.post("clear", json!({})).await;
        self.send_keys(text).await;
    }

    /// Returns the visible text.
    pub async fn text(&self) -> String {
        self.get("text").await.as_str().unwrap().to_owned()
    }

    /// Returns a property of the element, such as `value` or `checked`.
    pub async fn property(&self, name: &str) -> Value {
        self.get(&format!("property/{name}")).await
    }

    /// Returns the element as an argument of a script.
    pub fn argument(&self) -> Value {
        json!({ ELEMENT: self.id })
    }

    async fn post(&self, command: &str, body: Value) -> Value {
        self.session
            .post(&format!("element/{}/{command}", self.id), body)
            .await
    }

    async fn get(&self, command: &str) -> Value {
        self.session.get(&format!("element/{}/{command}", self.id)).await
    }
}

/// Returns an XPath expression for elements of these names with a visible text or an accessible name.
pub(crate) fn with_text(names: &[&str], text: &str) -> String {
    let text = literal(text);
    let one =
        |name: &&str| format!("//{name}[normalize-space()={text} or @aria-label={text} or @value={text}]");
    names.iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// Returns an XPath expression for the form control with a label.
pub(crate) fn labelled(label: &str) -> String {
    // Without the sign of a required field.
    let named = format!("normalize-space(translate(., '*', ''))={}", literal(label));
    let name = literal(label);
    format!(
        "//*[self::input or self::textarea or self::select][@id=//label[{named}]/@for or ancestor::label[{named}] \
         or @aria-label={name}]"
    )
}

/// Returns a string of XPath, which has no escapes.
fn literal(text: &str) -> String {
    if text.contains('"') {
        format!("concat(\"{}\")", text.replace('"', "\", '\"', \""))
    } else {
        format!("\"{text}\"")
    }
}
