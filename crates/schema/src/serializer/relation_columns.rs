//! Columns of relations.

use crate::column::Table;
use crate::query::Nulls;

/// Columns that relate two tables, and the form in which related rows are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelationColumns {
    /// Column of this table.
    pub(super) from: usize,
    /// Column of the related table.
    pub(super) to: usize,
    pub(super) kind: RelationKind,
    /// Column that is written instead of the object, if one is.
    pub(super) member: Option<usize>,
    /// Declared order of the related rows of one row.
    pub(super) order: Option<RelatedOrder>,
    /// Documentation of the relation for clients; empty if there is none.
    pub(super) description: &'static str,
}

/// Table that has the foreign key of a relation.
#[derive(Debug, Clone, Copy)]
pub(super) enum RelationKind {
    /// This table.
    BelongsTo,
    /// The related table, where it is unique.
    HasOne,
    /// The related table.
    HasMany,
    /// A join table, which has one to each side.
    ManyToMany(JoinColumns),
}

/// Foreign keys of a join table.
#[derive(Debug, Clone, Copy)]
pub(super) struct JoinColumns {
    pub(super) table: &'static Table,
    /// Column that references this table.
    pub(super) from: usize,
    /// Column that references the related table.
    pub(super) to: usize,
}

/// Order of related rows by a column of their own.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelatedOrder {
    pub(super) column: usize,
    pub(super) descending: bool,
    pub(super) nulls: Nulls,
}

impl RelationColumns {
    pub(super) fn new(from: usize, to: usize, kind: RelationKind) -> Self {
        Self {
            from,
            to,
            kind,
            member: None,
            order: None,
            description: "",
        }
    }

    /// Whether a row may have several related rows.
    pub(super) fn is_many(self) -> bool {
        match self.kind {
            RelationKind::BelongsTo | RelationKind::HasOne => false,
            RelationKind::HasMany | RelationKind::ManyToMany(_) => true,
        }
    }

    /// Foreign keys of the join table, if there is one.
    pub(super) fn join(self) -> Option<JoinColumns> {
        match self.kind {
            RelationKind::ManyToMany(join) => Some(join),
            RelationKind::BelongsTo | RelationKind::HasOne | RelationKind::HasMany => None,
        }
    }

    /// Checks that the relation leads over foreign keys between the tables, and that its member may be written.
    pub(super) fn check(self, name: &str, here: &'static Table, there: &'static Table) -> Result<(), String> {
        match self.kind {
            RelationKind::BelongsTo => check_key(name, here, self.from, there)?,
            RelationKind::HasOne | RelationKind::HasMany => check_key(name, there, self.to, here)?,
            RelationKind::ManyToMany(join) => {
                check_key(name, join.table, join.from, here)?;
                check_key(name, join.table, join.to, there)?;
            }
        }
        self.check_unique(name, there)?;
        match self.member.map(|member| &there.columns[member]) {
            Some(member) if member.hidden => Err(format!(
                "relation `{name}`: column `{}` of {} is hidden and cannot be written",
                member.name, there.model
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// Checks what the kind of the relation says about the number of rows.
    fn check_unique(self, name: &str, there: &'static Table) -> Result<(), String> {
        match self.kind {
            RelationKind::HasOne if !there.columns[self.to].unique => Err(format!(
                "relation `{name}`: column `{}` of {} must be `unique`, since several rows could reference one; \
                 or use `has_many`",
                there.columns[self.to].name, there.model
            )),
            RelationKind::ManyToMany(join) if join.from == join.to => Err(format!(
                "relation `{name}`: column `{}` of {} is given twice; the first column references this model and \
                 the second one the related model",
                join.table.columns[join.to].name, join.table.model
            )),
            RelationKind::BelongsTo
            | RelationKind::HasOne
            | RelationKind::HasMany
            | RelationKind::ManyToMany(_) => Ok(()),
        }
    }
}

/// Checks that a column is a foreign key to a table.
fn check_key(
    name: &str,
    holder: &'static Table,
    column: usize,
    referenced: &'static Table,
) -> Result<(), String> {
    let foreign_key = &holder.columns[column];
    let leads_to = foreign_key.references.map(|references| (references.table)());
    if leads_to.is_some_and(|table| table.id() == referenced.id()) {
        return Ok(());
    }
    Err(format!(
        "relation `{name}`: column `{}` of {} must have `references = {}`",
        foreign_key.name, holder.model, referenced.model
    ))
}
