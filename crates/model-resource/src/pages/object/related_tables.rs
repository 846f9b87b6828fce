//! Tables of related objects that have no pages of their own, such as the lines of an invoice.

use minijinja::Value as Html;
use model_resource_schema::serializer::{ObjectSchema, OutputSchema, OutputValue};
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::labels::{Labels, ReferencedKeys};
use crate::pages::list::{TableRows, push_table, references, related_columns};
use crate::pages::object::joined::ShownObject;
use crate::pages::site::{self, Site};

/// Related objects of one relation.
#[derive(Serialize)]
pub(crate) struct RelatedTable {
    title: String,
    count: usize,
    /// Table of the objects; `None` if there are none.
    table: Option<Html>,
}

/// Fields of the objects that a relation shows as a table: those of several objects without pages.
pub(crate) fn table_fields<'f>(site: &Site<'_>, field: &'f OutputSchema) -> Option<&'f [OutputSchema]> {
    match &field.value {
        OutputValue::Related {
            model,
            is_many: true,
            fields,
            ..
        } if site.item(model).is_none() && !fields.is_empty() => Some(fields),
        _ => None,
    }
}

/// Objects that the foreign keys in these tables reference.
pub(crate) fn add_table_references(
    site: &Site<'_>,
    schema: &ObjectSchema,
    shown: ShownObject<'_>,
    keys: &mut ReferencedKeys,
) {
    for field in &schema.output {
        let rows = shown.get(&field.name).and_then(|value| value.as_array());
        if let Some((fields, rows)) = table_fields(site, field).zip(rows) {
            for (model, found) in references(rows, &related_columns(fields)) {
                keys.entry(model).or_default().extend(found);
            }
        }
    }
}

/// Tables of an object's relations.
pub(crate) fn related_tables(
    site: &Site<'_>,
    action: &ActionDescription,
    shown: ShownObject<'_>,
    labels: &Labels,
) -> Vec<RelatedTable> {
    let fields = action.response.iter().flat_map(|schema| &schema.output);
    let tables = fields.filter_map(|field| {
        let columns = related_columns(table_fields(site, field)?);
        let rows = shown.get(&field.name)?.as_array()?;
        let title = site.field_label(action, &field.name, &field.label, site::reference(field));
        let table = TableRows::unlinked(rows, &columns, labels);
        Some(RelatedTable {
            count: rows.len(),
            table: (!rows.is_empty()).then(|| Html::from_safe_string(push_table(&table, &title))),
            title,
        })
    });
    tables.collect()
}
