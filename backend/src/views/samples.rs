//! Samples: every column type.

use crate::extensions::api;
use crate::models::Sample;

/// All six operations on samples.
#[api::model_resource(Sample, "/samples", "/samples/<uuid:id>")]
pub struct SampleResource;
