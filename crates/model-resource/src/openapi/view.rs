//! View that sends the document of the caller.

use std::convert::Infallible;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use foldhash::quality::FixedState;
use futures_util::stream;
use http::{HeaderValue, StatusCode, header};
use tokio::sync::OnceCell;

use crate::access::Caller;
use crate::description::DescriptionKey;
use crate::handle::Reply;
use crate::openapi::document::DocumentSource;
use crate::pipeline::{ApiState, Context, Result, build_document};

/// Maximum documents that are kept. Callers with the same rights share one.
const MAX_DOCUMENTS: usize = 32;

/// Text of a document.
#[derive(Clone)]
struct DocumentText {
    /// Text after the opening brace, without `servers`.
    rest: Bytes,
    digest: u64,
}

impl DocumentText {
    fn new(text: Vec<u8>) -> Self {
        let rest = Bytes::from(text).slice(1..);
        Self {
            digest: digest(&rest),
            rest,
        }
    }
}

/// Documents of an api, built when they are first needed.
#[derive(Default)]
pub(super) struct DocumentView {
    source: OnceLock<DocumentSource>,
    /// Documents by what their callers can use, the most recently used last.
    documents: Mutex<Vec<(DescriptionKey, Arc<OnceCell<DocumentText>>)>>,
}

impl DocumentView {
    /// Cell of the document for callers with this key. Requests for the same document wait for one of them to build it.
    fn cell(&self, key: DescriptionKey) -> Arc<OnceCell<DocumentText>> {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let known = documents.iter().position(|(known, _)| *known == key);
        let entry = match known {
            Some(position) => documents.remove(position),
            None => (key, Arc::default()),
        };
        if documents.len() >= MAX_DOCUMENTS {
            documents.remove(0);
        }
        let cell = Arc::clone(&entry.1);
        documents.push(entry);
        cell
    }

    /// Source of the documents, made with the first of them.
    fn source(&self, services: &ApiState) -> &DocumentSource {
        self.source.get_or_init(|| {
            let anonymous = services.description_key(&Caller::anonymous());
            let anonymous = services.describer.describe(&anonymous);
            DocumentSource::new(services.describer.whole(), &anonymous, services.openapi.clone())
        })
    }
}

/// Text of the caller's document.
async fn document(view: &Arc<DocumentView>, cx: &Context) -> Result<DocumentText> {
    let services = Arc::clone(cx.services());
    let key = services.description_key(cx.caller());
    let cell = view.cell(key.clone());
    let view = Arc::clone(view);
    let build = || {
        build_document(move || {
            let description = services.describer.describe(&key);
            DocumentText::new(view.source(&services).document(&description))
        })
    };
    cell.get_or_try_init(build).await.cloned()
}

/// Sends the document.
pub(super) async fn respond(view: Arc<DocumentView>, cx: Context) -> Result<Reply> {
    let document = document(&view, &cx).await?;
    let servers = view.source(cx.services()).servers(cx.outer_prefix());
    let head = format!("{{\"servers\":{servers},");
    let etag = etag(&head, document.digest);
    let is_known = cx
        .headers()
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| matches(known, &etag));
    let mut response = if is_known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let length = head.len() + document.rest.len();
        let parts = [Bytes::from(head), document.rest].map(Ok::<_, Infallible>);
        let mut response = Response::new(Body::from_stream(stream::iter(parts)));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        response
    };
    let caching = if cx.caller().is_authenticated() {
        "private, no-cache"
    } else {
        "no-cache"
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(header::VARY, HeaderValue::from_static("authorization, cookie"));
    if let Ok(etag) = HeaderValue::try_from(etag) {
        headers.insert(header::ETAG, etag);
    }
    Ok(response.into())
}

/// Entity tag of a document with this beginning.
fn etag(head: &str, digest_of_rest: u64) -> String {
    format!("\"{:016x}{digest_of_rest:016x}\"", digest(head.as_bytes()))
}

/// Digest of a text, which is the same in every process. Applications write the text, not their clients, so it need not
/// withstand forgery.
fn digest(text: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(text)
}

/// Whether `If-None-Match` names the entity tag.
fn matches(header: &HeaderValue, etag: &str) -> bool {
    let tags = header.to_str().unwrap_or_default().split(',');
    let mut tags = tags.map(|tag| tag.trim().trim_start_matches("W/"));
    tags.any(|tag| tag == etag || tag == "*")
}
