//! Definitions of columns and their constraints.

use model_resource_store::SqlDialect;

use super::cursor::TokenCursor;
use crate::encoding::IntegerEncoding;
use crate::error::MigrationResult;
use crate::state::{ColumnState, ForeignKeyState, TableState};
use crate::token::{SqlToken, text};

/// Words that end the type of a column.
const CONSTRAINTS: [&str; 12] = [
    "CONSTRAINT",
    "PRIMARY",
    "NOT",
    "NULL",
    "UNIQUE",
    "CHECK",
    "DEFAULT",
    "COLLATE",
    "REFERENCES",
    "GENERATED",
    "AS",
    "USING",
];

/// A check before its expression is normalized: its name and its tokens.
pub(crate) type FoundCheck = (Option<String>, Vec<SqlToken>);

/// Reads the definition of a column into its table.
pub(crate) fn read(
    dialect: SqlDialect,
    tokens: &[SqlToken],
    table: &mut TableState,
    checks: &mut Vec<FoundCheck>,
) -> MigrationResult {
    let mut cursor = TokenCursor::new(tokens);
    let name = cursor.name()?;
    let (data_type, encoding) = data_type(dialect, &mut cursor);
    let mut column = ColumnState {
        name,
        data_type,
        encoding,
        is_nullable: true,
        default: None,
        options: String::new(),
    };
    let mut name = None;
    while cursor.peek().is_some() {
        if cursor.take(&["CONSTRAINT"]) {
            name = Some(cursor.name()?);
        } else if cursor.take(&["CHECK"]) {
            checks.push((name.take(), cursor.group()?.to_vec()));
        } else if cursor.take(&["REFERENCES"]) {
            let key = references(dialect, &mut cursor, vec![column.name.clone()])?;
            table.foreign_keys.insert(key);
        } else if cursor.take(&["UNIQUE"]) {
            table.uniques.insert(vec![column.name.clone()]);
        } else if cursor.take(&["PRIMARY", "KEY"]) {
            table.primary_key.columns = vec![column.name.clone()];
        } else if cursor.take(&["AUTOINCREMENT"])
            || cursor.take(&["GENERATED", "BY", "DEFAULT", "AS", "IDENTITY"])
        {
            table.primary_key.is_assigned = true;
        } else {
            read_property(&mut cursor, &mut column)?;
        }
    }
    table.columns.push(column);
    Ok(())
}

/// Reads what belongs to the column alone.
fn read_property(cursor: &mut TokenCursor<'_>, column: &mut ColumnState) -> MigrationResult {
    if cursor.take(&["NOT", "NULL"]) {
        column.is_nullable = false;
    } else if cursor.take(&["NULL"]) {
        column.is_nullable = true;
    } else if cursor.take(&["DEFAULT"]) {
        column.default = Some(default(cursor)?);
    } else if cursor.is_at_group() {
        let group = text(cursor.group()?);
        push_option(column, &format!("({group})"));
    } else if let Some(token) = cursor.next() {
        push_option(column, &text(std::slice::from_ref(token)));
    }
    Ok(())
}

fn push_option(column: &mut ColumnState, option: &str) {
    if !column.options.is_empty() {
        column.options.push(' ');
    }
    column.options.push_str(option);
}

/// Reads the type of a column, in the letters that its database is used to.
pub(crate) fn data_type(
    dialect: SqlDialect,
    cursor: &mut TokenCursor<'_>,
) -> (String, Option<IntegerEncoding>) {
    let rest = cursor.rest();
    let is_end = |token: &SqlToken| CONSTRAINTS.iter().any(|word| token.is_word(word));
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    for _ in 0..length {
        cursor.next();
    }
    let mut encoding = None;
    let folded = rest[..length].iter().filter_map(|token| match (token, dialect) {
        (SqlToken::Word(word), SqlDialect::Sqlite) => Some(SqlToken::Word(word.to_uppercase())),
        (SqlToken::Word(word), SqlDialect::Postgres) => Some(SqlToken::Word(word.to_lowercase())),
        (SqlToken::Name(_) | SqlToken::Literal(_) | SqlToken::Symbol(_), _) => Some(token.clone()),
        (SqlToken::Comment(comment), _) => {
            encoding = IntegerEncoding::parse(comment);
            None
        }
    });
    let folded: Vec<_> = folded.collect();
    (text(&folded).replace(" (", "("), encoding)
}

/// Reads an expression after `DEFAULT`.
pub(crate) fn default(cursor: &mut TokenCursor<'_>) -> MigrationResult<String> {
    if cursor.is_at_group() {
        return Ok(format!("({})", text(cursor.group()?)));
    }
    let rest = cursor.rest();
    let is_signed = rest
        .first()
        .is_some_and(|token| token.is_symbol("-") || token.is_symbol("+"));
    let mut length = if is_signed { 2 } else { 1 };
    // A cast of a literal, as in `'2024-01-01'::date`.
    while rest.get(length).is_some_and(|token| token.is_symbol("::")) {
        length += 2;
        while rest.get(length).is_some_and(|token| token.is_word("PRECISION")) {
            length += 1;
        }
    }
    let length = length.min(rest.len());
    for _ in 0..length {
        cursor.next();
    }
    Ok(text(&rest[..length]))
}

/// Reads the target of a foreign key, after `REFERENCES`.
pub(crate) fn references(
    dialect: SqlDialect,
    cursor: &mut TokenCursor<'_>,
    columns: Vec<String>,
) -> MigrationResult<ForeignKeyState> {
    let table = cursor.table_name(dialect)?;
    let targets = if cursor.is_at_group() {
        cursor.names()?
    } else {
        Vec::new()
    };
    let (mut on_delete, mut options) = (String::new(), Vec::new());
    loop {
        if cursor.take(&["ON", "DELETE"]) {
            on_delete = action(cursor);
        } else if cursor.take(&["ON", "UPDATE"]) {
            options.push(format!("ON UPDATE {}", action(cursor)));
        } else if cursor.take(&["MATCH"]) {
            options.push(format!("MATCH {}", cursor.name()?.to_uppercase()));
        } else if cursor.take(&["NOT", "DEFERRABLE"]) || cursor.take(&["INITIALLY", "IMMEDIATE"]) {
            // The default.
        } else if cursor.take(&["DEFERRABLE"]) {
            options.push("DEFERRABLE".to_owned());
        } else if cursor.take(&["INITIALLY", "DEFERRED"]) {
            options.push("INITIALLY DEFERRED".to_owned());
        } else {
            break;
        }
    }
    Ok(ForeignKeyState {
        columns,
        table,
        targets,
        on_delete,
        options: options.join(" "),
    })
}

/// Reads the action of a foreign key; empty for none.
fn action(cursor: &mut TokenCursor<'_>) -> String {
    for action in [
        &["SET", "NULL"][..],
        &["SET", "DEFAULT"],
        &["CASCADE"],
        &["RESTRICT"],
    ] {
        if cursor.take(action) {
            return action.join(" ");
        }
    }
    cursor.take(&["NO", "ACTION"]);
    String::new()
}
