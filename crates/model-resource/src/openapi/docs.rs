//! Docs page: Swagger UI with the document of the api.

use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::response::Response;
use hmac_sha256::Hash;
use http::{HeaderValue, header};
use model_resource_swagger_ui::{BUNDLE, File, STYLESHEET};

use crate::api::Api;
use crate::handle::Reply;
use crate::http::Coding;
use crate::pipeline::Context;
use crate::resource::BuiltInView;

/// Script that starts Swagger UI.
const SCRIPT: &str = include_str!("docs.js");
/// Stylesheet that corrects that of Swagger UI for accessibility and phones.
const CORRECTIONS: &str = include_str!("docs.css");
/// Policy of the page: everything comes from the api itself, and nothing is inline.
const CONTENT_SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// Files have a hash of their content in their names.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");

impl Api {
    /// Serves the OpenAPI document like [`Api::openapi`], and a page at `docs` below the prefix that shows it and sends
    /// requests: Swagger UI.
    ///
    /// The page works offline and under a strict content security policy. Requests that it sends are authenticated by the
    /// session of the browser, whose CSRF token it adds to writes, or by a bearer token that is entered on the page.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("blog").prefix("/api/v1").docs();
    /// ```
    pub fn docs(self) -> Self {
        let script = hashed("docs.js", SCRIPT.as_bytes());
        let corrections = hashed("docs.css", CORRECTIONS.as_bytes());
        let (bundle, stylesheet) = (hashed_file(&BUNDLE), hashed_file(&STYLESHEET));
        let files = PageFiles {
            script: script.clone(),
            bundle: bundle.clone(),
            stylesheet: stylesheet.clone(),
            corrections: corrections.clone(),
        };
        let title = self.name().to_owned();
        let page = move |cx: Context| {
            let page = page(&cx, &title, &files);
            async move { Ok(page) }
        };
        self.openapi()
            .built_in(
                BuiltInView::new(NAME, "/docs", page)
                    .into_asset()
                    .into_document("docs", "service-doc"),
            )
            .built_in(text_view(script, "text/javascript; charset=utf-8", SCRIPT))
            .built_in(text_view(corrections, "text/css; charset=utf-8", CORRECTIONS))
            .built_in(file_view(bundle, BUNDLE))
            .built_in(file_view(stylesheet, STYLESHEET))
    }
}

/// Name of the views in messages.
const NAME: &str = "Api::docs()";

/// URLs of the files that the page loads, below the prefix.
struct PageFiles {
    script: String,
    bundle: String,
    stylesheet: String,
    corrections: String,
}

fn page(cx: &Context, title: &str, files: &PageFiles) -> Reply {
    let url = |path: &str| {
        let known = cx.services().built_in.iter().find(|known| known.path == path);
        let url = known.and_then(|known| known.rule.build(|name| cx.params().get(name)).ok());
        escaped(&cx.external_url(url.unwrap_or_default()))
    };
    let html = format!(
        "<!doctype html>\n\
         <html lang=\"en\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}: documentation</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <link rel=\"stylesheet\" href=\"{stylesheet}\">\n\
         <link rel=\"stylesheet\" href=\"{corrections}\">\n\
         <script src=\"{bundle}\" defer></script>\n\
         <script src=\"{script}\" defer></script>\n\
         </head>\n\
         <body>\n\
         <div id=\"docs\" data-document=\"{document}\" data-index=\"{index}\"></div>\n\
         <noscript><p>This page needs JavaScript. The document is <a href=\"{document}\">here</a>.</p></noscript>\n\
         </body>\n\
         </html>\n",
        title = escaped(title),
        stylesheet = url(&files.stylesheet),
        corrections = url(&files.corrections),
        bundle = url(&files.bundle),
        script = url(&files.script),
        document = url("/openapi.json"),
        index = url(""),
    );
    let mut response = reply("text/html; charset=utf-8", html.into_bytes(), NO_CACHE);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response.into()
}

/// View of a text of this crate.
fn text_view(url: String, media_type: &'static str, text: &'static str) -> BuiltInView {
    let view = move |_| async move { Ok(reply(media_type, text, IMMUTABLE).into()) };
    BuiltInView::new(NAME, url, view).into_asset()
}

/// View of a compressed file. It is inflated once, since that takes longer than all the rest of a response.
fn file_view(url: String, file: File) -> BuiltInView {
    let inflated: OnceLock<Bytes> = OnceLock::new();
    let view = move |cx: Context| {
        let response = if Coding::Gzip.is_accepted(cx.headers()) {
            let mut response = reply(file.media_type, file.gzip, IMMUTABLE);
            response
                .headers_mut()
                .insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            response
        } else {
            let content = inflated.get_or_init(|| file.inflated().into());
            reply(file.media_type, content.clone(), IMMUTABLE)
        };
        let response: Reply = response.into();
        let vary = HeaderValue::from_static("accept-encoding");
        async move { Ok(response.with_header(header::VARY, vary)) }
    };
    BuiltInView::new(NAME, url, view).into_asset()
}

fn reply(media_type: &'static str, body: impl Into<Body>, caching: HeaderValue) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, caching);
    response
}

fn hashed_file(file: &File) -> String {
    hashed(file.name, file.gzip)
}

/// URL of a file with a hash of its content: `/docs/docs-0f3a.js`.
fn hashed(name: &str, content: &[u8]) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let hash: String = Hash::hash(content)[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("/docs/{stem}-{hash}.{ending}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    #[test]
    fn gzip_is_accepted_unless_it_is_refused() {
        for (accepted, expected) in [
            ("gzip", true),
            ("br, gzip;q=0.5", true),
            ("*", true),
            ("gzip;q=0", false),
            ("*, gzip;q=0", false),
            ("*;q=0, gzip", true),
            ("gzip; q=0.0", false),
            ("br", false),
            ("", false),
        ] {
            let headers =
                HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted))]);
            assert_eq!(Coding::Gzip.is_accepted(&headers), expected, "{accepted:?}");
        }
        assert!(!Coding::Gzip.is_accepted(&HeaderMap::new()));
    }
}
