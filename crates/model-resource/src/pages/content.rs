//! Input of a page: the JSON response that it shows, the request, and further JSON on demand.

use std::sync::Arc;

use axum::body::Bytes;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Method, StatusCode, header};

use crate::access::{Caller, CsrfToken};
use crate::description::{ActionDescription, PolicySentence};
use crate::pages::page_json::PageJson;

/// JSON response that a page shows.
#[derive(Debug, Clone)]
pub(crate) struct PageContent<'a> {
    /// Status of the response.
    pub(crate) status: StatusCode,
    /// Headers of the response.
    pub(crate) headers: HeaderMap,
    /// Body of the response; null if it has none.
    pub(crate) json: PageJson<'a>,
}

impl PageContent<'_> {
    /// Version of the object that the page shows.
    pub(crate) fn version(&self) -> String {
        version(&self.headers)
    }
}

/// Version of an object: its strong tag, or an empty text if it has none.
fn version(headers: &HeaderMap) -> String {
    let tag = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
    let tag = tag.filter(|tag| tag.starts_with('"'));
    tag.unwrap_or_default().to_owned()
}

/// Response to a request that a page has made.
#[derive(Debug, Clone)]
pub(crate) struct FetchedResponse {
    /// Status of the response.
    pub(crate) status: StatusCode,
    /// Headers of the response.
    pub(crate) headers: HeaderMap,
    /// Body of the response.
    pub(crate) body: Bytes,
}

impl FetchedResponse {
    /// Response without a body.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    /// JSON of the body; null if it is something else.
    pub(crate) fn json(&self) -> PageJson<'_> {
        PageJson::parse(&self.body).unwrap_or_default()
    }

    /// Version of the object of the response.
    pub(crate) fn version(&self) -> String {
        version(&self.headers)
    }

    /// Total number of rows of a list, if the response has it.
    pub(crate) fn total(&self) -> Option<u64> {
        self.headers.get("x-total-count")?.to_str().ok()?.parse().ok()
    }
}

/// View of a URL, chosen by the parameter `_view`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PageView {
    /// List or object.
    #[default]
    Show,
    /// Form that changes the object.
    Edit,
    /// Form that creates an object in the list.
    New,
    /// Confirmation of a deletion, with the rows that it affects.
    Delete,
    /// Import of a file into the list.
    Import,
    /// List with its SQL, query plan and missing indexes, for callers who see diagnostics.
    Explain,
    /// JSON of the response in the frame of a page.
    Json,
}

impl PageView {
    /// View of this name in `_view`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "edit" => Self::Edit,
            "new" => Self::New,
            "delete" => Self::Delete,
            "import" => Self::Import,
            "explain" => Self::Explain,
            "json" => Self::Json,
            _ => return None,
        })
    }
}

/// Request that a page answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageRequest {
    /// Path of the URL, percent-encoded as the client sent it, with the prefix that a proxy strips.
    pub(crate) path: String,
    /// Decoded query parameters, without those of pages (`_view`, `_form`, `_next`, `_from`).
    pub(crate) query: Vec<(String, String)>,
    /// Parameters that the page adds to those of the client: the size of a list's page, and the expanded relations.
    pub(crate) defaults: Vec<(String, String)>,
    /// View of the URL.
    pub(crate) view: PageView,
    /// Path to return to after a write or a login, from `_next`; a path of this origin.
    pub(crate) next: Option<String>,
    /// Key of the object in the list that a new one begins as a copy of, from `_from`.
    pub(crate) from: Option<String>,
    /// Caller of the request.
    pub(crate) caller: Caller,
    /// Header that writes must send, if the caller has a session.
    pub(crate) csrf: Option<CsrfToken>,
    /// Scheme and authority of the request, such as `http://127.0.0.1:8000`, for commands to copy.
    pub(crate) origin: String,
    /// Prefix that a proxy strips; empty if none does.
    pub(crate) mount: String,
    /// Action of the URL for GET, from the caller's description; `None` if the URL has none for this caller.
    pub(crate) action: Option<Arc<ActionDescription>>,
    /// Actions of the same URL for all methods that the caller may use.
    pub(crate) actions: Vec<Arc<ActionDescription>>,
    /// Names and URL patterns of the documents that describe the api.
    pub(crate) documents: Vec<(&'static str, String)>,
    /// Whether some callers may change or delete the object of the URL.
    pub(crate) is_writable: bool,
    /// Whether this is the overview at the prefix.
    pub(crate) is_overview: bool,
    /// State of the application, on the overview only and only for callers who see diagnostics:
    /// `{"health": {"status", ..}, "errors": [{"time", "method", "url", "status", "requestId", "message"}],
    /// "slow": [{"time", "method", "url", "milliseconds"}]}`. Missing members are not shown.
    pub(crate) diagnostics: Option<serde_json::Value>,
    /// Whether the caller sees diagnostics such as the SQL of lists.
    pub(crate) sees_diagnostics: bool,
    /// Sentences about the policy of the URL's model, as it applies to the caller. Empty if the model has none.
    pub(crate) policy_sentences: Vec<PolicySentence>,
}

impl PageRequest {
    /// Action of the URL for this method, if the caller may use it.
    pub(crate) fn action_of(&self, method: &str) -> Option<&ActionDescription> {
        let mut actions = self.actions.iter();
        let action = actions.find(|action| action.route.method == method);
        action.map(Arc::as_ref)
    }
}

/// Access to further JSON as the same caller, without a connection.
pub(crate) trait Fetch: Send + Sync {
    /// Answers a GET of this path and query, which begins with the prefix of the api, without that of a proxy.
    fn get(&self, path_and_query: String) -> BoxFuture<'_, FetchedResponse>;

    /// Whether the policy of its model lets the caller use a method on the object at this path. True if that cannot be
    /// found out in time: the method itself refuses what is not allowed.
    fn permits(&self, method: Method, path: String) -> BoxFuture<'_, bool>;

    /// Fields of the object at this path that the caller may change on other objects only. Empty if that cannot be found
    /// out in time.
    fn frozen_fields(&self, path: String) -> BoxFuture<'_, Vec<String>>;

    /// Explains the list at this path and query, if the caller sees diagnostics.
    fn explain(&self, path_and_query: String) -> BoxFuture<'_, Option<serde_json::Value>>;
}
