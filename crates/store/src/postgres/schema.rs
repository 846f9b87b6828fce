//! Table creation and schema verification.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::value::ValueRef;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use super::error::map_error;
use super::executor::Executor;
use super::found_constraints::constraints;
use super::migration_lock::MigrationLock;
use super::server::PostgresServer;
use super::session::SessionKind;
use super::statement::PostgresStatement;
use crate::drift::{self, FoundColumn, SchemaDrift};
use crate::error::Result;
use crate::sql::SqlWriter as _;
use crate::sql::ddl::create_tables_sql;
use crate::sql::postgres_syntax::PostgresSyntax;
use crate::sql::quote::qualified_name;
use crate::sql::table_syntax::TableSyntax as _;

/// Lists the columns of a table, found by the search path if it has no schema: names and types, base types of domains,
/// labels of enum types, whether each new row needs a value, and whether they are unique.
const COLUMNS: &str = "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), \
    CASE b.typtype WHEN 'e' THEN 'enum' WHEN 'd' THEN '' ELSE b.typname::text END, \
    CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END, \
    ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = b.oid), \
    (a.attnotnull OR t.typnotnull) AND NOT a.atthasdef AND a.attidentity = '' AND t.typdefault IS NULL, \
    c.relkind NOT IN ('r', 'p', 'm') OR EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique \
        AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) \
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid \
    JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END \
    WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped";

/// Looks up a table in its schema, or in that in which new tables are created.
const EXISTS: &str = "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relname = $1 AND n.nspname = coalesce($2, current_schema())";

/// Whether a schema exists, if one is given.
const HAS_SCHEMA: &str = "SELECT $1::name IS NULL OR EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)";

/// Returns a row if transactions of the session cannot write.
const IS_READ_ONLY: &str =
    "SELECT 1 WHERE pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool";

/// Type of a column.
struct PostgresType {
    /// Type as declared.
    declared: String,
    /// Name of the base type: `enum` for every enum type, and empty for a domain over a domain.
    name: String,
    /// Type modifier (`atttypmod`), such as precision and scale.
    modifier: i32,
    /// Labels of an enum type.
    labels: Vec<String>,
}

impl PostgresType {
    /// Describes why the column cannot store the values of a model's column, if so.
    fn wrong_for(&self, column: &Column) -> Option<String> {
        let (kind, mut expected) = (column.data_type, String::new());
        PostgresSyntax::push_type(&mut expected, column);
        if !self.holds(kind) {
            return Some(drift::of_another_type(&self.declared, &expected));
        }
        let (DataType::Enum(names), "enum") = (kind, self.name.as_str()) else {
            return None;
        };
        let is_absent = |name: &&&str| !self.labels.iter().any(|label| label == *name);
        let absent: Vec<&str> = names.iter().filter(is_absent).copied().collect();
        (!absent.is_empty()).then(|| {
            let absent = absent.join("`, `");
            format!("has the enum type {}, which lacks `{absent}`", self.declared)
        })
    }

    /// Whether every value of a data type is stored and read back unchanged, or rejected.
    fn holds(&self, kind: DataType) -> bool {
        let names: &[&str] = match kind {
            DataType::Bool => &["bool"],
            DataType::I16 | DataType::I32 | DataType::I64 => &["int2", "int4", "int8"],
            DataType::F32 => &["float4", "float8"],
            DataType::F64 => &["float8"],
            DataType::Text => &["text", "varchar", "bpchar", "name", "citext"],
            DataType::Enum(_) => &["text", "varchar", "bpchar", "name", "citext", "enum"],
            DataType::Bytes => &["bytea"],
            DataType::Decimal { precision, scale } => return self.holds_decimals(precision, scale),
            DataType::Date => &["date"],
            DataType::Time => &["time"],
            DataType::Timestamp => &["timestamptz", "timestamp"],
            DataType::Uuid => &["uuid"],
            DataType::Json => &["json", "jsonb", "text"],
        };
        self.name.is_empty() || names.contains(&self.name.as_str())
    }

    /// Whether precision and scale match. With a smaller scale the server would round; with a larger one it could
    /// hold values that the model cannot.
    fn holds_decimals(&self, precision: u8, scale: u8) -> bool {
        // The modifier is offset by 4; without precision it is -1.
        let (digits, after_point) = ((self.modifier - 4) >> 16, (self.modifier - 4) & 0x7ff);
        let fits = self.modifier < 4 || digits >= i32::from(precision) && after_point == i32::from(scale);
        self.name.is_empty() || self.name == "numeric" && fits
    }
}

/// Fails on a standby and on a server or database that is set to read only.
pub(super) async fn check_writable(executor: &Executor, server: &PostgresServer) -> Result<()> {
    let statement = PostgresStatement::ready(IS_READ_ONLY);
    if !executor.read(&statement).await?.is_empty() {
        // An open session keeps the default that it began with.
        server.check_new_session(IS_READ_ONLY).await?;
    }
    server.accepts_writes();
    Ok(())
}

/// Creates missing tables, all or none.
pub(super) async fn create(server: &PostgresServer, tables: &[&'static Table]) -> Result<()> {
    drift::check::<PostgresSyntax>(tables)?;
    let lock = MigrationLock::acquire(server).await?;
    let mut connection = server.connect(SessionKind::Maintenance).await?;
    let created = create_missing(connection.client(), tables).await;
    lock.release().await;
    created.map_err(|error| map_error(&error))
}

async fn create_missing(client: &mut Client, tables: &[&'static Table]) -> Result<(), tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    let mut missing = Vec::new();
    for table in tables {
        let name: [&(dyn ToSql + Sync); 2] = [&table.name_in_schema(), &table.schema];
        if transaction.query_opt(EXISTS, &name).await?.is_some() {
            continue;
        }
        missing.push(*table);
        // Without the right to create schemas, even `CREATE SCHEMA IF NOT EXISTS` of an existing one fails.
        if transaction.query_one(HAS_SCHEMA, &[&table.schema]).await?.get(0) {
            continue;
        }
        let mut sql = String::new();
        PostgresSyntax::push_schema(&mut sql, table);
        transaction.batch_execute(&sql).await?;
    }
    transaction
        .batch_execute(&create_tables_sql::<PostgresSyntax>(&missing))
        .await?;
    transaction.commit().await
}

/// Runs statements in one transaction, under the lock of migrations.
pub(super) async fn run(server: &PostgresServer, sql: &str) -> Result<()> {
    let lock = MigrationLock::acquire(server).await?;
    let ran = lock.run(sql).await;
    lock.release().await;
    ran.map_err(|error| map_error(&error))
}

/// Rejects missing tables, columns and constraints, and columns that are invalid, of another type, never filled or not
/// unique.
pub(super) async fn verify(executor: &Executor, tables: &[&'static Table]) -> Result<()> {
    drift::check::<PostgresSyntax>(tables)?;
    let mut differences = SchemaDrift::default();
    for table in tables {
        let name = qualified_name(table);
        let statement = PostgresStatement::ready(COLUMNS).bind_one(ValueRef::Text(&name));
        let rows = executor.read(&statement).await?;
        let present: Result<Vec<_>, _> = rows.iter().map(column).collect();
        let present = present.map_err(|error| map_error(&error))?;
        differences.compare(table, &present, |column, found| found.wrong_for(column));
        differences.require_filled(table, tables, &present);
        differences.require_unique::<PostgresSyntax, _>(table, &present);
        if let Some(found) = constraints(executor, table).await? {
            differences.require_declared::<PostgresSyntax>(table, &found);
        }
    }
    differences.report()
}

fn column(row: &Row) -> Result<FoundColumn<PostgresType>, tokio_postgres::Error> {
    let ty = PostgresType {
        declared: row.try_get(1)?,
        name: row.try_get(2)?,
        modifier: row.try_get(3)?,
        labels: row.try_get(4)?,
    };
    Ok(FoundColumn {
        name: row.try_get(0)?,
        ty,
        required: row.try_get(5)?,
        unique: row.try_get(6)?,
    })
}
