//! Results of the loaders, for handlers.

use std::sync::{Arc, Mutex, OnceLock};

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::model::Record;
use model_resource_schema::serializer::CompiledSerializer;
use model_resource_schema::value::Value;
use model_resource_store::RowKey;

use crate::list::{ListRequest, PageStats};

/// Results of the loaders, until a handler takes them.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) object: Option<LoadedObject>,
    /// Stored value of the unique column by which the URL identified a row; absent for the primary key.
    pub(crate) url_value: Option<Value>,
    pub(crate) rows: Option<Arc<ListRequest>>,
    /// Outcome of reading the page, if a handler has read it.
    pub(crate) page_stats: Arc<OnceLock<PageStats>>,
    pub(crate) draft: Option<AnyDraft>,
    pub(crate) errors: Option<Errors>,
    /// Serializer that loaded the draft.
    pub(crate) serializer: Option<Arc<CompiledSerializer>>,
    /// Serializer by which a handler has loaded a draft itself.
    pub(crate) handler_plan: OnceLock<Arc<CompiledSerializer>>,
    /// Serializers whose batch checks run again in the transaction of a write, in the order of loading.
    pub(crate) write_checks: Mutex<Vec<Arc<CompiledSerializer>>>,
}

/// Object that a URL identifies. It is read lazily, because most operations need no copy of it.
pub(crate) enum LoadedObject {
    Key(RowKey),
    Row(Record),
}
