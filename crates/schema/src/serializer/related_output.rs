//! Dumping of related rows, as objects or as values of one column.

use std::collections::HashSet;

use crate::column::Table;
use crate::json::write_value;
use crate::model::{Member, Record};
use crate::query::{AnyColumns, AnyWhere, FieldPath, SortKey};
use crate::relation::{JoinTable, Related, RelatedRow, Relation};
use crate::serializer::declaration::{SerializeError, SerializerType};
use crate::serializer::projection::{FieldSource, Projection, RelatedForm, RelatedOutput};
use crate::serializer::relation_columns::{RelatedOrder, RelationColumns};
use crate::serializer::visibility::PrivateColumns;
use crate::value::ValueRef;

impl RelatedOutput {
    pub(super) fn new(before: Vec<u8>, link: RelationColumns, relation: usize, form: RelatedForm) -> Self {
        let column = link.from;
        Self {
            member: Member { before, column },
            relation,
            is_many: link.is_many(),
            form,
        }
    }

    /// Whether it is a single value.
    #[cfg(feature = "csv")]
    pub(super) fn is_scalar(&self) -> bool {
        !self.is_many && matches!(self.form, RelatedForm::Values(..))
    }

    /// Writes the related object or objects of a value.
    pub(super) fn dump(
        &self,
        out: &mut Vec<u8>,
        value: ValueRef<'_>,
        related: &Related,
    ) -> Result<(), SerializeError> {
        if self.is_many {
            self.dump_many(out, value, related)
        } else {
            self.dump_one(out, value, related)
        }
    }

    fn dump_one(
        &self,
        out: &mut Vec<u8>,
        value: ValueRef<'_>,
        related: &Related,
    ) -> Result<(), SerializeError> {
        let (mut found, related) = related.rows_of(self.relation, value);
        match found.next() {
            Some(row) => self.form.dump_related(out, row, related),
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        }
    }

    fn dump_many(
        &self,
        out: &mut Vec<u8>,
        value: ValueRef<'_>,
        related: &Related,
    ) -> Result<(), SerializeError> {
        let (found, related) = related.rows_of(self.relation, value);
        out.push(b'[');
        for (count, row) in found.enumerate() {
            if count > 0 {
                out.push(b',');
            }
            self.form.dump_related(out, row, related)?;
        }
        out.push(b']');
        Ok(())
    }
}

impl RelatedForm {
    /// Writes a row, or the text that was written for it before.
    fn dump_related(
        &self,
        out: &mut Vec<u8>,
        row: &RelatedRow,
        related: &Related,
    ) -> Result<(), SerializeError> {
        let Some(kept) = &row.json else {
            return self.dump(out, &row.row, related);
        };
        if let Some(json) = kept.get() {
            out.extend_from_slice(json);
            return Ok(());
        }
        let start = out.len();
        self.dump(out, &row.row, related)?;
        let _ = kept.set(out[start..].to_vec());
        Ok(())
    }

    fn dump(&self, out: &mut Vec<u8>, row: &Record, related: &Related) -> Result<(), SerializeError> {
        match self {
            Self::Objects(projection) => projection.dump(out, row, related),
            Self::Values(column, private) => {
                let is_shown = private.as_ref().is_none_or(|private| private.are_shown_on(row));
                write_value(
                    out,
                    if is_shown {
                        row.values()[*column].borrow()
                    } else {
                        ValueRef::Null
                    },
                );
                Ok(())
            }
        }
    }
}

impl Projection {
    /// Relation whose rows are written as objects.
    pub(super) fn relation(&self, link: RelationColumns, table: &'static Table) -> Relation {
        Relation {
            through: link.join().map(|join| JoinTable {
                table: join.table,
                from: join.from,
                to: join.to,
                visible: self.visible(join.table),
            }),
            visible: self.visible(table),
            order: link
                .order
                .and_then(|order| self.order(order, table))
                .into_iter()
                .collect(),
            ..Relation::new(link.from, table, link.to)
        }
    }

    /// Relation of which one column is written, and the form of its rows.
    pub(super) fn relation_to_values(
        &self,
        link: RelationColumns,
        table: &'static Table,
    ) -> (Relation, RelatedForm) {
        let member = link.member.unwrap_or(table.primary_key);
        let private = self.private_columns(table);
        let private = private.filter(|private| private.columns.contains(member));
        let relation = Relation {
            // Other columns decide whether a private one is visible.
            columns: match private {
                Some(_) => AnyColumns::ALL,
                None => AnyColumns::NONE.with(member).with(link.to),
            },
            ..self.relation(link, table)
        };
        (relation, RelatedForm::Values(member, private))
    }

    /// Declared order, unless it would tell values of a column that the caller does not see on all rows.
    fn order(&self, order: RelatedOrder, table: &'static Table) -> Option<SortKey> {
        let RelatedOrder {
            column,
            descending,
            nulls,
        } = order;
        let is_hidden = match &self.visibility {
            Some(visibility) => visibility.hidden(table).contains(column),
            None => false,
        };
        let private = self.private_columns(table);
        let is_private = private.is_some_and(|private| private.columns.contains(column));
        (!is_hidden && !is_private).then(|| SortKey {
            path: FieldPath::new(Vec::new(), table, column, Vec::new()),
            descending,
            nulls,
        })
    }

    /// Columns of a table that the caller sees on some rows only, if any.
    pub(super) fn private_columns(&self, table: &'static Table) -> Option<PrivateColumns> {
        self.visibility.as_ref()?.private(table)
    }

    /// Visibility filter of a table's rows; `None` if all are visible.
    pub(super) fn visible(&self, table: &'static Table) -> Option<AnyWhere> {
        let visible = self
            .visibility
            .as_ref()
            .and_then(|visibility| visibility.rows(table));
        let visible = visible.unwrap_or(AnyWhere::all());
        // Deleted rows are related to nothing, also for callers who see them at their own URLs.
        let existing = visible.and(AnyWhere::not_deleted(table));
        (!existing.is_all()).then_some(existing)
    }
}

impl Projection {
    /// Tables that the relations of this serializer and of those that it leads to reach, join tables included.
    pub fn related_tables(&self) -> Vec<&'static Table> {
        let mut tables = Vec::new();
        self.add_related_tables(&mut tables, &mut HashSet::new());
        tables
    }

    fn add_related_tables(&self, tables: &mut Vec<&'static Table>, seen: &mut HashSet<SerializerType>) {
        for member in &self.members {
            if let FieldSource::Related(link, projection) = &member.source {
                tables.extend(link.join().map(|join| join.table));
                tables.push(projection.table);
                projection.add_related_tables(tables, seen);
            }
        }
        for relation in &*self.expandable {
            tables.extend(relation.link.join().map(|join| join.table));
            tables.push(relation.table);
            if seen.insert(relation.serializer()) {
                relation.projection().add_related_tables(tables, seen);
            }
        }
    }
}
