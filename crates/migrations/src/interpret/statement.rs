//! Statements by their first words.

use model_resource_store::SqlDialect;

use super::alter_table;
use crate::error::MigrationResult;
use crate::parse::cursor::{TokenCursor, split};
use crate::parse::{read_tokens, unquoted};
use crate::state::{SchemaState, TableState};
use crate::table_name::{self, DEFAULT_SCHEMA, qualified};
use crate::token::{SqlToken, quoted_name};

/// Applies a statement.
pub(super) fn run(state: &mut SchemaState, statement: &[SqlToken]) -> MigrationResult {
    let mut cursor = TokenCursor::new(statement);
    if cursor.take(&["ALTER", "TABLE"]) {
        alter_table::run(state, &mut cursor)
    } else if cursor.take(&["ALTER", "TYPE"]) {
        alter_type(state, &mut cursor)
    } else if cursor.take(&["ALTER", "INDEX"]) {
        rename_index(state, &mut cursor)
    } else if cursor.take(&["DROP", "TABLE"]) {
        for (schema, name) in dropped(&mut cursor)? {
            drop_table(state, &qualified(schema.as_deref(), &name));
        }
        Ok(())
    } else if cursor.take(&["DROP", "INDEX"]) {
        cursor.take(&["CONCURRENTLY"]);
        for (schema, name) in dropped(&mut cursor)? {
            for table in tables_with(state, schema.as_deref(), &name) {
                table.indexes.remove(&name);
                table
                    .other_statements
                    .retain(|statement| !statement.contains(&quoted_name(&name)));
            }
        }
        Ok(())
    } else if cursor.take(&["DROP", "TYPE"]) {
        for (_, name) in dropped(&mut cursor)? {
            state.enums.remove(&name);
        }
        Ok(())
    } else if cursor.take(&["CREATE", "TABLE", "IF", "NOT", "EXISTS"])
        && state.tables.contains_key(&cursor.table_name(state.dialect)?)
    {
        Ok(())
    } else {
        read_tokens(state, statement)
    }
}

/// Names after `DROP`, each with its schema.
fn dropped(cursor: &mut TokenCursor<'_>) -> MigrationResult<Vec<(Option<String>, String)>> {
    cursor.take(&["IF", "EXISTS"]);
    let names = split(cursor.rest(), ",").into_iter();
    names
        .map(|part| TokenCursor::new(part).schema_and_name(SqlDialect::Postgres))
        .collect()
}

/// Tables whose index a statement can mean by its name: those of the schema before it. Without one, those that have no
/// schema either, or all if none of these has the index, since the search path is not known.
fn tables_with<'s>(
    state: &'s mut SchemaState,
    schema: Option<&'s str>,
    index: &str,
) -> impl Iterator<Item = &'s mut TableState> {
    let own_schema = |table: &TableState| {
        let (schema, _) = table_name::split(SqlDialect::Postgres, &table.name);
        schema.unwrap_or(DEFAULT_SCHEMA).to_owned()
    };
    let mut tables = state.tables.values();
    let is_plain =
        tables.any(|table| own_schema(table) == DEFAULT_SCHEMA && table.indexes.contains_key(index));
    let schema = schema.or(is_plain.then_some(DEFAULT_SCHEMA));
    let tables = state.tables.values_mut();
    tables.filter(move |table| schema.is_none_or(|schema| own_schema(table) == schema))
}

/// Removes a table and the foreign keys that reference it.
fn drop_table(state: &mut SchemaState, name: &str) {
    state.tables.remove(name);
    for table in state.tables.values_mut() {
        table.foreign_keys.retain(|key| key.table != name);
    }
}

fn rename_index(state: &mut SchemaState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    cursor.take(&["IF", "EXISTS"]);
    let (schema, from) = cursor.schema_and_name(SqlDialect::Postgres)?;
    if !cursor.take(&["RENAME", "TO"]) {
        return Ok(());
    }
    let to = cursor.name()?;
    for table in tables_with(state, schema.as_deref(), &from) {
        if let Some(mut index) = table.indexes.remove(&from) {
            index.name.clone_from(&to);
            table.indexes.insert(to.clone(), index);
        }
    }
    Ok(())
}

fn alter_type(state: &mut SchemaState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    let name = cursor.name()?;
    if cursor.take(&["RENAME", "TO"]) {
        let to = cursor.name()?;
        if let Some(labels) = state.enums.remove(&name) {
            state.enums.insert(to.clone(), labels);
        }
        let (from, to) = (quoted_name(&name), quoted_name(&to));
        let columns = state.tables.values_mut().flat_map(|table| &mut table.columns);
        for column in columns.filter(|column| column.data_type == from) {
            column.data_type.clone_from(&to);
        }
        return Ok(());
    }
    let Some(labels) = state.enums.get_mut(&name) else {
        return Ok(());
    };
    if cursor.take(&["ADD", "VALUE"]) {
        cursor.take(&["IF", "NOT", "EXISTS"]);
        add_label(labels, cursor)
    } else if cursor.take(&["RENAME", "VALUE"]) {
        let from = label(cursor)?;
        cursor.take(&["TO"]);
        let to = label(cursor)?;
        for own in labels.iter_mut().filter(|own| **own == from) {
            own.clone_from(&to);
        }
        Ok(())
    } else {
        Err(cursor.unexpected("a known change of an enum type"))
    }
}

fn add_label(labels: &mut Vec<String>, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    let added = label(cursor)?;
    if labels.contains(&added) {
        return Ok(());
    }
    let is_before = cursor.take(&["BEFORE"]);
    let place = if is_before || cursor.take(&["AFTER"]) {
        let other = label(cursor)?;
        let place = labels.iter().position(|own| *own == other);
        place.map(|place| if is_before { place } else { place + 1 })
    } else {
        None
    };
    labels.insert(place.unwrap_or(labels.len()), added);
    Ok(())
}

fn label(cursor: &mut TokenCursor<'_>) -> MigrationResult<String> {
    match cursor.next() {
        Some(SqlToken::Literal(literal)) => Ok(unquoted(literal)),
        _ => Err(cursor.unexpected("a label")),
    }
}
