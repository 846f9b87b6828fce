//! CORS settings of an application.

use std::fmt::Display;
use std::time::Duration;

use http::HeaderName;

use crate::http::cors::origin::Origin;

/// Cross-origin resource sharing settings; for [`Api::cors`](crate::Api::cors).
///
/// ```
/// use model_resource::{Api, Cors};
///
/// let api = Api::new("api").cors(Cors::origins(["https://app.example"]).with_credentials());
/// ```
#[derive(Debug, Clone)]
pub struct Cors {
    pub(super) origins: Vec<Origin>,
    pub(super) with_credentials: bool,
    pub(super) headers: Vec<HeaderName>,
    pub(super) max_age: Duration,
    mistakes: Vec<String>,
}

impl Cors {
    /// Allows pages of these origins; `*` allows all, for public data.
    pub fn origins(origins: impl IntoIterator<Item: TryInto<Origin, Error: Display>>) -> Self {
        let mut cors = Self {
            origins: Vec::new(),
            with_credentials: false,
            headers: Vec::new(),
            max_age: Duration::from_secs(2 * 60 * 60),
            mistakes: Vec::new(),
        };
        for origin in origins {
            match origin.try_into() {
                Ok(origin) => cors.origins.push(origin),
                Err(mistake) => cors.mistakes.push(format!("cors: {mistake}")),
            }
        }
        cors
    }

    /// Allows browsers to send cookies. Rejected at startup together with `*`, which would let any page act as its
    /// visitor.
    pub fn with_credentials(mut self) -> Self {
        self.with_credentials = true;
        self
    }

    /// Allows pages to send these headers, in addition to those that the framework reads.
    pub fn headers(mut self, names: impl IntoIterator<Item: AsRef<str>>) -> Self {
        for name in names {
            let name = name.as_ref();
            match HeaderName::try_from(name) {
                Ok(name) => self.headers.push(name),
                Err(_) => self
                    .mistakes
                    .push(format!("cors: {name:?} is no name of a header")),
            }
        }
        self
    }

    /// Sets how long browsers may cache the result of a preflight request; two hours by default.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    pub(super) fn is_for_any(&self) -> bool {
        self.origins.iter().any(Origin::is_any)
    }

    pub(crate) fn mistakes(&self) -> impl Iterator<Item = &str> {
        let contradiction = (self.is_for_any() && self.with_credentials).then_some(
            "cors: any origin (`*`) and credentials together would let every page act as its visitor: name the origins, \
             or leave `with_credentials` out",
        );
        self.mistakes.iter().map(String::as_str).chain(contradiction)
    }
}
