//! Files of Swagger UI, compressed: what the docs page of `model-resource` loads.
//!
//! ```
//! let stylesheet = model_resource_swagger_ui::STYLESHEET;
//! assert_eq!(stylesheet.media_type, "text/css");
//! assert!(stylesheet.gzip.len() < stylesheet.inflated().len() / 4);
//! ```

use std::io::Read;

use flate2::read::GzDecoder;

/// Version of Swagger UI.
pub const VERSION: &str = "5.34.1";

/// Script of Swagger UI, which defines `SwaggerUIBundle`.
pub const BUNDLE: File = File {
    name: "swagger-ui-bundle.js",
    media_type: "text/javascript",
    gzip: include_bytes!("../assets/swagger-ui-bundle.js.gz"),
};

/// Stylesheet of Swagger UI.
pub const STYLESHEET: File = File {
    name: "swagger-ui.css",
    media_type: "text/css",
    gzip: include_bytes!("../assets/swagger-ui.css.gz"),
};

/// File of Swagger UI.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// Name of the file.
    pub name: &'static str,
    /// Media type.
    pub media_type: &'static str,
    /// Content, compressed by gzip.
    pub gzip: &'static [u8],
}

impl File {
    /// Content, for clients that do not accept gzip.
    pub fn inflated(&self) -> Vec<u8> {
        let mut content = Vec::new();
        let mut decoder = GzDecoder::new(self.gzip);
        decoder
            .read_to_end(&mut content)
            .expect("the file was compressed by gzip");
        content
    }
}
