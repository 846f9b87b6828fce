//! Serializers with an envelope.

use std::marker::PhantomData;

use crate::draft::Draft;
use crate::errors::Errors;
use crate::model::Model;
use crate::naming;
use crate::query::Columns;
use crate::serializer::declaration::{Envelope, WriteMode};
use crate::serializer::model_serializer::{ModelSerializer, RegisteredSerializer, SerializerRole};
use crate::serializer::serializer_fields::SerializerFields;

/// Wraps the output of another serializer in an envelope and unwraps its input: a `Tag` under `tag`, a list under
/// `tags`.
///
/// The keys are the model's name with its first letter in lower case, and its plural. A serializer with a custom
/// envelope chooses others. Objects nested in another serializer are wrapped as well.
pub struct WrappedSerializer<S>(PhantomData<fn() -> S>);

impl<S: ModelSerializer> ModelSerializer for WrappedSerializer<S> {
    type Model = S::Model;
    const FIELDS: Columns<S::Model> = S::FIELDS;
    const EXCLUDE: Columns<S::Model> = S::EXCLUDE;
    const READ_ONLY: Columns<S::Model> = S::READ_ONLY;
    const WRITE_ONLY: Columns<S::Model> = S::WRITE_ONLY;
    const REQUIRED: Columns<S::Model> = S::REQUIRED;
    const OPTIONAL: Columns<S::Model> = S::OPTIONAL;

    fn fields(fields: SerializerFields<S::Model>) -> SerializerFields<S::Model> {
        S::fields(fields)
    }

    fn validate(draft: &Draft<S::Model>, mode: WriteMode, errors: &mut Errors) {
        S::validate(draft, mode, errors);
    }

    fn envelope() -> Option<Envelope> {
        Some(S::envelope().unwrap_or_else(|| {
            let one = naming::lower_first(S::Model::table().model);
            Envelope {
                many: naming::plural(&one),
                one,
            }
        }))
    }
}

impl<S: RegisteredSerializer> RegisteredSerializer for WrappedSerializer<S> {
    const ROLE: SerializerRole = S::ROLE;
    const VALIDATES: bool = S::VALIDATES;
}
