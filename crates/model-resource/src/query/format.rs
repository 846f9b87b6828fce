//! The format of a list: `format=csv`.

use http::Uri;

use crate::pipeline::Result;
use crate::query::parameters::only_value;

/// Request extension that marks an export: CSV or NDJSON, a file for other programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExportRequested;

/// Returns the format that the request names, if any. It is read before the other parameters.
pub(crate) fn read_format(uri: &Uri) -> Result<Option<String>> {
    only_value(uri, "format")
}
