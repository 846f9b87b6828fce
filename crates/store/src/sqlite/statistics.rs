//! Statistics of tables.

use model_resource_schema::column::Table;
use rusqlite::Connection;

use super::error::map_error;
use super::explain::indexes;
use crate::error::Result;
use crate::sql::quote::push_identifier;
use crate::statistics::{TableStatistics, VIEW_ROWS};

/// Maximum number of rows that are counted one by one.
const COUNTED_ROWS: u64 = 1000;
/// Number of places at which the distance between two rows is measured.
const SAMPLES: u32 = 64;

/// Reads the statistics of tables, in a time that does not depend on their sizes.
pub(super) fn read(connection: &Connection, tables: &[&'static Table]) -> Result<Vec<TableStatistics>> {
    let statistics = tables.iter().map(|table| {
        let found = indexes(connection, table)?;
        Ok(TableStatistics::new(table, rows(connection, table)?, &found))
    });
    statistics.collect()
}

/// Estimates the number of rows: small tables are counted, and of larger ones the density of the row ids is sampled.
///
/// A sample is likelier to fall into a wide gap than into a narrow one, in proportion to its width. The mean of the
/// inverse widths is therefore the density, also where many rows were deleted or clients choose the keys.
fn rows(connection: &Connection, table: &Table) -> Result<u64> {
    if table.is_view {
        return Ok(VIEW_ROWS);
    }
    let mut name = String::new();
    push_identifier(&mut name, table.name);
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {COUNTED_ROWS})");
    let counted: i64 = connection
        .query_row(&sql, (), |row| row.get(0))
        .map_err(map_error)?;
    let counted = counted.unsigned_abs();
    if counted < COUNTED_ROWS {
        return Ok(counted);
    }
    let sql = format!("SELECT (SELECT min(rowid) FROM {name}), (SELECT max(rowid) FROM {name})");
    let bounds = connection.query_row(&sql, (), |row| Ok((row.get(0)?, row.get(1)?)));
    // A table without row ids.
    let Ok((min, max)) = bounds else {
        return Ok(counted);
    };
    sampled_rows(connection, &name, min, max).map(|rows| rows.max(counted))
}

/// Estimates the number of rows between two row ids.
fn sampled_rows(connection: &Connection, name: &str, min: i64, max: i64) -> Result<u64> {
    let sql = format!(
        "SELECT (SELECT min(rowid) FROM {name} WHERE rowid >= ?1), (SELECT max(rowid) FROM {name} WHERE rowid < ?1)"
    );
    let mut gap = connection.prepare(&sql).map_err(map_error)?;
    let span = i128::from(max) - i128::from(min);
    let mut density = 0.0;
    for sample in 0..SAMPLES {
        // Inside of the bounds, so that both neighbours exist.
        let distance = (span * i128::from(2 * sample + 1) / i128::from(2 * SAMPLES)).max(1);
        let place = i64::try_from(i128::from(min) + distance).unwrap_or(max);
        let (after, before): (Option<i64>, Option<i64>) = gap
            .query_row([place], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(map_error)?;
        // Rows may have been deleted meanwhile.
        if let (Some(after), Some(before)) = (after, before) {
            density += 1.0 / (i128::from(after) - i128::from(before)) as f64;
        }
    }
    Ok((span as f64 * density / f64::from(SAMPLES)) as u64 + 1)
}

#[cfg(test)]
mod tests {
    use model_resource_schema::column::{Column, ColumnRole, KeyGeneration};
    use model_resource_schema::data_type::DataType;

    use super::*;

    static TAGS: Table = Table::new(
        "tags",
        "Tag",
        &[Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement))],
    );

    /// Estimates the rows of a table with keys from 1 to `last`, after a statement.
    fn estimated(last: u32, sql: &str) -> u64 {
        let connection = Connection::open_in_memory().expect("a database");
        let fill = format!(
            "CREATE TABLE tags (id INTEGER PRIMARY KEY); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
             WHERE i < {last}) INSERT INTO tags SELECT i FROM n; {sql}"
        );
        connection.execute_batch(&fill).expect("rows");
        rows(&connection, &TAGS).expect("an estimate")
    }

    #[test]
    fn the_rows_of_a_table_are_estimated_from_the_density_of_its_keys() {
        assert_eq!(estimated(999, ""), 999);
        assert_eq!(estimated(50_000, ""), 50_000);
        let half = estimated(50_000, "DELETE FROM tags WHERE id % 2 = 0");
        assert!((24_000..26_000).contains(&half), "{half}");
        let last = estimated(50_000, "DELETE FROM tags WHERE id < 40001");
        assert_eq!(last, 10_000);
    }

    #[test]
    fn a_key_far_from_the_others_does_not_make_a_table_large() {
        let far = estimated(
            50_000,
            "INSERT INTO tags VALUES (9000000000000000000), (-9000000000000000000)",
        );
        assert!(far <= 50_000, "{far}");
    }
}
