//! Responses of an action: successful ones, and those that the attribute of its handler names.

use serde_json::json;

use crate::description::{ActionDescription, ResponseDescription};
use crate::openapi::content;
use crate::openapi::handler;
use crate::openapi::json::{JSON, Reference};
use crate::openapi::json_writer::JsonObjectWriter;
use crate::openapi::objects::ObjectSchemas;
use crate::openapi::shared_parts::SharedParts;
use crate::routing::Operation;
use crate::upsert::{MERGE_DUPLICATES, PUT_CREATES};

/// Writer of the responses of one action, each status once.
pub(super) struct ResponseWriter<'w, 'o> {
    responses: &'w mut JsonObjectWriter<'o>,
    shared: &'w mut SharedParts,
    /// Responses that the attribute of the handler names.
    named: &'w [ResponseDescription],
    written: Vec<u16>,
}

impl<'w, 'o> ResponseWriter<'w, 'o> {
    pub(super) fn new(
        action: &'w ActionDescription,
        shared: &'w mut SharedParts,
        responses: &'w mut JsonObjectWriter<'o>,
    ) -> Self {
        let handler = action.handler.as_deref();
        Self {
            responses,
            shared,
            named: handler.map_or(&[], |handler| &handler.responses),
            written: Vec::new(),
        }
    }

    /// Writes the successful responses of an action, and those that its handler names. Returns the statuses.
    pub(super) fn write<'d>(
        mut self,
        action: &'d ActionDescription,
        objects: &mut ObjectSchemas<'d>,
    ) -> Vec<u16> {
        let handler = action.handler.as_deref();
        let returned = handler.and_then(|handler| handler::content(action, handler, objects));
        match action.route.operation {
            None if action.restores => {
                let content = content::of_response(action, objects);
                self.response(200, "The restored object.", &["ETag"], Some(&content));
            }
            None => self.write_of_view(action, returned),
            Some(operation) => {
                // The type of a custom operation tells more than its serializer.
                let content = returned.unwrap_or_else(|| content::of_response(action, objects));
                self.write_of_operation(action, operation, &content);
            }
        }
        self.write_named();
        self.written
    }

    fn write_of_operation(&mut self, action: &ActionDescription, operation: Operation, content: &[u8]) {
        match operation {
            Operation::List => {
                let page = &["Link", "X-Total-Count", "Content-Range"];
                let tagged = &["ETag", "Link", "X-Total-Count", "Content-Range"];
                let whole = "The objects, or the page that was asked for.";
                self.response(200, whole, tagged, Some(content));
                self.response(304, "The client has this page already.", &["ETag"], None);
                let part = "Fewer objects than were asked for; `Link` leads to the rest.";
                self.response(206, part, page, Some(content));
            }
            Operation::Get => {
                self.response(200, "The object.", &["ETag"], Some(content));
                self.response(304, "The client has this version already.", &["ETag"], None);
            }
            Operation::Create => {
                let headers = &["ETag", "Location", "Preference-Applied"];
                self.response(201, "The new object.", headers, Some(content));
                if action.route.decorators.contains(&MERGE_DUPLICATES) {
                    let merged =
                        "The object that had the unique values, changed, if the client prefers that.";
                    self.response(200, merged, &["ETag", "Preference-Applied"], Some(content));
                }
            }
            Operation::Put | Operation::Patch => {
                if action.route.decorators.contains(&PUT_CREATES) && !action.route.bulk {
                    let headers = &["ETag", "Location", "Preference-Applied"];
                    self.response(
                        201,
                        "The new object, which did not exist.",
                        headers,
                        Some(content),
                    );
                }
                let headers = &["ETag", "Preference-Applied"];
                self.response(200, "The changed object.", headers, Some(content));
                self.response(204, "Changed, if the client prefers no object.", headers, None);
            }
            Operation::Delete => {
                self.response(204, "Deleted.", &[], None);
                let shown = "The deleted object, if the client prefers it.";
                let any = content::of_any(action);
                self.response(200, shown, &["Preference-Applied"], Some(&any));
            }
        }
    }

    /// Writes the successful responses of a view, whose content is known if the type of its reply tells it.
    fn write_of_view(&mut self, action: &ActionDescription, returned: Option<Vec<u8>>) {
        let is_known = returned.is_some();
        let content = returned.unwrap_or_else(|| content::of_any(action));
        let is_empty = content == content::EMPTY;
        if !is_empty {
            self.response(200, "Response of the view.", &[], Some(&content));
        }
        if is_empty || !is_known {
            self.response(204, "Done.", &[], None);
        }
    }

    /// Writes a response, with the description of the handler's attribute if there is one.
    fn response(&mut self, status: u16, description: &str, headers: &[&'static str], content: Option<&[u8]>) {
        let named = self.named.iter().find(|named| named.status == status);
        let description = named.map_or(description, |named| named.description);
        self.responses.object(&status.to_string(), |response| {
            response.member("description", description);
            self.shared.write_headers(headers, response);
            if let Some(content) = content {
                response.with("content", |out| out.extend_from_slice(content));
            }
        });
        self.written.push(status);
    }

    /// Writes the responses of the handler's attribute that the action does not have otherwise.
    fn write_named(&mut self) {
        for named in self.named {
            if self.written.contains(&named.status) {
                continue;
            }
            self.responses.object(&named.status.to_string(), |response| {
                response.member("description", named.description);
                self.shared.write_headers(&[], response);
                if named.status >= 400 {
                    response.member("content", &error_content());
                }
            });
            self.written.push(named.status);
        }
    }
}

/// Content of an error.
fn error_content() -> serde_json::Value {
    let schema = |name| json!({"schema": Reference::new("schemas", name)});
    json!({JSON: schema("ErrorMessage"), "application/problem+json": schema("Problem")})
}
