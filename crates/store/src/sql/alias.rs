//! Table aliases within a statement.

use super::writer::SqlWriter;

/// Name of a table's rows within a statement.
#[derive(Clone, Copy)]
pub(crate) enum TableAlias {
    /// Selected rows, by the name of their table.
    Root(&'static str),
    /// Rows of a subquery at this depth.
    Nested(usize),
}

impl TableAlias {
    /// Alias of the next nested subquery.
    pub(super) fn nested(self) -> Self {
        match self {
            Self::Root(_) => Self::Nested(1),
            Self::Nested(depth) => Self::Nested(depth + 1),
        }
    }

    /// Appends the alias.
    pub(super) fn write<'v, W: SqlWriter<'v>>(self, sql: W) -> W {
        match self {
            Self::Root(table) => sql.name(table),
            Self::Nested(depth) => sql.name(&format!("within_{depth}")),
        }
    }

    /// Appends a column of the alias.
    pub(super) fn column<'v, W: SqlWriter<'v>>(self, sql: W, column: &str) -> W {
        self.write(sql).push_sql(".").name(column)
    }
}
