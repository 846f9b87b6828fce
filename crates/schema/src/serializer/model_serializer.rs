//! The trait that serializers implement, and their registration.

use crate::draft::{AnyDraft, Draft};
use crate::errors::Errors;
use crate::model::Model;
use crate::query::Columns;
use crate::serializer::declaration::{Declaration, Envelope, SerializerType, WriteMode};
use crate::serializer::serializer_fields::SerializerFields;

/// Converts instances of a model to JSON and back: by default every column, in lowerCamelCase, with the column's
/// type.
///
/// Only `Model` is required; the defaults suit most models.
pub trait ModelSerializer: Sized + Send + Sync + 'static {
    /// Serialized model.
    type Model: Model;
    /// Allow list: all other columns are neither read nor written.
    const FIELDS: Columns<Self::Model> = Columns::all();
    /// Columns that are neither read nor written.
    const EXCLUDE: Columns<Self::Model> = Columns::none();
    /// Columns that are written, and ignored on input.
    const READ_ONLY: Columns<Self::Model> = Columns::none();
    /// Columns that are accepted on input and never written.
    const WRITE_ONLY: Columns<Self::Model> = Columns::none();
    /// Columns that clients must send on create and replace, and never as null, although the model has a default for
    /// them or allows null.
    const REQUIRED: Columns<Self::Model> = Columns::none();
    /// Columns that clients may omit although the model needs a value, since a hook or a handler supplies it. If
    /// nothing does, the object is rejected as usual.
    const OPTIONAL: Columns<Self::Model> = Columns::none();

    /// Adds extra fields, computed fields, nested serializers, checks and hooks.
    fn fields(fields: SerializerFields<Self::Model>) -> SerializerFields<Self::Model> {
        fields
    }

    /// Validates the whole object, after each field was validated by itself.
    fn validate(draft: &Draft<Self::Model>, mode: WriteMode, errors: &mut Errors) {
        let _ = (draft, mode, errors);
    }

    /// Envelope that wraps the object, if any; see [`WrappedSerializer`](super::WrappedSerializer).
    fn envelope() -> Option<Envelope> {
        None
    }
}

/// A serializer that can be registered with an api; the attribute `#[serializer]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not marked as a serializer",
    label = "this serializer has no #[serializer] attribute",
    note = "put #[serializer] above `impl ModelSerializer for {Self}`"
)]
pub trait RegisteredSerializer: ModelSerializer {
    /// Purpose that the serializer is registered for.
    const ROLE: SerializerRole;
    /// Whether [`ModelSerializer::validate`] looks at the whole object, so that an update must be validated against
    /// the row it changes.
    const VALIDATES: bool = true;
}

/// Purpose of a registered serializer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SerializerRole {
    /// Single instances; also lists and creation unless another serializer is registered for them.
    Single,
    /// Lists.
    Many,
    /// Loading on create.
    Create,
}

/// Returns the type-erased declaration of a serializer.
pub(super) fn declaration_of<S: ModelSerializer>() -> Declaration {
    Declaration {
        serializer: SerializerType::of::<S>(),
        table: S::Model::table(),
        fields: S::FIELDS.into_any(),
        exclude: S::EXCLUDE.into_any(),
        read_only: S::READ_ONLY.into_any(),
        write_only: S::WRITE_ONLY.into_any(),
        required: S::REQUIRED.into_any(),
        optional: S::OPTIONAL.into_any(),
        envelope: S::envelope(),
        validate: validate_whole::<S>,
        added: S::fields(SerializerFields::new()).added,
    }
}

/// Calls the serializer's own check with a typed draft.
fn validate_whole<S: ModelSerializer>(draft: &mut AnyDraft, mode: WriteMode, errors: &mut Errors) {
    let typed = Draft::<S::Model>::from_any(draft.take());
    S::validate(&typed, mode, errors);
    *draft = typed.into_any();
}
