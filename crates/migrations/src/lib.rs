//! Generates the SQL migrations of model-resource from the differences between the models and the migrations.
//!
//! A [`SchemaState`] describes a schema as plain data. It comes from models ([`SchemaState::of_models`]) or from migrations
//! ([`SchemaState::of_migrations`]). SQLite migrations are applied to a scratch database, PostgreSQL migrations are parsed.
//! [`diff`] returns the steps from one schema to another. For a change that only a person can decide, such as a rename or
//! the value of a new column in existing rows, it returns a [`MigrationQuestion`] instead. [`migration_sql`] writes the
//! steps, and the steps that revert them, in the SQL of the database.
//!
//! ```
//! use model_resource_migrations::{MigrationAnswers, SchemaState, migration_sql};
//! use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
//! use model_resource_schema::data_type::DataType;
//! use model_resource_store::SqlDialect;
//!
//! static TAGS: Table = Table::new(
//!     "tags",
//!     "Tag",
//!     &[
//!         Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
//!         Column::new("name", DataType::Text).unique(),
//!     ],
//! );
//!
//! let before = SchemaState::empty(SqlDialect::Sqlite);
//! let after = SchemaState::of_models(SqlDialect::Sqlite, &[&TAGS]).unwrap();
//! let migration = migration_sql(&before, &after, &MigrationAnswers::new()).unwrap().unwrap();
//! assert!(migration.up.starts_with("CREATE TABLE \"tags\""));
//! assert_eq!(migration.down, "DROP TABLE \"tags\";\n");
//! ```

mod answers;
mod apply;
mod check;
mod constraint_names;
mod diff;
mod encoding;
mod error;
mod expression;
mod files;
mod interpret;
mod models;
mod parse;
mod render;
#[cfg(feature = "sqlite")]
mod sqlite_state;
mod state;
mod step;
mod step_text;
mod table_name;
mod token;
mod zero;

pub use answers::{MigrationAnswers, MigrationQuestion};
pub use check::check_migrations;
pub use diff::diff;
pub use encoding::IntegerEncoding;
pub use error::{MigrationError, MigrationResult};
pub use files::{MigrationFile, next_version};
pub use render::{MigrationSql, migration_sql, steps_sql};
pub use state::{
    ColumnState, ForeignKeyState, IndexState, IndexedColumnState, PrimaryKeyState, SchemaState, TableState,
};
pub use step::{MigrationStep, TableChange, inverse};
