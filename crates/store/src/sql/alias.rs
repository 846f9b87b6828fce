//! What rows are called within a statement.

use super::writer::SqlWriter;

/// The rows of a table within a statement.
#[derive(Clone, Copy)]
pub(crate) enum TableAlias {
    /// Those that are selected, by their table's name.
    Root(&'static str),
    /// Those of a table that stands so deep within.
    Nested(usize),
}

impl TableAlias {
    /// What stands next within this.
    pub(super) fn nested(self) -> Self {
        match self {
            Self::Root(_) => Self::Nested(1),
            Self::Nested(depth) => Self::Nested(depth + 1),
        }
    }

    /// The name of the rows.
    pub(super) fn write<'v, W: SqlWriter<'v>>(self, sql: W) -> W {
        match self {
            Self::Root(table) => sql.name(table),
            Self::Nested(depth) => sql.name(&format!("within_{depth}")),
        }
    }

    /// A column of theirs.
    pub(super) fn column<'v, W: SqlWriter<'v>>(self, sql: W, column: &str) -> W {
        self.write(sql).push_sql(".").name(column)
    }
}
