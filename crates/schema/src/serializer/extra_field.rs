//! Extra fields: input that is not a column.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::column::Column;
use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::serializer::declaration::{Convert, ExtraInput, InputReader};
use crate::value::ValueRef;

/// A field that clients send and that is not a column, such as a password.
///
/// Something has to read it: [`ExtraField::into_column`] stores it, and [`ExtraField::for_handler`] leaves it to the
/// serializer's `validate`, its hooks and checks, or a custom handler. A field that nothing reads is rejected at
/// startup.
pub struct ExtraField<M, T> {
    name: &'static str,
    min_length: Option<usize>,
    max_length: Option<usize>,
    required_on_create: bool,
    reader: Option<InputReader>,
    description: &'static str,
    needs: Option<&'static str>,
    marker: PhantomData<fn() -> (M, T)>,
}

impl<M: Model, T: ColumnType> ExtraField<M, T> {
    /// Creates an optional field with this name in JSON.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            min_length: None,
            max_length: None,
            required_on_create: false,
            reader: None,
            description: "",
            needs: None,
            marker: PhantomData,
        }
    }

    /// Sets the minimum length.
    pub fn min_length(mut self, length: usize) -> Self {
        self.min_length = Some(length);
        self
    }

    /// Sets the maximum length.
    pub fn max_length(mut self, length: usize) -> Self {
        self.max_length = Some(length);
        self
    }

    /// Requires the field on create.
    pub fn required_on_create(mut self) -> Self {
        self.required_on_create = true;
        self
    }

    /// Documents the field for clients.
    pub fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Documents that a body with this field also has another extra field. The code that reads them checks it: the
    /// serializer's `validate`, a hook or a custom handler.
    pub fn needs(mut self, field: &'static str) -> Self {
        self.needs = Some(field);
        self
    }

    /// Converts the field and stores it in a column, on every write. The conversion may block: it runs on a blocking
    /// thread, and only if the rest of the body is valid.
    pub fn into_column<C: ColumnType>(
        mut self,
        field: Field<M, C>,
        convert: impl Fn(T) -> C + Send + Sync + 'static,
    ) -> Self {
        let convert: Convert = Arc::new(move |value: ValueRef<'_>| match T::from_value(value) {
            Ok(value) => Ok(convert(value).to_value().to_value()),
            Err(mismatch) => Err(mismatch.into_message()),
        });
        self.reader = Some(InputReader::Column(field.position(), convert));
        self
    }

    /// Leaves the field to code that reads it by `draft.extra(name)`: the serializer's `validate`, its `post_load`
    /// hooks and batch checks, or a custom handler.
    ///
    /// Automatic operations read no such field. If the serializer reads none either, the api is rejected at startup.
    pub fn for_handler(mut self) -> Self {
        self.reader = Some(InputReader::Handler);
        self
    }

    /// Erases the type.
    pub(super) fn into_extra(self) -> ExtraInput {
        ExtraInput {
            column: Column {
                min_length: self.min_length,
                max_length: self.max_length,
                description: self.description,
                ..Column::of::<T>(self.name)
            },
            required_on_create: self.required_on_create,
            needs: self.needs,
            reader: self.reader,
        }
    }
}
