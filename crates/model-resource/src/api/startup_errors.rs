//! Mistakes that keep an api from being served.

/// Mistakes in the registrations of an api, each with its remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartupErrors(Vec<String>);

impl StartupErrors {
    pub(super) fn new(mistakes: Vec<String>) -> Self {
        Self(mistakes)
    }

    /// The mistakes, in the order of registration.
    pub fn mistakes(&self) -> &[String] {
        &self.0
    }
}

impl std::fmt::Display for StartupErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the api cannot be served:\n- {}", self.0.join("\n- "))
    }
}

impl std::error::Error for StartupErrors {}
