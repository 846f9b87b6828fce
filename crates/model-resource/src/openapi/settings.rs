//! Settings of an api's document.

use serde_json::Value;

use crate::access::CredentialScheme;
use crate::openapi::info::OpenApiInfo;

/// Settings of an api's document.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenApiSettings {
    pub(crate) info: OpenApiInfo,
    /// Documents that are merged into that of the api.
    pub(crate) merged: Vec<Value>,
    /// Credentials that clients can send; `None` if the api authenticates nobody.
    pub(crate) credentials: Option<Vec<CredentialScheme>>,
}
