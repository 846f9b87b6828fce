//! Keys of the objects that a query names: `?id=1&id=2`.

use http::Uri;
use model_resource_schema::naming::Quoted;

use crate::pipeline::{Error, Result};
use crate::query::parameters::Parameters;

/// Returns the values of the only parameter allowed, apart from the `foreign` ones.
pub(crate) fn read_keys(uri: &Uri, name: &str, foreign: &[&str]) -> Result<Vec<String>> {
    let mut parameters = Parameters::of(uri)?;
    let keys = parameters.take_all(name);
    let mut unknown = parameters.rest().into_iter().map(|(unknown, _)| unknown);
    if let Some(unknown) = unknown.find(|unknown| !foreign.contains(&unknown.as_str())) {
        return Err(Error::bad_parameter(format!(
            "Unknown parameter {}: name the objects by their keys, as in \"?{name}=1&{name}=2\".",
            Quoted(&unknown)
        )));
    }
    if keys.is_empty() {
        return Err(Error::bad_parameter(format!(
            "Name the objects by their keys, as in \"?{name}=1&{name}=2\"."
        )));
    }
    Ok(keys)
}
