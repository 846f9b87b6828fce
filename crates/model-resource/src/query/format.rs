//! The format of a list: `format=csv`.

use http::Uri;

use crate::error::Result;
use crate::query::parameters::only_value;

/// On a request whose answer is a file for other programs, CSV or NDJSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExportRequested;

/// The format that a request names, if it names one. It is read before anything else of the query.
pub(crate) fn read_format(uri: &Uri) -> Result<Option<String>> {
    only_value(uri, "format")
}
