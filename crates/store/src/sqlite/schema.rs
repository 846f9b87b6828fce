//! Table creation and schema verification.

use std::time::Duration;

use model_resource_schema::column::Table;
use rusqlite::{Connection, ErrorCode, MAIN_DB, Transaction, TransactionBehavior};

use super::connection::BUSY_TIMEOUT;
use super::error::map_error;
use super::found_constraints::constraints;
use crate::drift::{self, FoundColumn, SchemaDrift};
use crate::error::{Error, Result};
use crate::sql::ddl::create_table_sql;
use crate::sql::sqlite_syntax::{SqliteSyntax, storage_class};

/// Fails if the connection cannot begin a write. A lock of another process only delays writes.
pub(super) fn check_writable(connection: &Connection) -> Result<()> {
    // SQLite opens such a file without an error, and begins a transaction that may only read.
    if connection.is_readonly(MAIN_DB).map_err(map_error)? {
        let file = connection.path().unwrap_or_default();
        return Err(Error::Unavailable(format!(
            "the process may not write to {file}: check its owner and mode"
        )));
    }
    connection.busy_timeout(Duration::ZERO).map_err(map_error)?;
    let begun = connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK");
    connection.busy_timeout(BUSY_TIMEOUT).map_err(map_error)?;
    match begun {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
        begun => begun.map_err(map_error),
    }
}

/// Creates missing tables, all or none.
pub(super) fn create(connection: &mut Connection, tables: &[&'static Table]) -> Result<()> {
    drift::check::<SqliteSyntax>(tables)?;
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate).map_err(map_error)?;
    for table in tables {
        transaction
            .execute_batch(&create_table_sql::<SqliteSyntax>(table))
            .map_err(map_error)?;
    }
    transaction.commit().map_err(map_error)
}

/// Runs statements in one transaction.
pub(super) fn run(connection: &mut Connection, sql: &str) -> Result<()> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate).map_err(map_error)?;
    transaction.execute_batch(sql).map_err(map_error)?;
    transaction.commit().map_err(map_error)
}

/// Rejects missing tables, columns and constraints, and columns that are invalid, of another type, never filled or not
/// unique.
pub(super) fn verify(connection: &Connection, tables: &[&'static Table]) -> Result<()> {
    drift::check::<SqliteSyntax>(tables)?;
    let mut differences = SchemaDrift::default();
    for table in tables {
        let present = columns(connection, table)?;
        differences.compare(table, &present, |column, found| {
            let expected = storage_class(column.data_type);
            (!found.keeps(expected)).then(|| drift::of_another_type(&found.declared, expected))
        });
        differences.require_filled(table, tables, &present);
        differences.require_unique::<SqliteSyntax, _>(table, &present);
        if let Some(found) = constraints(connection, table)? {
            differences.require_declared::<SqliteSyntax>(table, &found);
        }
    }
    differences.report()
}

/// Declared type of a column.
struct SqliteType {
    /// Declaration in upper case.
    declared: String,
    /// Whether the table is STRICT: it rejects values of other types instead of converting them.
    is_strict: bool,
}

impl SqliteType {
    /// Whether values of a storage class are stored unchanged, or can be read back unchanged.
    fn keeps(&self, class: &str) -> bool {
        if self.is_strict {
            let declared = if self.declared == "INT" {
                "INTEGER"
            } else {
                &self.declared
            };
            return declared == class || declared == "ANY";
        }
        match class {
            "INTEGER" => matches!(self.affinity(), "INTEGER" | "NUMERIC" | "BLOB"),
            // A REAL that is stored as a whole number reads as the same value.
            "REAL" => self.affinity() != "TEXT",
            // Text that looks like a number would be converted to one.
            "TEXT" => matches!(self.affinity(), "TEXT" | "BLOB"),
            _ => true,
        }
    }

    /// Type affinity that SQLite derives from the declaration; `BLOB` means no conversion.
    fn affinity(&self) -> &'static str {
        let has = |words: &[&str]| words.iter().any(|word| self.declared.contains(word));
        if has(&["INT"]) {
            "INTEGER"
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            "TEXT"
        } else if has(&["BLOB"]) || self.declared.is_empty() {
            "BLOB"
        } else if has(&["REAL", "FLOA", "DOUB"]) {
            "REAL"
        } else {
            "NUMERIC"
        }
    }
}

/// Lists the columns of a table. A single primary key of type `INTEGER` is the rowid, which SQLite assigns and which
/// is unique without an index.
const COLUMNS: &str = "SELECT c.name, c.declared, c.strict, (c.\"notnull\" OR c.pk > 0) AND c.hidden = 0 \
    AND upper(coalesce(c.dflt_value, 'NULL')) = 'NULL' AND NOT c.numbered, \
    c.kind <> 'table' OR c.numbered OR EXISTS (SELECT 1 FROM pragma_index_list(?1) i WHERE i.\"unique\" AND NOT i.partial \
        AND (SELECT count(*) = 1 AND max(k.name) = c.name FROM pragma_index_info(i.name) k)) \
    FROM (SELECT x.*, upper(x.type) AS declared, l.strict, l.type AS kind, x.pk > 0 AND upper(x.type) = 'INTEGER' AND NOT l.wr \
            AND (SELECT max(k.pk) FROM pragma_table_xinfo(?1) k) = 1 AS numbered \
        FROM pragma_table_xinfo(?1) x, pragma_table_list(?1) l WHERE l.schema = 'main') c";

fn columns(connection: &Connection, table: &Table) -> Result<Vec<FoundColumn<SqliteType>>> {
    let mut prepared = connection.prepare(COLUMNS).map_err(map_error)?;
    let column = |row: &rusqlite::Row<'_>| {
        let ty = SqliteType {
            declared: row.get(1)?,
            is_strict: row.get(2)?,
        };
        Ok(FoundColumn {
            name: row.get(0)?,
            ty,
            required: row.get(3)?,
            unique: row.get(4)?,
        })
    };
    let columns = prepared.query_map([table.name], column).map_err(map_error)?;
    columns.collect::<rusqlite::Result<_>>().map_err(map_error)
}
