//! Fields that clients send and that are no columns.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::column::Column;
use crate::column_type::ColumnType;
use crate::model::{Field, Model};
use crate::serializer::declaration::{Convert, ExtraInput, InputReader};
use crate::value::ValueRef;

/// A field that clients send and that is no column, such as a password.
///
/// Something has to read it: [`ExtraField::into_column`] stores it, and [`ExtraField::for_handler`] leaves it to the serializer's
/// `validate`, its hooks and checks, or the operation's own handler. An input that nothing reads is refused at start.
pub struct ExtraField<M, T> {
    name: &'static str,
    min_length: Option<usize>,
    max_length: Option<usize>,
    required_on_create: bool,
    reader: Option<InputReader>,
    marker: PhantomData<fn() -> (M, T)>,
}

impl<M: Model, T: ColumnType> ExtraField<M, T> {
    /// An optional field with this name in JSON.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            min_length: None,
            max_length: None,
            required_on_create: false,
            reader: None,
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
        let convert: Convert = Arc::new(move |value: ValueRef<'_>| match T::from_value(value) {
            Ok(value) => Ok(convert(value).to_value().to_value()),
            Err(mismatch) => Err(mismatch.into_message()),
        });
        self.reader = Some(InputReader::Column(field.position(), convert));
        self
    }

    /// Keeps the field beside the columns, for code that reads it by `draft.extra(name)`: the serializer's `validate`, its
    /// `post_load` hooks and batch checks, or the operation's own handler.
    ///
    /// An automatic operation reads no such field. If the serializer reads none either, the api refuses to start.
    pub fn for_handler(mut self) -> Self {
        self.reader = Some(InputReader::Handler);
        self
    }

    /// The field without its type.
    pub(super) fn into_extra(self) -> ExtraInput {
        ExtraInput {
            column: Column {
                min_length: self.min_length,
                max_length: self.max_length,
                ..Column::of::<T>(self.name)
            },
            required_on_create: self.required_on_create,
            reader: self.reader,
        }
    }
}
