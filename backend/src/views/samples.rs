//! Samples: every column type.

use crate::api::{CREATE, Columns, DELETE, ModelResource, Operations, PATCH, PUT};
use crate::extensions::api;
use crate::models::Sample;

/// All six operations on samples, with bulk writes and increments.
pub struct SampleResource;

#[api::model_resource(Sample, "/samples", "/samples/<uuid:id>")]
impl ModelResource for SampleResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const INCREMENT: Columns<Sample> = Columns::of(Sample::BIG);
    const PUBLIC: bool = true;
}
