//! Roles of columns: values that clients write, and those that the framework fills.

/// Purpose of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnRole {
    /// Ordinary data.
    Data,
    /// Primary key.
    PrimaryKey(KeyGeneration),
    /// Creation time of the row.
    Created,
    /// Time of the last change of the row.
    Updated,
    /// Number of the row's version: 1 at first, and one more with each change.
    Version,
    /// Time at which the row was deleted; null as long as it exists.
    Deleted,
    /// URL-friendly form of the named column, updated with it.
    Slug(&'static str),
    /// URL-friendly form that the named column had when the row was created.
    StableSlug(&'static str),
}

impl ColumnRole {
    /// Source column of a slug.
    pub fn slug_source(self) -> Option<&'static str> {
        match self {
            ColumnRole::Slug(source) | ColumnRole::StableSlug(source) => Some(source),
            _ => None,
        }
    }
}

/// Generation of primary keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyGeneration {
    /// The database assigns the next integer.
    AutoIncrement,
    /// The framework creates a UUID v7 when the row is inserted.
    UuidV7,
    /// The client sends the key.
    Client,
}
