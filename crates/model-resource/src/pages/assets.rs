//! Static files of the pages: the stylesheet and the script.

use std::future::ready;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};

use crate::pages::settings::Asset;
use crate::resource::BuiltInView;

/// The name of a file contains a hash of it, so that a browser never has to ask for it again.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// View that sends a static file.
pub(crate) fn asset_view(asset: &Asset) -> BuiltInView {
    let (media_type, body) = (asset.media_type, asset.body.clone());
    let send = move |_| {
        let mut response = Response::new(Body::from(body.clone()));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(header::CACHE_CONTROL, FOREVER);
        ready(Ok(response.into()))
    };
    BuiltInView::new("Api::pages()", &*asset.path, send).into_asset()
}
