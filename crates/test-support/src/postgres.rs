//! Contents of a PostgreSQL database.

/// Rows of a statement, whose values are texts, or null.
type Rows = Vec<Vec<Option<String>>>;

/// Returns every row of every table as text.
pub(crate) fn rows(query: impl Fn(&str) -> Rows) -> Vec<String> {
    let tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1";
    // The escape format leaves a secret in the bytes readable.
    let mut sql = "SET bytea_output = 'escape';".to_owned();
    for table in query(tables).into_iter().flatten().flatten() {
        sql += &format!("SELECT '{table}', * FROM \"{table}\" ORDER BY 2;");
    }
    let text = |row: Vec<Option<String>>| {
        let cells: Vec<String> = row[1..].iter().map(|cell| format!("{cell:?}")).collect();
        format!("{}: {}", row[0].clone().unwrap(), cells.join(", "))
    };
    query(&sql).into_iter().map(text).collect()
}

/// Returns the columns of all tables as `table.column`.
pub(crate) fn columns(query: impl Fn(&str) -> Rows) -> Vec<String> {
    let sql = "SELECT table_name || '.' || column_name FROM information_schema.columns \
               WHERE table_schema = 'public'";
    query(sql).into_iter().flatten().flatten().collect()
}
