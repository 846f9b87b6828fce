//! Body of a change of the password.

use serde::Deserialize;

#[cfg(feature = "openapi")]
use crate::account::MAX_PASSWORD;

/// Body with the current and the new password.
#[derive(Deserialize)]
#[cfg_attr(feature = "openapi", derive(model_resource::schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", schemars(crate = "model_resource::schemars"))]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Passwords {
    pub(super) password: String,
    // The minimum of the account replaces this one in its document.
    #[cfg_attr(feature = "openapi", schemars(length(min = 8, max = MAX_PASSWORD)))]
    pub(super) new_password: String,
}
