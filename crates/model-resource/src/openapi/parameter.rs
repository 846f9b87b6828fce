//! Parameters of an operation.

use serde::Serialize;
use serde_json::Value;

use crate::openapi::filter::FilterParameter;

/// OperationParameter of an operation.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum OperationParameter<'d> {
    Filter(FilterParameter<'d>),
    Other(Value),
}

impl From<Value> for OperationParameter<'_> {
    fn from(value: Value) -> Self {
        Self::Other(value)
    }
}
