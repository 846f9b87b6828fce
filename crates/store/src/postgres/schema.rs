//! Bringing the database's tables to what the models say, and finding out where they differ.

use model_resource_schema::column::Table;
use model_resource_schema::kind::Kind;
use model_resource_schema::value::ValueRef;
use tokio_postgres::{Client, Row};

use super::ddl;
use super::fault::fault;
use super::session::Session;
use super::statement::Statement;
use crate::error::{Error, Result};
use crate::tables::{self, Differences};

/// Whoever changes tables holds this, so that several processes can start at once. It ends with the connection.
const LOCK: &str = "SELECT pg_advisory_lock(7163271884905)";

/// The columns of a table that the search path leads to: their names and types, and what the types are made of if they are
/// domains.
const COLUMNS: &str = "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), \
    CASE b.typtype WHEN 'e' THEN 'text' WHEN 'd' THEN '' ELSE b.typname::text END, \
    CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END \
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
    JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END \
    WHERE a.attrelid = to_regclass(quote_ident($1)) AND a.attnum > 0 AND NOT a.attisdropped";

/// The type of a column.
struct Type {
    /// As it is declared.
    declared: String,
    /// The name of what it is made of; of a domain over a domain it is empty.
    name: String,
    /// What stands in brackets after it, as the server keeps it.
    modifier: i32,
}

impl Type {
    /// Whether every value of a kind can be written to it and read from it, or is refused.
    fn holds(&self, kind: Kind) -> bool {
        let names: &[&str] = match kind {
            Kind::Bool => &["bool"],
            Kind::I16 | Kind::I32 | Kind::I64 => &["int2", "int4", "int8"],
            Kind::F32 => &["float4", "float8"],
            Kind::F64 => &["float8"],
            Kind::Text | Kind::Enum(_) => &["text", "varchar", "bpchar", "name", "citext"],
            Kind::Bytes => &["bytea"],
            Kind::Decimal { precision, scale } => return self.holds_decimals(precision, scale),
            Kind::Date => &["date"],
            Kind::Time => &["time"],
            Kind::Timestamp => &["timestamptz", "timestamp"],
            Kind::Uuid => &["uuid"],
            Kind::Json => &["json", "jsonb", "text"],
        };
        self.name.is_empty() || names.contains(&self.name.as_str())
    }

    /// With fewer digits after the point the server would round, and with more it could hold what the model cannot.
    fn holds_decimals(&self, precision: u8, scale: u8) -> bool {
        // The server adds 4 to what it keeps; without brackets it is -1.
        let (digits, after_point) = ((self.modifier - 4) >> 16, (self.modifier - 4) & 0x7ff);
        let fits = self.modifier < 4 || digits >= i32::from(precision) && after_point == i32::from(scale);
        self.name.is_empty() || self.name == "numeric" && fits
    }
}

/// Applies the migrations that are missing.
pub(super) async fn migrate(mut client: Client, runner: &refinery::Runner) -> Result<()> {
    client.batch_execute(LOCK).await.map_err(|error| fault(&error))?;
    let report = runner.run_async(&mut client).await;
    report
        .map(drop)
        .map_err(|error| Error::Failed(format!("migrating: {}", Error::with_causes(&error))))
}

/// Creates the tables that are missing, all of them or none.
pub(super) async fn create(client: Client, tables: &[&'static Table]) -> Result<()> {
    tables::check(tables)?;
    let mut sql = format!("{LOCK}; BEGIN; ");
    for table in tables {
        sql.push_str(&ddl::create_table_sql(table));
    }
    sql.push_str("COMMIT");
    client.batch_execute(&sql).await.map_err(|error| fault(&error))
}

/// Fails with the tables and columns that are missing or of another type, and with those that make no sense.
pub(super) async fn verify(session: &Session, tables: &[&'static Table]) -> Result<()> {
    tables::check(tables)?;
    let mut differences = Differences::default();
    for table in tables {
        let statement = Statement::ready(COLUMNS).bind_one(ValueRef::Text(table.name));
        let rows = session.read(&statement).await?;
        let present: Result<Vec<_>, _> = rows.iter().map(column).collect();
        let present = present.map_err(|error| fault(&error))?;
        differences.compare(table, &present, |column, found| {
            let mut expected = String::new();
            ddl::push_type(&mut expected, column.kind);
            (!found.holds(column.kind)).then(|| (found.declared.clone(), expected))
        });
    }
    differences.report()
}

fn column(row: &Row) -> Result<(String, Type), tokio_postgres::Error> {
    let found = Type {
        declared: row.try_get(1)?,
        name: row.try_get(2)?,
        modifier: row.try_get(3)?,
    };
    Ok((row.try_get(0)?, found))
}
