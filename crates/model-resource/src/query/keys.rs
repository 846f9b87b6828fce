//! Keys of the objects that a query names: `?id=1&id=2`.

use std::borrow::Cow;

use model_resource_schema::naming::Quoted;

use crate::pipeline::{Error, Result};
use crate::query::parameters::Parameters;
use crate::query::parameters::QueryString;

/// Returns the values of the only parameter allowed, apart from the `foreign` ones.
pub(crate) fn read_keys(query: &QueryString, name: &str, foreign: &[&str]) -> Result<Vec<String>> {
    let mut parameters = Parameters::of(query)?;
    let keys = parameters.take_all(name);
    if let Some(unknown) = parameters.find(|name| !foreign.contains(&name)) {
        return Err(Error::bad_parameter(format!(
            "Unknown parameter {}: name the objects by their keys, as in \"?{name}=1&{name}=2\".",
            Quoted(unknown)
        )));
    }
    if keys.is_empty() {
        return Err(Error::bad_parameter(format!(
            "Name the objects by their keys, as in \"?{name}=1&{name}=2\"."
        )));
    }
    Ok(keys.into_iter().map(Cow::into_owned).collect())
}
