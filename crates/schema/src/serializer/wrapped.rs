//! Serializers whose objects stand under a single key.

use std::marker::PhantomData;

use crate::draft::Draft;
use crate::errors::Errors;
use crate::model::Model;
use crate::naming;
use crate::serializer::declaration::{Envelope, WriteMode};
use crate::serializer::fields::Fields;
use crate::serializer::model_serializer::{ModelSerializer, RegisteredSerializer, SerializerRole};
use crate::serializer::serializer_fields::SerializerFields;

/// Wraps what another serializer writes, and unwraps what it reads: a `Tag` stands under `tag`, a list under `tags`.
///
/// The keys are the model's name with its first letter in lower case, and its plural; a serializer that returns an
/// envelope of its own chooses others. Nested in another serializer, its objects are wrapped as well.
pub struct WrappedSerializer<S>(PhantomData<fn() -> S>);

impl<S: ModelSerializer> ModelSerializer for WrappedSerializer<S> {
    type Model = S::Model;
    const FIELDS: Fields = S::FIELDS;
    const EXCLUDE: Fields = S::EXCLUDE;
    const READ_ONLY: Fields = S::READ_ONLY;
    const WRITE_ONLY: Fields = S::WRITE_ONLY;
    const REQUIRED: Fields = S::REQUIRED;
    const OPTIONAL: Fields = S::OPTIONAL;

    fn fields(fields: SerializerFields<S::Model>) -> SerializerFields<S::Model> {
        S::fields(fields)
    }

    fn validate(draft: &Draft<S::Model>, onto: WriteMode, errors: &mut Errors) {
        S::validate(draft, onto, errors);
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
