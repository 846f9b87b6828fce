//! The trait that a serializer implements, and what it may declare.

use crate::draft::{AnyDraft, Draft};
use crate::errors::Errors;
use crate::model::Model;
use crate::serializer::declaration::{Declaration, Envelope, SerializerType, WriteMode};
use crate::serializer::fields::Fields;
use crate::serializer::serializer_fields::SerializerFields;

/// Turns instances of a model into JSON and back: every column, in lowerCamelCase, with the column's type.
///
/// Only `Model` is required; everything else has the default that suits most models.
pub trait ModelSerializer: Sized + Send + Sync + 'static {
    /// The model.
    type Model: Model;
    /// The only columns that leave or enter.
    const FIELDS: Fields = Fields::ALL;
    /// Columns that neither leave nor enter.
    const EXCLUDE: Fields = Fields::NONE;
    /// Columns that leave and are ignored when they come in.
    const READ_ONLY: Fields = Fields::NONE;
    /// Columns that enter and never leave.
    const WRITE_ONLY: Fields = Fields::NONE;
    /// Columns that clients must send when they create or replace an object, and never as null, although the model has a
    /// default for them or lets them be null.
    const REQUIRED: Fields = Fields::NONE;
    /// Columns that clients may leave out although the model needs a value, since a hook or a handler supplies it. If
    /// nothing does, the object is refused as without this.
    const OPTIONAL: Fields = Fields::NONE;

    /// Adds extra inputs, computed fields, nested serializers, checks and hooks.
    fn fields(fields: SerializerFields<Self::Model>) -> SerializerFields<Self::Model> {
        fields
    }

    /// Checks the object as a whole, after each field was checked by itself.
    fn validate(draft: &Draft<Self::Model>, onto: WriteMode, errors: &mut Errors) {
        let _ = (draft, onto, errors);
    }

    /// The single key that the object stands under, if it does; see [`WrappedSerializer`](super::WrappedSerializer).
    fn envelope() -> Option<Envelope> {
        None
    }
}

/// A serializer that an api can be given; the attribute `#[serializer]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not marked as a serializer",
    label = "this serializer has no #[serializer] attribute",
    note = "put #[serializer] above `impl ModelSerializer for {Self}`"
)]
pub trait RegisteredSerializer: ModelSerializer {
    /// What the serializer is registered for.
    const ROLE: SerializerRole;
    /// Whether [`ModelSerializer::validate`] looks at the object as a whole, so that an update must be checked
    /// against the very row it changes.
    const VALIDATES: bool = true;
}

/// What a serializer is registered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SerializerRole {
    /// Single instances, and lists and creation unless another is registered for them.
    Single,
    /// Lists.
    Many,
    /// Loading on create.
    Create,
}

/// What the serializer says of itself, without its types.
pub(super) fn declaration_of<S: ModelSerializer>() -> Declaration {
    Declaration {
        serializer: SerializerType::of::<S>(),
        table: S::Model::table(),
        fields: S::FIELDS,
        exclude: S::EXCLUDE,
        read_only: S::READ_ONLY,
        write_only: S::WRITE_ONLY,
        required: S::REQUIRED,
        optional: S::OPTIONAL,
        envelope: S::envelope(),
        validate: validate_whole::<S>,
        added: S::fields(SerializerFields::new()).added,
    }
}

/// Lends the draft to the serializer's own check under the model's type.
fn validate_whole<S: ModelSerializer>(draft: &mut AnyDraft, onto: WriteMode, errors: &mut Errors) {
    let typed = Draft::<S::Model>::from_any(draft.take());
    S::validate(&typed, onto, errors);
    *draft = typed.into_any();
}
