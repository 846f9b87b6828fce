//! The format of a list: `format=csv`.

use http::Uri;

use crate::error::{Error, Result};
use crate::query::parameters::pairs_of;

/// The format that a request names, if it names one. It is read before anything else of the query, and without making
/// anything of the rest: most requests name none.
pub(crate) fn read_format(uri: &Uri) -> Result<Option<String>> {
    let mut formats = pairs_of(uri)
        .filter(|(name, _)| **name == *b"format")
        .map(|(_, value)| String::from_utf8_lossy(&value).into_owned());
    let format = formats.next();
    if formats.next().is_some() {
        return Err(Error::bad_parameter("The parameter \"format\" is given twice."));
    }
    Ok(format)
}
