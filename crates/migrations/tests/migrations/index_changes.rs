use crate::change::{COLUMNS, ROWS, change, tags};

const ALL: &str = "SELECT * FROM tags ORDER BY id";
const KEPT: &[&str] = &["1|'rust'|10", "2|'sql'|null", "5|'7'|7"];

/// Asserts that a change of the indexes of `tags` is made and taken back in place.
#[track_caller]
fn indexes(before: &str, after: &str) {
    let table = tags(COLUMNS);
    change(&format!("{table}{before}"), &format!("{table}{after}"))
        .rows(ROWS)
        .up()
        .stays_in_place()
        .has(ALL, KEPT)
        .down()
        .stays_in_place()
        .has(ALL, KEPT);
}

const BY_NAME: &str = "CREATE INDEX \"tags_name\" ON \"tags\" (\"name\");";

#[test]
fn an_index_is_created_and_removed() {
    indexes("", BY_NAME);
    indexes(BY_NAME, "");
}

#[test]
fn the_columns_of_an_index_change() {
    indexes(
        BY_NAME,
        "CREATE INDEX \"tags_name\" ON \"tags\" (\"name\", \"size\");",
    );
}

#[test]
fn the_order_of_an_index_changes() {
    indexes(
        BY_NAME,
        "CREATE INDEX \"tags_name\" ON \"tags\" (\"name\" DESC, \"id\" DESC);",
    );
}

#[test]
fn the_condition_of_an_index_changes() {
    let partial =
        |limit: i32| format!("CREATE INDEX \"tags_name\" ON \"tags\" (\"name\") WHERE \"size\" > {limit};");
    indexes(BY_NAME, &partial(1));
    indexes(&partial(1), &partial(-1));
}

#[test]
fn an_index_is_renamed() {
    indexes(BY_NAME, "CREATE INDEX \"by_name\" ON \"tags\" (\"name\");");
}

#[test]
fn a_unique_index_over_some_rows_is_created() {
    let unique = "CREATE UNIQUE INDEX \"tags_size_unique\" ON \"tags\" (\"size\") WHERE \"size\" > 0;";
    change(&tags(COLUMNS), &(tags(COLUMNS) + unique))
        .rows(ROWS)
        .up()
        .stays_in_place()
        .refuses("INSERT INTO tags (name, size) VALUES ('a', 10)")
        .down()
        .has(
            "INSERT INTO tags (name, size) VALUES ('a', 10) RETURNING size",
            &["10"],
        );
}

#[test]
fn an_index_survives_a_new_table() {
    let before = tags(COLUMNS) + BY_NAME;
    let after = tags("\"name\" TEXT, \"size\" INTEGER") + BY_NAME;
    change(&before, &after)
        .rows(ROWS)
        .up()
        .has("SELECT name FROM pragma_index_list('tags')", &["'tags_name'"])
        .down()
        .has(ALL, KEPT);
}

#[test]
fn an_index_over_an_expression_is_kept() {
    let by_hand = "CREATE INDEX \"by_hand\" ON \"tags\" (lower(\"name\"));";
    change(
        &(tags(COLUMNS) + by_hand),
        &tags("\"name\" TEXT, \"size\" INTEGER"),
    )
    .rows(ROWS)
    .up()
    .has("SELECT name FROM pragma_index_list('tags')", &["'by_hand'"])
    .down()
    .has("SELECT name FROM pragma_index_list('tags')", &["'by_hand'"]);
}
