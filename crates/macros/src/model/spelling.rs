//! Options of other frameworks, and their equivalents.

use crate::suggest;

/// Option names of Django, SQLAlchemy, serde and others, and the remedy for each group.
type Foreign = &'static [(&'static [&'static str], &'static str)];

const COLUMN: Foreign = &[
    (
        &["blank", "not_null", "null", "nullable", "optional", "required"],
        "make the field an Option to accept null; any other column without a `default` is required",
    ),
    (
        &["id", "identity", "key", "pk"],
        "write #[column(primary_key)] for the primary key",
    ),
    (
        &["autoincrement", "serial"],
        "write #[column(primary_key)] on an i64, which the database counts",
    ),
    (
        &["auto_now_add", "created_at", "creation_timestamp"],
        "write #[column(created)] for the time at which the row was created",
    ),
    (
        &["auto_now", "on_update", "updated_at"],
        "write #[column(updated)] for the time of the last change",
    ),
    (
        &[
            "deleted",
            "deleted_at",
            "is_deleted",
            "logical_delete",
            "paranoid",
        ],
        "write #[column(soft_delete)] on an Option<Timestamp> for the time at which the row was deleted",
    ),
    (
        &["default_factory", "default_value", "server_default"],
        "write a literal: #[column(default = 0)]",
    ),
    (
        &["column", "column_name", "db_column"],
        "write the name of the database column as #[column(name = \"first_name\")]",
    ),
    (
        &["alias", "data_key", "rename", "serialized_name"],
        "write the name in JSON as #[column(json = \"givenName\")]",
    ),
    (
        &["belongs_to", "fk", "foreign_key", "relation", "to"],
        "write a foreign key as #[column(references = User)] on a field such as `user_id: i64`",
    ),
    (
        &["back_populates", "backref", "has_many", "related_name"],
        "declare the objects that refer to a row in its serializer: `fields.has_many::<CommentSerializer>(\"comments\", \
         Comment::ARTICLE_ID)`",
    ),
    (
        &["many_to_many", "through"],
        "write the model of the table between the two, with a foreign key to each of them",
    ),
    (
        &["always_update", "populate_from", "slug_from"],
        "write #[column(slug(from = title))] with the field that the slug is made from",
    ),
    (
        &["decimal_places", "max_digits"],
        "write the digits of a Decimal as #[column(precision = 10, scale = 2)]",
    ),
    (
        &["length", "size"],
        "write #[column(min_length = 1, max_length = 200)]",
    ),
    (
        &["ge", "greater_than", "gt", "min_value", "minimum"],
        "write the least value as #[column(min = 0)]",
    ),
    (
        &["le", "less_than", "lt", "max_value", "maximum", "range"],
        "write the greatest value as #[column(max = 100)], and the least one as `min`",
    ),
    (&["regex", "regexp"], "write #[column(pattern = \"[a-z]+\")]"),
    (&["strip"], "write #[column(trim)]"),
    (&["lower", "to_lowercase"], "write #[column(lowercase)]"),
    (
        &["normalize", "normalized", "unicode"],
        "write #[column(nfc)] to store equal texts in equal bytes",
    ),
    (
        &["enum", "values", "variants"],
        "make an enum with #[derive(ColumnEnum)] the type of the field, or write #[column(choices = [\"draft\", \"final\"])]",
    ),
    (
        &["fsm", "state", "state_machine", "states", "transition"],
        "write #[column(transitions(Draft -> Sent | Void, Sent -> Paid))] on a field whose type is an enum",
    ),
    (
        &["error_messages", "messages"],
        "write #[column(message(required = \"Please enter a title.\"))]",
    ),
    (
        &["check", "validate", "validator", "validators"],
        "write the check in the serializer: `fields.validate(Article::TITLE, ..)` in `fn fields`, or `fn validate` for the whole object; \
         a condition of the database is `check(positive = Article::SIZE.gt(0))` in #[model(..)]",
    ),
    (
        &["editable", "read_only"],
        "write `const READ_ONLY: Columns<Article> = Columns::of(Article::TITLE)` in the serializer",
    ),
    (
        &["write_only"],
        "write `const WRITE_ONLY: Columns<Article> = Columns::of(Article::TITLE)` in the serializer",
    ),
    (
        &["exclude", "ignore", "private", "skip"],
        "write #[column(hidden)] for a column that no client reads or writes, or `const EXCLUDE: Columns<Article> = Columns::of(Article::TITLE)` in \
         one serializer",
    ),
    (
        &["db_index", "index", "indexed"],
        "write #[model(index(created_at))] on the struct; `unique` and `references` have an index anyway",
    ),
    (
        &["unique_for_date", "unique_together", "unique_with"],
        "write #[model(unique(branch_id, barcode))] on the struct",
    ),
    (
        &["db_type", "sql_type", "type"],
        "the type of the column follows from the Rust type of the field: remove it",
    ),
    (
        &[
            "comment",
            "description",
            "doc",
            "help_text",
            "label",
            "verbose_name",
        ],
        "write it as a doc comment of the field",
    ),
];

const MODEL: Foreign = &[
    (
        &["db_table", "name", "table_name"],
        "write #[model(table = \"users\")]",
    ),
    (
        &["db_schema", "schema_name"],
        "write #[model(schema = \"crm\", table = \"customers\")]",
    ),
    (
        &["order_by", "ordering"],
        "lists are sorted by the primary key, or as a client asks by `?sort=-createdAt`: remove it",
    ),
    (
        &["index_together", "indexes"],
        "write `index(branch_id, created_at desc)`, once for each index",
    ),
    (
        &["unique_index", "unique_together", "unique_with"],
        "write `unique(branch_id, barcode)`",
    ),
    (
        &["check_constraint", "checks", "constraint", "constraints"],
        "write `check(ends_after_start = Loan::ENDS_AT.gt_field(Loan::STARTS_AT))` or `unique(branch_id, barcode)`, once for each \
         constraint",
    ),
    (
        &["rename_all"],
        "names in JSON are the fields in lowerCamelCase; write another one as #[column(json = \"given_name\")]",
    ),
];

/// Formats the message for an unknown option of `#[column(..)]`.
pub(super) fn unknown_of_column(name: &str, known: &[&str]) -> String {
    unknown(name, COLUMN, known)
}

/// Formats the message for an unknown option of `#[model(..)]`.
pub(super) fn unknown_of_model(name: &str, known: &[&str]) -> String {
    unknown(name, MODEL, known)
}

fn unknown(name: &str, foreign: Foreign, known: &[&str]) -> String {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let is_same = |names: &[&str]| names.iter().any(|other| plain(other) == plain(name));
    match foreign.iter().find(|(names, _)| is_same(names)) {
        Some((_, remedy)) => format!("unknown option `{name}`: {remedy}"),
        None => suggest::unknown("option", name, known),
    }
}

/// Formats the message for an unknown value of `on_delete`, with its equivalent in Django, SQLAlchemy or SQL.
pub(super) fn unknown_on_delete(given: &str) -> String {
    let last = given.rsplit(['.', ':']).next().unwrap_or(given).trim_matches('"');
    let name = last.to_lowercase().replace([' ', '-'], "_");
    let meant = match name.as_str() {
        "restrict" | "protect" | "do_nothing" | "no_action" => "restrict",
        "cascade" | "delete" | "delete_orphan" => "cascade",
        "set_null" | "nullify" => "set_null",
        "set_default" | "set" => {
            return format!(
                "a deletion cannot set another value than null: write `on_delete = set_null` instead of `{given}`, or \
                 `restrict` or `cascade`"
            );
        }
        _ => return suggest::unknown("value", &name, &["restrict", "cascade", "set_null"]),
    };
    format!("write `on_delete = {meant}` instead of `{given}`; the values are restrict, cascade, set_null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_foreign_name_is_listed_once_and_is_no_option() {
        for foreign in [COLUMN, MODEL] {
            let mut names: Vec<&str> = foreign.iter().flat_map(|(names, _)| *names).copied().collect();
            names.sort_unstable();
            let all = names.len();
            names.dedup();
            assert_eq!(names.len(), all);
            assert!(!names.contains(&"unique") && !names.contains(&"table"));
        }
    }

    #[test]
    fn the_actions_of_other_frameworks_have_a_counterpart() {
        for (given, remedy) in [
            ("protect", "write `on_delete = restrict`"),
            ("models.PROTECT", "write `on_delete = restrict`"),
            ("CASCADE", "write `on_delete = cascade`"),
            ("\"SET NULL\"", "write `on_delete = set_null`"),
            ("OnDelete::SetNull", "did you mean `set_null`?"),
            ("SET_DEFAULT", "cannot set another value than null"),
            ("cascde", "did you mean `cascade`?"),
        ] {
            let message = unknown_on_delete(given);
            assert!(message.contains(remedy), "{given}: {message}");
        }
    }
}
