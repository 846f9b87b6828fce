//! Random models as plain data.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;

use super::kind::{Kind, LABELS, any_kind};

/// A random schema.
#[derive(Debug, Clone)]
pub(super) struct RandomModels {
    /// Number of the enum's labels.
    pub(super) labels: usize,
    /// Tables by the number in their name.
    pub(super) tables: BTreeMap<usize, RandomModel>,
}

/// A random model.
#[derive(Debug, Clone)]
pub(super) struct RandomModel {
    pub(super) key: RandomKey,
    /// Columns by the number in their name.
    pub(super) columns: BTreeMap<usize, RandomField>,
}

/// Primary key of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RandomKey {
    /// The database assigns it.
    Assigned,
    /// Clients send an integer.
    I32,
    /// Clients send an integer.
    I64,
    /// Clients send a text.
    Text,
    Uuid,
}

/// A random column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RandomField {
    pub(super) kind: Kind,
    /// Kind that it has in the other schema, or its own.
    pub(super) other: Kind,
    pub(super) is_nullable: bool,
    pub(super) is_unique: bool,
    pub(super) has_check: bool,
    /// Whether the model has a default.
    pub(super) has_default: bool,
    pub(super) index: Option<RandomIndex>,
    /// Whether it is unique together with the key.
    pub(super) is_unique_with_key: bool,
    /// Number of the table that it references, which decides on its kind.
    pub(super) target: Option<usize>,
    /// Distinguishes its values from those of other columns.
    pub(super) offset: u32,
}

/// Index of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RandomIndex {
    pub(super) is_descending: bool,
    pub(super) is_partial: bool,
}

impl RandomKey {
    /// Returns the kind of the key's column.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Assigned | Self::I64 => Kind::I64,
            Self::I32 => Kind::I32,
            Self::Text => Kind::Text,
            Self::Uuid => Kind::Uuid,
        }
    }

    /// Whether the values of a key can become those of another one.
    pub(super) fn can_become(self, other: Self) -> bool {
        let is_integer = |key| matches!(key, Self::Assigned | Self::I32 | Self::I64);
        self == other || is_integer(self) && is_integer(other)
    }
}

fn field() -> impl Strategy<Value = RandomField> {
    let index = prop::option::weighted(
        0.4,
        (any::<bool>(), any::<bool>()).prop_map(|(is_descending, is_partial)| RandomIndex {
            is_descending,
            is_partial,
        }),
    );
    let rarely = || prop::bool::weighted(0.25);
    let flags = (any::<bool>(), rarely(), any::<bool>(), any::<bool>(), rarely());
    let target = prop::option::weighted(0.25, 0..4usize);
    (any_kind(), flags, index, target, 0..4u32).prop_map(|(kind, flags, index, target, offset)| {
        let (is_nullable, is_unique, has_check, has_default, is_unique_with_key) = flags;
        RandomField {
            kind,
            other: kind,
            is_nullable,
            is_unique,
            has_check,
            has_default,
            index,
            is_unique_with_key,
            target,
            offset,
        }
    })
}

fn model() -> impl Strategy<Value = RandomModel> {
    let key = select(
        &[
            RandomKey::Assigned,
            RandomKey::Assigned,
            RandomKey::I32,
            RandomKey::I64,
            RandomKey::Text,
            RandomKey::Uuid,
        ][..],
    );
    let columns = prop::collection::btree_map(0..5usize, field(), 1..5);
    (key, columns).prop_map(|(key, columns)| RandomModel { key, columns })
}

/// Returns any models.
pub(super) fn any_models() -> impl Strategy<Value = RandomModels> {
    let tables = prop::collection::btree_map(0..4usize, model(), 1..4);
    (0..LABELS.len(), tables).prop_map(|(labels, tables)| RandomModels { labels, tables })
}
