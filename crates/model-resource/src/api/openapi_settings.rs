//! Settings of the OpenAPI document in an api.

use crate::api::builder::Api;
use crate::api::compiled::CompiledApi;
use crate::openapi::OpenApiSettings;

impl Api {
    /// Sets the version of the application, which the OpenAPI document has unless
    /// [`OpenApiInfo::version`](crate::OpenApiInfo::version) names another one. The programs of `model-resource-cli` set
    /// that of their package.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Settings of the document, if it is served.
    pub(crate) fn openapi_settings(&self) -> Option<&OpenApiSettings> {
        self.openapi.as_ref()
    }

    /// Settings of the document, which is served from now on.
    pub(crate) fn openapi_settings_mut(&mut self) -> &mut OpenApiSettings {
        self.openapi.get_or_insert_default()
    }
}

impl CompiledApi {
    /// Settings of the document, with the credentials of the api.
    pub(crate) fn openapi_settings(&self) -> OpenApiSettings {
        let authenticator = self.api.authenticator.as_ref();
        let mut settings = self.api.openapi.clone().unwrap_or_default();
        settings.credentials = authenticator.map(|authenticator| authenticator.credentials_any());
        if let Some(version) = &self.api.version {
            settings.info.set_default_version(version);
        }
        settings
    }
}
