//! What loaders leave for handlers.

use std::sync::{Arc, Mutex, OnceLock};

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Record;
use model_resource_schema::serializer::CompiledSerializer;
use model_resource_schema::value::Value;
use model_resource_store::RowKey;

use crate::query::{ListRequest, PageStats};

/// What the loaders found, until a handler takes it.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) object: Option<LoadedObject>,
    /// The stored value of the column by which the URL has identified a row, unless that is the primary key.
    pub(crate) url_value: Option<Value>,
    pub(crate) rows: Option<Arc<ListRequest>>,
    /// What a handler has seen of the page, if it has read it.
    pub(crate) page_stats: Arc<OnceLock<PageStats>>,
    pub(crate) draft: Option<AnyDraft>,
    pub(crate) errors: Option<Errors>,
    /// The serializer that loaded the draft.
    pub(crate) plan: Option<Arc<CompiledSerializer>>,
    /// The serializer by which a handler has loaded a draft itself.
    pub(crate) handler_plan: OnceLock<Arc<CompiledSerializer>>,
    /// The serializers whose batch checks run again in the transaction of a write, the last one loaded at the end.
    pub(crate) write_checks: Mutex<Vec<Arc<CompiledSerializer>>>,
}

/// The object that a URL names. It is read when it is used: most operations need no copy of it.
pub(crate) enum LoadedObject {
    Key(RowKey),
    Row(Record),
}
