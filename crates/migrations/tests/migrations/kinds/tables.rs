use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, OnDelete, Table};
use model_resource_schema::data_type::DataType;

use super::kind::{KEY, LINES, NAME, ROWS, SIZE, kind, kinds, table, tags};

const GROUPS: Table = Table::new("groups", "Group", &[KEY]);
const TEAMS: Table = Table::new("teams", "Team", &[KEY]);

fn groups() -> &'static Table {
    static TABLE: Table = GROUPS;
    &TABLE
}

fn teams() -> &'static Table {
    static TABLE: Table = TEAMS;
    &TABLE
}

const GROUP: Column = Column::new("group_id", DataType::I64).references(groups, OnDelete::Cascade);

kinds! {
    a_table_is_created => kind([tags([NAME, SIZE])], [tags([NAME, SIZE]), table("notes", [NAME.unique()])])
        .rows(ROWS)
        .up("notes", "id, name", &[])
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    a_table_is_removed_and_returns_empty => kind([tags([NAME, SIZE]), table("notes", [NAME])], [tags([NAME, SIZE])])
        .rows(ROWS)
        .rows("INSERT INTO notes (name) VALUES ('gone')")
        .up("tags", "id, name, size", LINES)
        .down("notes", "id, name", &[])
        .down("tags", "id, name, size", LINES);
    tables_that_reference_each_other_are_created => kind([tags([NAME, SIZE])], [tags([NAME, SIZE]), GROUPS, table("members", [NAME, GROUP])])
        .rows(ROWS)
        .up("members", "id, name, group_id", &[])
        .down("tags", "id, name, size", LINES)
        .refuses_up("INSERT INTO members (name, group_id) VALUES ('ann', 1)");
    a_table_is_renamed => kind([tags([NAME, SIZE])], [table("labels", [NAME, SIZE])])
        .rows(ROWS)
        .answers(|answers, _| answers.rename("tags:labels").unwrap())
        .up("labels", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    a_table_is_renamed_with_its_constraints_and_columns => kind(
            [tags([NAME.unique(), SIZE])],
            [table("labels", [Column::new("title", DataType::Text).unique(), SIZE])],
        )
        .rows(ROWS)
        .answers(|answers, _| answers.rename("tags:labels").unwrap().rename("labels.name:title").unwrap())
        .up("labels", "id, title, size", LINES)
        .down("tags", "id, name, size", LINES)
        .refuses_up("INSERT INTO labels (title) VALUES ('rust')");
    a_table_that_others_reference_is_renamed => kind(
            [GROUPS, table("members", [NAME, GROUP])],
            [TEAMS, table("members", [NAME, Column::new("group_id", DataType::I64).references(teams, OnDelete::Cascade)])],
        )
        .rows("INSERT INTO groups (id) VALUES (3)")
        .rows("INSERT INTO members (id, name, group_id) VALUES (1, 'ann', 3)")
        .answers(|answers, _| answers.rename("groups:teams").unwrap())
        .up("members", "id, name, group_id", &["1|ann|3"])
        .up("teams", "id", &["3"])
        .down("groups", "id", &["3"])
        .refuses_up("INSERT INTO members (name, group_id) VALUES ('bob', 9)");
    a_table_is_renamed_and_one_that_references_it_is_removed => kind(
            [GROUPS, table("members", [NAME, GROUP])],
            [table("teams", [Column::new("label", DataType::Text).nullable(true)])],
        )
        .rows("INSERT INTO groups (id) VALUES (3)")
        .rows("INSERT INTO members (id, name, group_id) VALUES (1, 'ann', 3)")
        .answers(|answers, _| answers.rename("groups:teams").unwrap().remove("members"))
        .up("teams", "id, label", &["3|null"])
        .down("groups", "id", &["3"])
        .down("members", "id, name, group_id", &[]);
    a_table_is_removed_rather_than_renamed => kind([tags([NAME, SIZE]), table("notes", [NAME])], [tags([NAME, SIZE]), table("letters", [NAME])])
        .rows(ROWS)
        .rows("INSERT INTO notes (name) VALUES ('gone')")
        .answers(|answers, _| answers.remove("notes"))
        .up("letters", "id, name", &[])
        .down("notes", "id, name", &[])
        .down("tags", "id, name, size", LINES);
    a_key_of_clients_becomes_one_that_the_database_assigns => kind(
            [Table::new("tags", "Tag", const { &[
                Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::Client)),
                NAME,
                SIZE,
            ] })],
            [tags([NAME, SIZE])],
        )
        .rows(ROWS)
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    a_column_and_a_table_are_added_with_a_reference_between_them => kind(
            [tags([NAME, SIZE])],
            [GROUPS, tags([NAME, SIZE, GROUP.nullable(true)])],
        )
        .rows(ROWS)
        .up("tags", "id, name, group_id", &["1|rust|null", "2|sql|null", "5|seven|null"])
        .down("tags", "id, name, size", LINES);
}
