//! The trait that a serializer implements, and what it may declare.

use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;

use crate::column::Column;
use crate::column_type::ColumnType;
use crate::draft::{AnyDraft, Draft};
use crate::errors::Errors;
use crate::message::Message;
use crate::model::{Field, Model, Row};
use crate::serializer::declaration::{
    Added, Convert, Declaration, DeclaredRelation, Envelope, ExtraInput, Link, Onto, SerializerType,
    Unwritable,
};
use crate::serializer::fields::Fields;
use crate::value::ValueRef;

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

    /// Adds extra inputs, computed fields, nested serializers and checks of single fields.
    fn declare(fields: Declare<Self::Model>) -> Declare<Self::Model> {
        fields
    }

    /// Checks the object as a whole, after each field was checked by itself.
    fn validate(draft: &Draft<Self::Model>, onto: Onto, errors: &mut Errors) {
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

/// Collects what a serializer adds: extra inputs, computed fields, nested serializers, checks of single fields.
pub struct Declare<M> {
    added: Added,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Declare<M> {
    fn new() -> Self {
        Self {
            added: Added::default(),
            marker: PhantomData,
        }
    }

    /// Takes a field from clients that is no column and never leaves.
    pub fn write_only<T: ColumnType>(mut self, input: Input<M, T>) -> Self {
        self.added.inputs.push(ExtraInput {
            column: Column {
                min_length: input.min_length,
                max_length: input.max_length,
                ..Column::new(input.name, T::KIND)
            },
            required_on_create: input.required_on_create,
            converted: input.converted,
        });
        self
    }

    /// Adds a field that is computed from the instance and never enters.
    ///
    /// The instance is built for it, which the automatic fields do without. A row that is no instance of the model, and a
    /// value that is no JSON, end the request as a fault.
    pub fn computed<T: Serialize>(
        mut self,
        name: &'static str,
        compute: impl Fn(&M) -> T + Send + Sync + 'static,
    ) -> Self {
        let write = move |row: &dyn Row, out: &mut Vec<u8>| {
            let instance = M::from_row(row).map_err(|mismatch| Unwritable::new(name, &mismatch))?;
            serde_json::to_writer(out, &compute(&instance)).map_err(|error| Unwritable::new(name, &error))
        };
        self.added.computed.push((name, Arc::new(write)));
        self
    }

    /// Adds the object that a foreign key names, in the form that serializer `S` gives it. It never enters.
    ///
    /// If `S` wraps its objects, the nested object is wrapped too. Serializers that nest each other in a circle are
    /// refused when the api is built.
    pub fn nested<S: ModelSerializer>(mut self, name: &'static str, key: Field<M, impl ColumnType>) -> Self {
        self.added.nested.push(to_one::<S>(name, key.position()));
        self
    }

    /// Declares a relation to the object that a foreign key names, in the form that serializer `S` gives it. Clients see it
    /// only if they ask for it, `?expand=author`, and may filter and sort by its fields, `?author.name=..`.
    pub fn to_one<S: ModelSerializer>(mut self, name: &'static str, key: Field<M, impl ColumnType>) -> Self {
        self.added.expandable.push(to_one::<S>(name, key.position()));
        self
    }

    /// Declares a relation to all objects whose foreign key names this one, in the form that serializer `S` gives each of
    /// them. Clients see them only if they ask for them, `?expand=comments`, and may filter by their fields: `?comments.body=..`
    /// holds if one of them has it.
    pub fn to_many<S: ModelSerializer>(
        mut self,
        name: &'static str,
        key: Field<S::Model, impl ColumnType>,
    ) -> Self {
        self.added.expandable.push(DeclaredRelation {
            name,
            link: Link {
                from: M::table().primary_key,
                to: key.position(),
                is_many: true,
            },
            declaration: declaration_of::<S>,
        });
        self
    }

    /// Checks one field; the message of a failed check is reported under the field. It is a text, or a [`Message`] with a
    /// code of its own.
    pub fn validate<T: ColumnType, E: Into<Message>>(
        mut self,
        field: Field<M, T>,
        check: impl Fn(&T) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        let validate = move |value: ValueRef<'_>| match T::from_value(value) {
            Ok(value) => check(&value).map_err(Into::into),
            Err(_) => Err(T::KIND.complaint()),
        };
        self.added.validators.push((field.position(), Arc::new(validate)));
        self
    }
}

/// A field that clients send and that is no column, such as a password.
pub struct Input<M, T> {
    name: &'static str,
    min_length: Option<usize>,
    max_length: Option<usize>,
    required_on_create: bool,
    converted: Option<(usize, Convert)>,
    marker: PhantomData<fn() -> (M, T)>,
}

impl<M: Model, T: ColumnType> Input<M, T> {
    /// An optional field with this wire name. Handlers read it by `draft.extra(name)`.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            min_length: None,
            max_length: None,
            required_on_create: false,
            converted: None,
            marker: PhantomData,
        }
    }

    /// Sets the fewest characters.
    pub fn min_length(mut self, length: usize) -> Self {
        self.min_length = Some(length);
        self
    }

    /// Sets the most characters.
    pub fn max_length(mut self, length: usize) -> Self {
        self.max_length = Some(length);
        self
    }

    /// Demands the field when an object is created.
    pub fn required_on_create(mut self) -> Self {
        self.required_on_create = true;
        self
    }

    /// Stores the field in a column, converted, on every way in. The conversion may be slow: it runs on a thread
    /// that may block, and only when the rest of the body is valid.
    pub fn into_column<C: ColumnType>(
        mut self,
        field: Field<M, C>,
        convert: impl Fn(T) -> C + Send + Sync + 'static,
    ) -> Self {
        let convert = move |value: ValueRef<'_>| match T::from_value(value) {
            Ok(value) => Ok(convert(value).to_value().to_value()),
            Err(_) => Err(T::KIND.complaint()),
        };
        self.converted = Some((field.position(), Arc::new(convert)));
        self
    }
}

/// The relation by a foreign key here to the key of the model there.
fn to_one<S: ModelSerializer>(name: &'static str, key: usize) -> DeclaredRelation {
    DeclaredRelation {
        name,
        link: Link {
            from: key,
            to: S::Model::table().primary_key,
            is_many: false,
        },
        declaration: declaration_of::<S>,
    }
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
        envelope: S::envelope(),
        validate: validate_whole::<S>,
        added: S::declare(Declare::new()).added,
    }
}

/// Lends the draft to the serializer's own check under the model's type.
fn validate_whole<S: ModelSerializer>(draft: &mut AnyDraft, onto: Onto, errors: &mut Errors) {
    let typed = Draft::<S::Model>::from_any(draft.take());
    S::validate(&typed, onto, errors);
    *draft = typed.into_any();
}
