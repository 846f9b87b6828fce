//! Projection: `fields=id,title`, `expand=author,comments.author`.

use std::sync::Arc;

use model_resource_schema::naming::Quoted;
use model_resource_schema::serializer::{Projection, Selection};

use crate::pipeline::Result;
use crate::query::parameters::QueryString;
use crate::query::parameters::{Parameters, invalid_parameter};

/// Maximum names in `fields`.
pub(super) const MAX_FIELDS: usize = 100;
/// Maximum relations in `expand`.
pub(super) const MAX_RELATIONS: usize = 10;

/// Applies `fields` and `expand` of an object's URL to the projection. Other parameters are left to the handler.
pub(crate) fn read_selection(projection: &Arc<Projection>, query: &QueryString) -> Result<Arc<Projection>> {
    take_selection(projection, &mut Parameters::of(query)?)
}

/// Applies `fields` and `expand` to the projection.
pub(super) fn take_selection(
    projection: &Arc<Projection>,
    parameters: &mut Parameters<'_>,
) -> Result<Arc<Projection>> {
    let (fields, expand) = (parameters.take("fields")?, parameters.take("expand")?);
    if fields.is_none() && expand.is_none() {
        return Ok(Arc::clone(projection));
    }
    let selection = Selection {
        fields: names("fields", fields.as_deref(), MAX_FIELDS)?,
        expand: names("expand", expand.as_deref(), MAX_RELATIONS)?,
    };
    if let Some(far) = selection
        .expand
        .iter()
        .find(|name| name.split('.').count() > Projection::MAX_HOPS)
    {
        return Err(invalid_parameter(
            "expand",
            format!("{} follows too many relations.", Quoted(far)),
        ));
    }
    Ok(Arc::new(projection.select(&selection)?))
}

fn names<'t>(name: &str, text: Option<&'t str>, max: usize) -> Result<Vec<&'t str>> {
    let names: Vec<&str> = text.map(|text| text.split(',').collect()).unwrap_or_default();
    if names.len() > max {
        return Err(invalid_parameter(
            name,
            format!("There are more than {max} names in it."),
        ));
    }
    Ok(names)
}
