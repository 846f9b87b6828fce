//! Validation of column options at startup.

use crate::column::Column;
use crate::data_type::DataType;
use crate::message::code;
use crate::value::Value;

/// Rejects options of a column that do not fit its type or each other. The error names the column and the remedy.
pub(crate) fn check(column: &Column) -> Result<(), String> {
    check_json_name(column)?;
    check_options(column)?;
    check_foreign_key(column)?;
    check_messages(column)?;
    check_transitions(column)?;
    check_normalized(column)
}

/// Rejects a JSON name that queries cannot use, or that is reserved for object errors.
fn check_json_name(column: &Column) -> Result<(), String> {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_usable =
        |name: &str| name.starts_with(is_first) && name.chars().all(is_plain) && name != "_schema";
    match column.json_name.filter(|name| !is_usable(name)) {
        None => Ok(()),
        Some(name) => Err(format!(
            "column `{}` cannot have the name {name:?} in JSON: write one of letters, digits, `_` and `-` that begins \
             with a letter or `_`, and is not `_schema`",
            column.name
        )),
    }
}

/// Rejects a foreign key whose type differs from the referenced key: no value could match.
fn check_foreign_key(column: &Column) -> Result<(), String> {
    let Some(table) = column.references.map(|references| (references.table)()) else {
        return Ok(());
    };
    let key = table.key();
    if key.data_type == column.data_type {
        return Ok(());
    }
    Err(format!(
        "the foreign key `{}` is of type {:?}, and the key `{}` of {} that it references is of type {:?}: \
         give the field the type of the key",
        column.name, column.data_type, key.name, table.model, key.data_type
    ))
}

/// Rejects a custom `type` message for an enum, whose invalid values have the code `choice`.
fn check_messages(column: &Column) -> Result<(), String> {
    if matches!(column.data_type, DataType::Enum(_)) && column.messages.has(code::TYPE) {
        return Err(format!(
            "the message of `type` of column `{}` is never sent, since it holds an enum: write a message of `choice`",
            column.name
        ));
    }
    Ok(())
}

/// Rejects transitions of a column that is not an enum or may be null, and a default that no new row may have.
fn check_transitions(column: &Column) -> Result<(), String> {
    let transitions = column.transitions;
    if transitions.is_any() {
        return Ok(());
    }
    let DataType::Enum(names) = column.data_type else {
        return Err(format!(
            "transitions of column `{}` need an enum: derive ColumnEnum for the field's type",
            column.name
        ));
    };
    if column.nullable {
        return Err(format!(
            "transitions of column `{}` need a value in every row: take the Option off",
            column.name
        ));
    }
    let steps = transitions
        .steps
        .iter()
        .flat_map(|(from, to)| to.iter().chain([from]));
    if let Some(unknown) = steps
        .chain(transitions.initial)
        .find(|name| !names.contains(name))
    {
        return Err(format!(
            "the enum of column `{}` has no value {unknown:?} of its transitions",
            column.name
        ));
    }
    match column
        .default
        .filter(|default| !transitions.allow_initial(default))
    {
        Some(default) => Err(format!(
            "no new row may have the default {default:?} of column `{}`: add it to `new -> ..`",
            column.name
        )),
        None => Ok(()),
    }
}

/// Rejects a default or choice that `trim`, `lowercase`, `nfc` or the type would change, since no client could send it.
fn check_normalized(column: &Column) -> Result<(), String> {
    let mut texts = column.choices.to_vec();
    if column.data_type == DataType::Text {
        texts.extend(column.default);
    }
    for text in texts {
        if let Value::Text(normalized) = column.normalize(Value::Text(text.to_owned()))
            && normalized != text
        {
            return Err(format!(
                "trim, lowercase, nfc or the type of column `{}` changes its default or choice {text:?}: write {normalized:?}",
                column.name
            ));
        }
    }
    Ok(())
}

/// Rejects options that do not apply to the column's type.
fn check_options(column: &Column) -> Result<(), String> {
    let name = column.name;
    if let DataType::Decimal { precision, .. } = column.data_type
        && precision > DataType::MAX_DIGITS
    {
        return Err(format!(
            "column `{name}` has {precision} digits: a decimal has at most {}",
            DataType::MAX_DIGITS
        ));
    }
    let is_text = column.data_type == DataType::Text;
    let has_length = matches!(column.data_type, DataType::Text | DataType::Bytes);
    for (option, is_set, fits, remedy) in [
        (
            "pattern",
            column.pattern.is_some(),
            is_text,
            "needs a String field",
        ),
        (
            "choices",
            !column.choices.is_empty(),
            is_text,
            "needs a String field",
        ),
        ("email", column.email, is_text, "needs a String field"),
        (
            "trim, lowercase or nfc",
            column.trim || column.lowercase || column.nfc,
            is_text,
            "needs a String field",
        ),
        (
            "a length",
            column.min_length.is_some() || column.max_length.is_some(),
            has_length,
            "needs a String or Vec<u8> field",
        ),
        (
            "min or max",
            column.min.is_some() || column.max.is_some(),
            has_order(column.data_type),
            "needs a field of numbers, dates or times; bound a text by min_length and max_length",
        ),
    ] {
        if is_set && !fits {
            return Err(format!("{option} of column `{name}` {remedy}"));
        }
    }
    Ok(())
}

fn has_order(kind: DataType) -> bool {
    match kind {
        DataType::I16
        | DataType::I32
        | DataType::I64
        | DataType::F32
        | DataType::F64
        | DataType::Decimal { .. } => true,
        DataType::Date | DataType::Time | DataType::Timestamp => true,
        DataType::Bool
        | DataType::Text
        | DataType::Bytes
        | DataType::Uuid
        | DataType::Json
        | DataType::Enum(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{ColumnRole, KeyGeneration, OnDelete, Table};
    use crate::transitions::Transitions;

    static USERS: Table = Table::new(
        "users",
        "User",
        &[Column::new("id", DataType::I32).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement))],
    );

    fn users() -> &'static Table {
        &USERS
    }

    #[test]
    fn a_foreign_key_of_another_type_than_the_key_is_refused() {
        let mistake = |kind| check(&Column::new("user_id", kind).references(users, OnDelete::Restrict));
        assert_eq!(mistake(DataType::I32), Ok(()));
        for kind in [DataType::I64, DataType::Text, DataType::Uuid] {
            let mistake = mistake(kind).unwrap_err();
            assert!(
                mistake.contains("`user_id`") && mistake.contains("`id` of User"),
                "{mistake}"
            );
        }
    }

    #[test]
    fn a_name_in_json_that_queries_cannot_use_is_refused() {
        let check_name = |name| check(&Column::new("a", DataType::Text).json_name(name));
        for name in ["", "1a", "a.b", "-a", "a,b", "a[b]", "_schema"] {
            assert!(check_name(name).is_err(), "{name}");
        }
        for name in ["a", "givenName", "given-name", "_id", "a1"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn what_trim_or_lowercase_would_change_is_refused() {
        let column = Column::new("state", DataType::Text).lowercase();
        assert!(
            check(&column.default("Draft"))
                .unwrap_err()
                .contains("write \"draft\"")
        );
        assert!(check(&column.choices(&["Draft"])).is_err());
        assert_eq!(check(&column.choices(&["draft"]).default("draft")), Ok(()));
        assert!(
            check(&Column::new("size", DataType::I32).trim())
                .unwrap_err()
                .contains("String")
        );
    }

    #[test]
    fn transitions_are_between_values_of_an_enum_that_every_row_has() {
        let steps = Transitions::new(&[("draft", &["sent"])]);
        let state = Column::new("state", DataType::Enum(&["draft", "sent"])).transitions(steps);
        let mistake = |column: Column| check(&column).unwrap_err();
        assert_eq!(check(&state), Ok(()));
        assert!(mistake(state.nullable(true)).contains("take the Option off"));
        assert!(mistake(Column::new("state", DataType::Text).transitions(steps)).contains("ColumnEnum"));
        let other = Transitions::new(&[("draft", &["paid"])]);
        assert!(mistake(state.transitions(other)).contains("no value \"paid\""));
        let initial = state.transitions(steps.initial(&["draft"]));
        assert_eq!(check(&initial.default("draft")), Ok(()));
        assert!(mistake(initial.default("sent")).contains("`new -> ..`"));
    }
}
