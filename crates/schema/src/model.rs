//! Models: plain structs whose fields are the columns of a table.

use std::marker::PhantomData;

use crate::column::{Column, Table};
use crate::column_type::{ColumnType, TypeMismatch};
use crate::json::write_value;
use crate::value::{Value, ValueRef};

/// Anything that lends one value per column: a driver's row, a record, a model instance.
pub trait Row {
    /// The value of the column at this position of the model's table.
    fn value(&self, column: usize) -> ValueRef<'_>;

    /// Writes that value as JSON. A driver's row may know a shorter way to the same text.
    fn write_value(&self, column: usize, out: &mut Vec<u8>) {
        write_value(out, self.value(column));
    }

    /// Writes members of an object. Not to be implemented: it is compiled for each type of row, and so knows how to write
    /// each value without asking.
    #[doc(hidden)]
    fn write_members(&self, members: &[Member], out: &mut Vec<u8>) {
        for member in members {
            out.extend_from_slice(&member.before);
            self.write_value(member.column, out);
        }
    }
}

/// One member of the objects that are written.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Member {
    /// What stands before the value: the comma after the member before, if there is one, the key and the colon.
    pub(crate) before: Vec<u8>,
    /// Where the value is.
    pub(crate) column: usize,
}

/// A struct that is one row of a table. `#[derive(Model)]` implements it; by hand it takes three functions:
///
/// ```
/// use model_resource_schema::column::{Assigned, Column, Role, Table};
/// use model_resource_schema::column_type::{ColumnType, TypeMismatch};
/// use model_resource_schema::model::{Model, Row};
/// use model_resource_schema::value::ValueRef;
///
/// struct Tag {
///     id: i64,
///     name: String,
/// }
///
/// impl Row for Tag {
///     fn value(&self, column: usize) -> ValueRef<'_> {
///         match column {
///             0 => self.id.to_value(),
///             _ => self.name.to_value(),
///         }
///     }
/// }
///
/// impl Model for Tag {
///     fn table() -> &'static Table {
///         static TABLE: Table = Table::new(
///             "tags",
///             "Tag",
///             &[
///                 Column::of::<i64>("id").role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
///                 Column::of::<String>("name").unique().max_length(50),
///             ],
///         );
///         &TABLE
///     }
///
///     fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch> {
///         Ok(Self { id: i64::from_value(row.value(0))?, name: String::from_value(row.value(1))? })
///     }
/// }
///
/// let tag = Tag { id: 1, name: "rust".to_owned() };
/// assert_eq!(tag.value(1), ValueRef::Text("rust"));
/// assert_eq!(Tag::table().key().name, "id");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "expected a model here",
    note = "add #[derive(Model)] and #[model(table = \"..\")] to the struct, or implement `Model` by hand"
)]
pub trait Model: Row + Sized + Send + Sync + 'static {
    /// The table and its columns, in the order in which [`Row::value`] counts them.
    fn table() -> &'static Table;
    /// Builds an instance from a row of that table.
    fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch>;
}

/// One column of `M`, whose Rust type is `T`. `#[derive(Model)]` makes a constant for each field: `User::EMAIL`.
#[derive(Debug)]
pub struct Field<M, T> {
    position: usize,
    marker: PhantomData<fn() -> (M, T)>,
}

impl<M, T> Clone for Field<M, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, T> Copy for Field<M, T> {}

impl<M: Model, T: ColumnType> Field<M, T> {
    /// Names the column at this position of `M`'s table.
    pub const fn at(position: usize) -> Self {
        Self {
            position,
            marker: PhantomData,
        }
    }

    /// Where the column stands.
    pub const fn position(self) -> usize {
        self.position
    }

    /// The column.
    pub fn column(self) -> &'static Column {
        &M::table().columns[self.position]
    }
}

/// A row of its own: the values of one table's columns, copied out of a database.
#[derive(Debug, Clone, PartialEq)]
pub struct Record(Vec<Value>);

impl Record {
    /// Holds the values of a table's columns, in their order.
    pub fn new(values: Vec<Value>) -> Self {
        Self(values)
    }

    /// Copies a row of this table.
    pub fn copy(row: &dyn Row, table: &Table) -> Self {
        let columns = 0..table.columns.len();
        Self(columns.map(|column| row.value(column).to_value()).collect())
    }

    /// The values, in the table's order.
    pub fn values(&self) -> &[Value] {
        &self.0
    }
}

impl Row for Record {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.0[column].borrow()
    }
}
