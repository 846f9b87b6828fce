//! Registration of the document with an api.

use std::sync::Arc;

use crate::api::Api;
use crate::openapi::info::OpenApiInfo;
use crate::openapi::view::{DocumentView, respond};
use crate::resource::BuiltInView;

impl Api {
    /// Serves an OpenAPI 3.1 document of the api at `openapi.json` below the prefix.
    ///
    /// The document is made from the same columns, constraints and operations that serve requests. An application that
    /// answers this URL itself is rejected at startup.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("blog").prefix("/api/v1").openapi();
    /// ```
    pub fn openapi(self) -> Self {
        self.openapi_info(OpenApiInfo::new())
    }

    /// Serves an OpenAPI document like [`Api::openapi`], with this title, version and description.
    pub fn openapi_info(self, info: OpenApiInfo) -> Self {
        let document = Arc::new(DocumentView::new(self.name(), info));
        let view = move |cx| respond(Arc::clone(&document), cx);
        self.built_in(BuiltInView::new("Api::openapi()", "/openapi.json", view))
    }
}
