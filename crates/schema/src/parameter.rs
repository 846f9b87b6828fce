//! Values that can be bound to the parameters of a statement.

use crate::column_type::ColumnType;
use crate::value::Value;

/// Conversion to a value that can be bound to a parameter: of every field type, and of `&str`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be bound to a parameter",
    note = "every type of a model's field can be bound, an Option of it, and `&str`"
)]
pub trait IntoValue {
    /// Converts to an owned value.
    fn into_value(self) -> Value;
}

impl<T: ColumnType> IntoValue for T {
    fn into_value(self) -> Value {
        self.to_value().to_value()
    }
}

impl IntoValue for &str {
    fn into_value(self) -> Value {
        Value::Text(self.to_owned())
    }
}
