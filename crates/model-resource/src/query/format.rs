//! The format of a list: `format=csv`.

use http::Uri;
use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};

/// The format that a request names, if it names one. It is read before anything else of the query, and without making
/// anything of the rest: most requests name none.
pub(crate) fn read_format(uri: &Uri) -> Result<Option<String>> {
    let pairs = uri.query().unwrap_or_default().split('&');
    let mut formats = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .filter(|(name, _)| percent_decode_str(name).eq("format".bytes()))
        .map(|(_, value)| percent_decode_str(value).decode_utf8_lossy().into_owned());
    let format = formats.next();
    if formats.next().is_some() {
        return Err(Error::bad_parameter("The parameter \"format\" is given twice."));
    }
    Ok(format)
}
