//! What rows are called within a statement.

use super::writer::SqlWriter;

/// The rows of a table within a statement.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// Those that are selected, by their table's name.
    Selected(&'static str),
    /// Those of a table that stands so deep within.
    Within(usize),
}

impl Place {
    /// What stands next within this.
    pub(super) fn deeper(self) -> Self {
        match self {
            Self::Selected(_) => Self::Within(1),
            Self::Within(depth) => Self::Within(depth + 1),
        }
    }

    /// The name of the rows.
    pub(super) fn write<'v, W: SqlWriter<'v>>(self, sql: W) -> W {
        match self {
            Self::Selected(table) => sql.name(table),
            Self::Within(depth) => sql.name(&format!("within_{depth}")),
        }
    }

    /// A column of theirs.
    pub(super) fn column<'v, W: SqlWriter<'v>>(self, sql: W, column: &str) -> W {
        self.write(sql).words(".").name(column)
    }
}
