//! Groups of columns that several models share.

use crate::column::Column;
use crate::column_type::{ColumnType, TypeMismatch};
use crate::data_type::DataType;
use crate::model::Row;
use crate::value::ValueRef;

/// A struct whose fields are some of the columns of a model. `#[derive(ColumnGroup)]` implements it, and
/// `#[column(flatten)]` on a field of a model adds the columns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of columns",
    label = "expected a group of columns here",
    note = "add #[derive(ColumnGroup)] to the struct, or remove `flatten` if the field is a column"
)]
pub trait ColumnGroup: Sized {
    /// Columns, in the order of [`ColumnGroup::value`].
    const COLUMNS: &'static [Column];
    /// Returns the value of the column at this position of the group.
    fn value(&self, column: usize) -> ValueRef<'_>;
    /// Creates an instance from a row of a model whose columns from `start` on are those of the group.
    fn from_row(row: &dyn Row, start: usize) -> Result<Self, TypeMismatch>;
}

/// Type of the column at position `N` of a group.
pub trait GroupColumn<const N: usize>: ColumnGroup {
    /// Type of the field.
    type Type: ColumnType;
}

/// Joins the columns of a model and its groups. Evaluated in a constant, it fails to compile if two of them share a
/// name.
pub const fn join<const N: usize>(parts: &[&[Column]]) -> [Column; N] {
    let mut columns = [Column::new("", DataType::Bool); N];
    let (mut part, mut length) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            let column = parts[part][i];
            let mut earlier = 0;
            while earlier < length {
                assert!(
                    !is_equal(columns[earlier].name, column.name)
                        && !is_equal(columns[earlier].database_name, column.database_name),
                    "two columns of the model and its groups have the same name: rename one of the fields"
                );
                earlier += 1;
            }
            columns[length] = column;
            length += 1;
            i += 1;
        }
        part += 1;
    }
    assert!(length == N, "the number of columns is that of all parts");
    columns
}

/// Compares two texts in a constant.
const fn is_equal(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut i = 0;
    while i < one.len() {
        if one[i] != other[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: Column = Column::new("id", DataType::I64);
    const NAME: Column = Column::new("name", DataType::Text);

    #[test]
    fn columns_are_joined_in_order() {
        let columns: [Column; 3] = join(&[&[ID], &[], &[NAME, Column::new("size", DataType::I32)]]);
        assert_eq!(columns.map(|column| column.name), ["id", "name", "size"]);
    }

    #[test]
    #[should_panic(expected = "rename one of the fields")]
    fn two_columns_of_one_name_are_refused() {
        let _: [Column; 2] = join(&[
            &[NAME],
            &[Column::new("title", DataType::Text).database_name("name")],
        ]);
    }
}
