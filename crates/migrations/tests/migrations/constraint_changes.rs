use crate::change::{COLUMNS, ROWS, change, state, tags};
use model_resource_migrations::{MigrationAnswers, diff};

const ALL: &str = "SELECT * FROM tags ORDER BY id";
const KEPT: &[&str] = &["1|'rust'|10", "2|'sql'|null", "5|'7'|7"];

/// Asserts that a constraint is added and removed again, and the other way round.
#[track_caller]
fn constraint(with: &str, refused: &str) {
    change(&tags(COLUMNS), &tags(with))
        .rows(ROWS)
        .up()
        .has(ALL, KEPT)
        .refuses(refused)
        .down()
        .has(ALL, KEPT)
        .has(&format!("{refused} RETURNING 1"), &["1"]);
    change(&tags(with), &tags(COLUMNS))
        .rows(ROWS)
        .up()
        .has(ALL, KEPT)
        .down()
        .has(ALL, KEPT)
        .refuses(refused);
}

#[test]
fn a_unique_constraint_of_a_column_is_added_and_removed() {
    let with = "\"name\" TEXT NOT NULL UNIQUE, \"size\" INTEGER";
    constraint(with, "INSERT INTO tags (name) VALUES ('rust')");
}

#[test]
fn a_unique_constraint_of_several_columns_is_added_and_removed() {
    let with = format!("{COLUMNS}, UNIQUE (\"name\", \"size\")");
    constraint(&with, "INSERT INTO tags (name, size) VALUES ('rust', 10)");
}

#[test]
fn a_check_is_added_and_removed() {
    let with = format!("{COLUMNS}, CONSTRAINT \"small\" CHECK (\"size\" < 100)");
    constraint(&with, "INSERT INTO tags (name, size) VALUES ('a', 100)");
}

#[test]
fn a_check_changes() {
    let with = |limit: i32| {
        tags(&format!(
            "{COLUMNS}, CONSTRAINT \"small\" CHECK (\"size\" < {limit})"
        ))
    };
    change(&with(100), &with(200))
        .rows(ROWS)
        .up()
        .has(
            "INSERT INTO tags (name, size) VALUES ('a', 150) RETURNING size",
            &["150"],
        )
        .refuses("INSERT INTO tags (name, size) VALUES ('a', 200)")
        .has("DELETE FROM tags WHERE size = 150 RETURNING 1", &["1"])
        .down()
        .refuses("INSERT INTO tags (name, size) VALUES ('a', 150)");
}

#[test]
fn a_unique_index_by_hand_counts_as_the_constraint_of_a_column() {
    let by_hand = tags(COLUMNS) + "CREATE UNIQUE INDEX \"by_hand\" ON \"tags\" (\"name\");";
    let declared = tags("\"name\" TEXT NOT NULL UNIQUE, \"size\" INTEGER");
    let steps = diff(&state(&by_hand), &state(&declared), &MigrationAnswers::new());
    assert_eq!(steps, Ok(Vec::new()));
}

const GROUPS: &str =
    "CREATE TABLE \"groups\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"label\" TEXT) STRICT;\n";
const GROUP_ROWS: &str = "INSERT INTO groups (id, label) VALUES (7, 'a'), (10, 'b');";

/// Statements of both tables, with this text after the type of `size`.
fn grouped(size: &str) -> String {
    format!(
        "{GROUPS}{}",
        tags(&format!("\"name\" TEXT NOT NULL, \"size\" INTEGER{size}"))
    )
}

const CASCADE: &str = " REFERENCES \"groups\" (\"id\") ON DELETE CASCADE";
const SET_NULL: &str = " REFERENCES \"groups\" (\"id\") ON DELETE SET NULL";

#[test]
fn a_foreign_key_is_added_to_a_column() {
    change(&grouped(""), &grouped(CASCADE))
        .rows(GROUP_ROWS)
        .rows(ROWS)
        .up()
        .has(ALL, KEPT)
        .refuses("UPDATE tags SET size = 8")
        .down()
        .has(ALL, KEPT)
        .has("UPDATE tags SET size = 8 WHERE id = 1 RETURNING size", &["8"]);
}

#[test]
fn a_foreign_key_is_removed() {
    change(&grouped(CASCADE), &grouped(""))
        .rows(GROUP_ROWS)
        .rows(ROWS)
        .up()
        .has(ALL, KEPT)
        .down()
        .has(ALL, KEPT)
        .refuses("UPDATE tags SET size = 8");
}

#[test]
fn the_action_of_a_foreign_key_changes() {
    change(&grouped(CASCADE), &grouped(SET_NULL))
        .rows(GROUP_ROWS)
        .rows(ROWS)
        .up()
        .has("DELETE FROM groups WHERE id = 10 RETURNING id", &["10"])
        .has(ALL, &["1|'rust'|null", "2|'sql'|null", "5|'7'|7"])
        .down()
        .has("DELETE FROM groups WHERE id = 7 RETURNING id", &["7"])
        .has("SELECT id FROM tags ORDER BY id", &["1", "2"]);
}

#[test]
fn a_column_with_a_foreign_key_is_added_in_place() {
    let before = format!("{GROUPS}{}", tags(COLUMNS));
    let column = "\"group_id\" INTEGER REFERENCES \"groups\" (\"id\") ON DELETE SET NULL";
    let index = "CREATE INDEX \"tags_group_id\" ON \"tags\" (\"group_id\");";
    let after = format!("{GROUPS}{}{index}", tags(&format!("{COLUMNS}, {column}")));
    change(&before, &after)
        .rows(GROUP_ROWS)
        .rows(ROWS)
        .up()
        .stays_in_place()
        .refuses("UPDATE tags SET group_id = 8")
        .has(
            "UPDATE tags SET group_id = 7 WHERE id = 1 RETURNING group_id",
            &["7"],
        )
        .down()
        .has(ALL, KEPT);
}

#[test]
fn a_new_table_keeps_the_rows_that_reference_it() {
    let after = grouped(CASCADE).replace("\"label\" TEXT", "\"label\" TEXT UNIQUE");
    change(&grouped(CASCADE), &after)
        .rows(GROUP_ROWS)
        .rows(ROWS)
        .up()
        .has(ALL, KEPT)
        .refuses("UPDATE tags SET size = 8")
        .down()
        .has(ALL, KEPT)
        .refuses("UPDATE tags SET size = 8");
}

#[test]
fn a_table_that_references_itself_is_built_anew() {
    let own = " REFERENCES \"tags\" (\"id\") ON DELETE SET NULL";
    let rows = "INSERT INTO tags (id, name, size) VALUES (1, 'a', NULL), (2, 'b', 1);";
    let with = |name: &str| tags(&format!("\"name\" TEXT{name}, \"size\" INTEGER{own}"));
    change(&with(" NOT NULL"), &with(""))
        .rows(rows)
        .up()
        .has(ALL, &["1|'a'|null", "2|'b'|1"])
        .refuses("UPDATE tags SET size = 8")
        .down()
        .has(ALL, &["1|'a'|null", "2|'b'|1"]);
}

#[test]
fn a_key_becomes_one_that_the_database_assigns() {
    let by_client = "CREATE TABLE \"tags\" (\"id\" INTEGER PRIMARY KEY NOT NULL, \"name\" TEXT NOT NULL, \"size\" INTEGER) STRICT;";
    change(by_client, &tags(COLUMNS))
        .rows(ROWS)
        .up()
        .has(ALL, KEPT)
        .has("INSERT INTO tags (name) VALUES ('a') RETURNING id", &["6"])
        .down()
        .has("SELECT id FROM tags ORDER BY id", &["1", "2", "5", "6"]);
}
