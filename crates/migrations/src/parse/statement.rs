//! Statements by their first words.

use super::cursor::{TokenCursor, split};
use super::{index, table};
use crate::error::MigrationResult;
use crate::state::{ForeignKeyState, SchemaState};
use crate::token::{SqlToken, tokens};

/// Adds the tables, indexes and enum types of statements to a schema.
pub(crate) fn read_all(state: &mut SchemaState, sql: &str) -> MigrationResult {
    for statement in split(&tokens(sql), ";") {
        read_tokens(state, statement)?;
    }
    Ok(())
}

/// Adds the table or index of one statement to a schema.
#[cfg(feature = "sqlite")]
pub(crate) fn read_one(state: &mut SchemaState, sql: &str) -> MigrationResult {
    read_tokens(state, &tokens(sql))
}

/// Adds the table, index or enum type of one statement to a schema. Other statements are ignored.
pub(crate) fn read_tokens(state: &mut SchemaState, statement: &[SqlToken]) -> MigrationResult {
    let mut cursor = TokenCursor::new(statement);
    if cursor.take(&["DO"]) {
        return read_enum_type(state, &mut cursor);
    }
    if !cursor.take(&["CREATE"]) {
        return Ok(());
    }
    let is_unique = cursor.take(&["UNIQUE"]);
    if cursor.take(&["INDEX"]) {
        return index::read(state, &mut cursor, is_unique, statement);
    }
    if cursor.take(&["TABLE"]) {
        return table::read(state, &mut cursor);
    }
    if cursor.take(&["TYPE"]) {
        return create_type(state, &mut cursor);
    }
    Ok(())
}

/// Reads the enum type that a `DO` statement creates unless it exists.
fn read_enum_type(state: &mut SchemaState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    let Some(SqlToken::Literal(body)) = cursor.next() else {
        return Ok(());
    };
    let body = tokens(&unquoted(body));
    let mut cursor = TokenCursor::new(&body);
    cursor.take(&["BEGIN"]);
    if cursor.take(&["CREATE", "TYPE"]) {
        return create_type(state, &mut cursor);
    }
    Ok(())
}

/// Reads an enum type after `CREATE TYPE`. One that exists already is kept.
fn create_type(state: &mut SchemaState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    let name = cursor.name()?;
    if !cursor.take(&["AS", "ENUM"]) {
        return Ok(());
    }
    let labels = cursor.group()?.iter().filter_map(|token| match token {
        SqlToken::Literal(label) => Some(unquoted(label)),
        SqlToken::Word(_) | SqlToken::Name(_) | SqlToken::Symbol(_) | SqlToken::Comment(_) => None,
    });
    state.enums.entry(name).or_insert_with(|| labels.collect());
    Ok(())
}

/// Text of a literal.
pub(crate) fn unquoted(literal: &str) -> String {
    if let Some(rest) = literal.strip_prefix('$') {
        let tag = rest.find('$').map_or(1, |end| end + 2);
        let body = literal.get(tag..literal.len().saturating_sub(tag));
        return body.unwrap_or_default().to_owned();
    }
    let inner = literal.strip_prefix('\'').unwrap_or(literal);
    inner.strip_suffix('\'').unwrap_or(inner).replace("''", "'")
}

/// Completes foreign keys that reference the primary key without naming it.
pub(crate) fn resolve_targets(state: &mut SchemaState) {
    let keys: Vec<_> = state
        .tables
        .iter()
        .map(|(name, table)| (name.clone(), table.primary_key.columns.clone()))
        .collect();
    for table in state.tables.values_mut() {
        let complete = |mut key: ForeignKeyState| {
            let found = keys.iter().find(|(name, _)| *name == key.table);
            if let (true, Some((_, columns))) = (key.targets.is_empty(), found) {
                key.targets.clone_from(columns);
            }
            key
        };
        table.foreign_keys = std::mem::take(&mut table.foreign_keys)
            .into_iter()
            .map(complete)
            .collect();
    }
}
