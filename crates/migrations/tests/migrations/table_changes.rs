use model_resource_migrations::MigrationAnswers;

use crate::change::{COLUMNS, ROWS, change, tags};

const ALL: &str = "SELECT * FROM tags ORDER BY id";
const KEPT: &[&str] = &["1|'rust'|10", "2|'sql'|null", "5|'7'|7"];

const NOTES: &str = "CREATE TABLE \"notes\" (\"id\" BLOB PRIMARY KEY NOT NULL, \
    \"tag_id\" INTEGER REFERENCES \"tags\" (\"id\") ON DELETE CASCADE, CONSTRAINT \"c\" CHECK (\"tag_id\" > 0)) STRICT;\n\
    CREATE INDEX \"notes_tag_id\" ON \"notes\" (\"tag_id\", \"id\");\n";

#[test]
fn a_table_is_created_with_its_constraints() {
    change(&tags(COLUMNS), &(tags(COLUMNS) + NOTES))
        .rows(ROWS)
        .up()
        .refuses("INSERT INTO notes VALUES (X'00', 3)")
        .has("INSERT INTO notes VALUES (X'00', 1) RETURNING tag_id", &["1"])
        .down()
        .has(ALL, KEPT);
}

#[test]
fn a_table_is_removed_and_returns_empty() {
    change(&(tags(COLUMNS) + NOTES), &tags(COLUMNS))
        .rows(ROWS)
        .rows("INSERT INTO notes VALUES (X'00', 1);")
        .up()
        .has(ALL, KEPT)
        .down()
        .has("SELECT * FROM notes", &[])
        .refuses("INSERT INTO notes VALUES (X'00', 3)");
}

#[test]
fn tables_that_reference_each_other_are_created_and_removed() {
    let table = |name: &str, other: &str| {
        format!(
            "CREATE TABLE \"{name}\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \
             \"other\" INTEGER REFERENCES \"{other}\" (\"id\") ON DELETE SET NULL) STRICT;\n"
        )
    };
    let both = table("a", "b") + &table("b", "a");
    change(&tags(COLUMNS), &(tags(COLUMNS) + &both))
        .rows(ROWS)
        .up()
        .refuses("INSERT INTO a (other) VALUES (1)")
        .down()
        .has(ALL, KEPT);
}

#[test]
fn a_table_is_renamed_with_what_references_it() {
    let after = (tags(COLUMNS) + NOTES).replace("\"tags\"", "\"labels\"");
    change(&(tags(COLUMNS) + NOTES), &after)
        .rename("tags:labels")
        .rows(ROWS)
        .rows("INSERT INTO notes VALUES (X'00', 1);")
        .up()
        .stays_in_place()
        .has("SELECT * FROM labels ORDER BY id", KEPT)
        .refuses("INSERT INTO notes VALUES (X'01', 3)")
        .down()
        .has(ALL, KEPT)
        .refuses("INSERT INTO notes VALUES (X'01', 3)");
}

#[test]
fn a_table_is_renamed_with_its_columns_and_indexes_and_built_anew() {
    let before = tags(COLUMNS) + "CREATE INDEX \"tags_size\" ON \"tags\" (\"size\");";
    let after = tags("\"title\" TEXT NOT NULL UNIQUE, \"size\" INTEGER").replace("\"tags\"", "\"labels\"")
        + "CREATE INDEX \"labels_size\" ON \"labels\" (\"size\");";
    change(&before, &after)
        .rename("tags:labels")
        .rename("labels.name:title")
        .rows(ROWS)
        .up()
        .has("SELECT * FROM labels ORDER BY id", KEPT)
        .down()
        .has(ALL, KEPT);
}

#[test]
fn a_table_that_no_model_declares_is_kept_if_so_answered() {
    let by_hand = "CREATE TABLE \"by_hand\" (\"id\" INTEGER PRIMARY KEY) STRICT;\n";
    let before = crate::change::state(&(tags(COLUMNS) + by_hand));
    let after = crate::change::state(&tags(COLUMNS));
    let answers = MigrationAnswers::new().keep("by_hand");
    assert_eq!(
        model_resource_migrations::diff(&before, &after, &answers),
        Ok(Vec::new())
    );
}

#[test]
fn the_highest_key_of_a_deleted_row_is_not_assigned_again() {
    change(&tags(COLUMNS), &tags("\"name\" TEXT, \"size\" INTEGER"))
        .rows(ROWS)
        .rows("DELETE FROM tags;")
        .up()
        .has("INSERT INTO tags (name) VALUES ('a') RETURNING id", &["6"])
        .down()
        .has("INSERT INTO tags (name) VALUES ('b') RETURNING id", &["7"]);
}

#[test]
fn triggers_and_views_survive_a_new_table() {
    let by_hand = "CREATE TABLE \"log\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"text\" TEXT) STRICT;\n\
        CREATE VIEW \"names\" AS SELECT name FROM tags;\n\
        CREATE TRIGGER \"logged\" AFTER INSERT ON \"tags\" BEGIN INSERT INTO log (text) VALUES (NEW.name); END;\n";
    let log = "CREATE TABLE \"log\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"text\" TEXT) STRICT;\n";
    let after = tags("\"name\" TEXT, \"size\" INTEGER") + log;
    change(&(tags(COLUMNS) + by_hand), &after)
        .rows(ROWS)
        .up()
        .has("SELECT count(*) FROM names", &["3"])
        .has("INSERT INTO tags (name) VALUES ('a') RETURNING id", &["6"])
        .has(
            "SELECT text FROM log ORDER BY id",
            &["'rust'", "'sql'", "'7'", "'a'"],
        )
        .down()
        .has("INSERT INTO tags (name) VALUES ('b') RETURNING id", &["7"])
        .has("SELECT count(*) FROM log", &["5"]);
}

#[test]
fn a_trigger_survives_the_new_names_of_a_table_and_its_column() {
    let log = "CREATE TABLE \"log\" (\"id\" INTEGER PRIMARY KEY AUTOINCREMENT, \"text\" TEXT) STRICT;\n";
    let trigger =
        "CREATE TRIGGER logged AFTER INSERT ON tags BEGIN INSERT INTO log (text) VALUES (NEW.name); END;\n";
    let after = tags("\"title\" TEXT UNIQUE, \"size\" INTEGER").replace("\"tags\"", "\"labels\"") + log;
    change(&(tags(COLUMNS) + log + trigger), &after)
        .rename("tags:labels")
        .rename("labels.name:title")
        .up()
        .has("INSERT INTO labels (title) VALUES ('a') RETURNING id", &["1"])
        .has("SELECT text FROM log", &["'a'"])
        .down()
        .has("INSERT INTO tags (name) VALUES ('b') RETURNING id", &["2"])
        .has("SELECT count(*) FROM log", &["2"]);
}
