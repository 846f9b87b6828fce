//! Registration of the document with an api, and the document of a compiled api.

use std::sync::Arc;

use serde_json::Value;

use crate::access::Caller;
use crate::api::{Api, CompiledApi};
use crate::description::ApiDescription;
use crate::openapi::document::DocumentSource;
use crate::openapi::info::OpenApiInfo;
use crate::openapi::view::{DocumentView, respond};
use crate::resource::BuiltInView;

impl Api {
    /// Serves an OpenAPI 3.1 document of the api at `openapi.json` below the prefix.
    ///
    /// The document is made from the same columns, constraints and operations that serve requests, and it has the part of
    /// the api that the caller can use. An application that answers this URL itself is rejected at startup.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("blog").prefix("/api/v1").openapi();
    /// ```
    pub fn openapi(mut self) -> Self {
        if self.openapi_settings().is_some() {
            return self;
        }
        self.openapi_settings_mut();
        let view = Arc::new(DocumentView::default());
        let view = move |cx| respond(Arc::clone(&view), cx);
        let view = BuiltInView::new("Api::openapi()", "/openapi.json", view);
        self.built_in(view.into_document("openapi", "service-desc"))
    }

    /// Serves an OpenAPI document like [`Api::openapi`], with this title, version and description.
    pub fn openapi_info(self, info: OpenApiInfo) -> Self {
        let mut api = self.openapi();
        api.openapi_settings_mut().info = info;
        api
    }

    /// Serves an OpenAPI document like [`Api::openapi`], together with the paths, components and tags of another
    /// document: that of utoipa or aide for the application's own axum routes. Where both have the same part, that of the
    /// api is kept.
    ///
    /// ```
    /// use model_resource::Api;
    /// use serde_json::json;
    ///
    /// let own = json!({
    ///     "paths": {"/healthz": {"get": {"responses": {"200": {"description": "The service works."}}}}},
    /// });
    /// let api = Api::new("blog").openapi_merge(own);
    /// ```
    pub fn openapi_merge(self, document: impl Into<Value>) -> Self {
        let mut api = self.openapi();
        api.openapi_settings_mut().merged.push(document.into());
        api
    }
}

impl CompiledApi {
    /// OpenAPI document of the whole api.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let document = Api::new("blog").compile().openapi_document();
    /// assert_eq!(document["info"]["title"], "blog");
    /// ```
    pub fn openapi_document(&self) -> Value {
        self.document_of(&self.describe())
    }

    /// OpenAPI document of the part of the api that a caller can use; see [`CompiledApi::describe_for`].
    pub fn openapi_document_for(&self, caller: &Caller) -> Value {
        self.document_of(&self.describe_for(caller))
    }

    fn document_of(&self, part: &ApiDescription) -> Value {
        let settings = self.openapi_settings();
        let source = DocumentSource::new(
            &self.describe(),
            &self.describe_for(&Caller::anonymous()),
            settings,
        );
        let document = serde_json::from_slice(&source.document(part));
        let mut document: Value = document.expect("the text of a document is JSON");
        document["servers"] = source.servers("");
        document
    }
}
