//! Information about an api that its declarations do not contain.

use serde_json::{Map, Value, json};

/// Title, version and other information of an OpenAPI document; see [`Api::openapi_info`](crate::Api::openapi_info).
///
/// ```
/// use model_resource::{Api, OpenApiInfo};
///
/// let info = OpenApiInfo::new()
///     .title("Blog")
///     .version("2.1.0")
///     .description("Articles, and comments on them.")
///     .contact("The editors", "editors@example.com")
///     .server("https://blog.example.com", "Production");
/// let api = Api::new("blog").openapi_info(info);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct OpenApiInfo {
    title: Option<String>,
    version: Option<String>,
    summary: Option<String>,
    description: Option<String>,
    terms_of_service: Option<String>,
    contact: Option<Value>,
    license: Option<Value>,
    servers: Vec<Value>,
}

impl OpenApiInfo {
    /// Creates information without any member.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title; the name of the api by default.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the version of the api that the document describes; [`Api::version`](crate::Api::version) by default, or
    /// `1.0.0`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the summary, one sentence.
    pub fn summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// Sets the description, in CommonMark.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the URL of the terms of service.
    pub fn terms_of_service(mut self, url: impl Into<String>) -> Self {
        self.terms_of_service = Some(url.into());
        self
    }

    /// Sets the name and the email address of a contact.
    pub fn contact(mut self, name: impl Into<String>, email: impl Into<String>) -> Self {
        self.contact = Some(json!({"name": name.into(), "email": email.into()}));
        self
    }

    /// Sets the license of the api by its name and SPDX identifier, such as `MIT`.
    pub fn license(mut self, name: impl Into<String>, identifier: impl Into<String>) -> Self {
        self.license = Some(json!({"name": name.into(), "identifier": identifier.into()}));
        self
    }

    /// Adds the URL of a server, without the prefix of the api. By default the paths are relative to the server that the
    /// document comes from.
    pub fn server(mut self, url: impl Into<String>, description: impl Into<String>) -> Self {
        let server = json!({"url": url.into(), "description": description.into()});
        self.servers.push(server);
        self
    }

    /// Sets the version unless the application has set one.
    pub(crate) fn set_default_version(&mut self, version: &str) {
        self.version.get_or_insert_with(|| version.to_owned());
    }

    /// Member `info` of the document of an api with this name.
    pub(super) fn to_json(&self, name: &str) -> Value {
        let mut info = Map::new();
        let title = self.title.as_deref().unwrap_or(name);
        info.insert("title".to_owned(), title.into());
        let version = self.version.as_deref().unwrap_or("1.0.0");
        info.insert("version".to_owned(), version.into());
        let texts = [
            ("summary", &self.summary),
            ("description", &self.description),
            ("termsOfService", &self.terms_of_service),
        ];
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| Some((name, Value::from(text.clone()?))));
        let objects = [("contact", &self.contact), ("license", &self.license)];
        let objects = objects
            .into_iter()
            .filter_map(|(name, object)| Some((name, object.clone()?)));
        info.extend(texts.chain(objects).map(|(name, value)| (name.to_owned(), value)));
        Value::Object(info)
    }

    /// Member `servers` of the document, for a request that outer routers have stripped a prefix from.
    pub(super) fn servers(&self, outer_prefix: &str) -> Value {
        if self.servers.is_empty() {
            let url = if outer_prefix.is_empty() {
                "/"
            } else {
                outer_prefix
            };
            json!([{ "url": url }])
        } else {
            Value::from(self.servers.clone())
        }
    }
}
