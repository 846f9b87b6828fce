//! Models: plain structs whose fields are the columns of a table.

use std::marker::PhantomData;

use crate::column::{Column, Table};
use crate::column_type::{ColumnType, TypeMismatch};
use crate::json::write_value;
use crate::value::{Value, ValueRef};

/// A source of one value per column: a driver's row, a record or a model instance.
pub trait Row {
    /// Returns the value of the column at this position of the model's table.
    fn value(&self, column: usize) -> ValueRef<'_>;

    /// Writes the value as JSON. A driver's row may override it with a faster way to the same text.
    fn write_value(&self, column: usize, out: &mut Vec<u8>) {
        write_value(out, self.value(column));
    }

    /// Writes members of an object. Do not override: the default is compiled for each row type, so its calls of
    /// `write_value` are static.
    #[doc(hidden)]
    fn write_members(&self, members: &[Member], out: &mut Vec<u8>) {
        for member in members {
            out.extend_from_slice(&member.before);
            self.write_value(member.column, out);
        }
    }
}

/// A column member of a JSON object.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Member {
    /// Text before the value: the comma if any, the key and the colon.
    pub(crate) before: Vec<u8>,
    /// Position of the column.
    pub(crate) column: usize,
}

/// A struct that maps to one row of a table. `#[derive(Model)]` implements it; a manual implementation takes three
/// functions:
///
/// ```
/// use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
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
    /// Returns the table, with columns in the order of [`Row::value`].
    fn table() -> &'static Table;
    /// Creates an instance from a row of that table.
    fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch>;
}

/// A typed reference to one column of `M`. `#[derive(Model)]` creates a constant for each field, such as
/// `User::EMAIL`.
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
    /// Creates a reference to the column at this position of `M`'s table.
    pub const fn at(position: usize) -> Self {
        Self {
            position,
            marker: PhantomData,
        }
    }

    /// Position of the column.
    pub const fn position(self) -> usize {
        self.position
    }

    /// Table of the column.
    pub fn table(self) -> &'static Table {
        M::table()
    }

    /// Metadata of the column.
    pub fn column(self) -> &'static Column {
        &M::table().columns[self.position]
    }
}

/// An owned row: the values of one table's columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Record(Vec<Value>);

impl Record {
    /// Creates a record from the values of a table's columns, in order.
    pub fn new(values: Vec<Value>) -> Self {
        Self(values)
    }

    /// Copies a row of this table.
    pub fn copy(row: &dyn Row, table: &Table) -> Self {
        let columns = 0..table.columns.len();
        Self(columns.map(|column| row.value(column).to_value()).collect())
    }

    /// Values in the order of the table's columns.
    pub fn values(&self) -> &[Value] {
        &self.0
    }
}

impl Row for Record {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.0[column].borrow()
    }
}
