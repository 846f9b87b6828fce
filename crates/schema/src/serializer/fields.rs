//! Sets of a model's columns, by name.

/// Some of a model's columns, written with [`fields!`](crate::fields).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fields(Names);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    All,
    Only(&'static [&'static str]),
}

impl Fields {
    /// Every column.
    pub const ALL: Self = Self(Names::All);
    /// No column.
    pub const NONE: Self = Self::only(&[]);

    /// The columns of these names.
    pub const fn only(names: &'static [&'static str]) -> Self {
        Self(Names::Only(names))
    }

    /// Whether the column belongs to the set.
    pub fn contains(&self, column: &str) -> bool {
        match self.0 {
            Names::All => true,
            Names::Only(names) => names.contains(&column),
        }
    }

    /// The names, unless the set is all columns.
    pub fn names(&self) -> &'static [&'static str] {
        match self.0 {
            Names::All => &[],
            Names::Only(names) => names,
        }
    }
}

/// Names columns: `fields![email, password_hash]`.
#[macro_export]
macro_rules! fields {
    ($($name:ident),* $(,)?) => { $crate::serializer::Fields::only(&[$(stringify!($name)),*]) };
}
