//! The format of a list: `format=csv`.

use crate::pipeline::Result;
use crate::query::parameters::only_value;
use crate::query::query_string::QueryString;

/// Request extension that marks an export: CSV or NDJSON, a file for other programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExportRequested;

/// Returns the format that the request names, if any. It is read before the other parameters.
pub(crate) fn read_format(query: &QueryString) -> Result<Option<&str>> {
    only_value(query, "format")
}
