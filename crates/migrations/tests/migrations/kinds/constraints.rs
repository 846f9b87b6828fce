use model_resource_schema::column::{Column, OnDelete, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{Comparison, Predicate};
use model_resource_schema::table_constraints::{CheckConstraint, RowCondition, UniqueConstraint};
use model_resource_schema::value::Value;

use super::kind::{KEY, Kind, LINES, NAME, ROWS, SIZE, kind, kinds, table, tags, tags_become};

const GROUPS: Table = Table::new("groups", "Group", &[KEY]);

fn groups() -> &'static Table {
    static TABLE: Table = GROUPS;
    &TABLE
}

const GROUP: Column = Column::new("group_id", DataType::I64).nullable(true);

fn below(column: usize, limit: i64) -> RowCondition {
    RowCondition::Compare(column, Predicate::Is(Comparison::Lt, Value::Int(limit)))
}

fn size_below_fifty() -> RowCondition {
    below(2, 50)
}

fn key_below_fifty() -> RowCondition {
    below(0, 50)
}

fn key_below_twenty() -> RowCondition {
    below(0, 20)
}

/// Returns tables of groups and of tags that refer to them.
fn grouped(group: Column) -> [Table; 2] {
    [GROUPS, tags([NAME, group])]
}

/// Returns a change of the column for the group, with rows.
fn regrouped(before: Column, after: Column) -> Kind {
    kind(grouped(before), grouped(after))
        .rows("INSERT INTO groups (id) VALUES (1), (2)")
        .rows("INSERT INTO tags (id, name, group_id) VALUES (1, 'rust', 2), (2, 'sql', NULL)")
        .up("tags", "id, name, group_id", &["1|rust|2", "2|sql|null"])
        .down("tags", "id, name, group_id", &["1|rust|2", "2|sql|null"])
}

kinds! {
    a_column_becomes_unique => tags_become(tags([NAME.unique(), SIZE]))
        .up("tags", "id, name, size", LINES)
        .refuses("INSERT INTO tags (name) VALUES ('rust')");
    a_column_is_not_unique_any_more => kind([tags([NAME.unique(), SIZE])], [tags([NAME, SIZE])])
        .rows(ROWS)
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    several_columns_become_unique => tags_become(tags([NAME, SIZE]).uniques(const { &[UniqueConstraint::new(&[1, 2])] }))
        .up("tags", "id, name, size", LINES)
        .refuses("INSERT INTO tags (name, size) VALUES ('rust', 10)");
    several_columns_are_not_unique_any_more => kind(
            [tags([NAME, SIZE]).uniques(const { &[UniqueConstraint::new(&[1, 2])] })],
            [tags([NAME, SIZE])],
        )
        .rows(ROWS)
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    some_rows_become_unique => tags_become(tags([NAME, SIZE]).uniques(const { &[UniqueConstraint::new(&[1]).filter(size_below_fifty)] }))
        .up("tags", "id, name, size", LINES)
        .refuses("INSERT INTO tags (name, size) VALUES ('rust', 12)");
    a_check_is_added => tags_become(tags([NAME, SIZE]).checks(const { &[CheckConstraint::new("small", key_below_fifty)] }))
        .up("tags", "id, name, size", LINES)
        .refuses("INSERT INTO tags (id, name) VALUES (60, 'large')");
    a_check_is_removed => kind(
            [tags([NAME, SIZE]).checks(const { &[CheckConstraint::new("small", key_below_fifty)] })],
            [tags([NAME, SIZE])],
        )
        .rows(ROWS)
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    a_check_changes => kind(
            [tags([NAME, SIZE]).checks(const { &[CheckConstraint::new("small", key_below_fifty)] })],
            [tags([NAME, SIZE]).checks(const { &[CheckConstraint::new("small", key_below_twenty)] })],
        )
        .rows(ROWS)
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES)
        .refuses("INSERT INTO tags (id, name) VALUES (30, 'large')");
    a_foreign_key_is_added_to_a_column => regrouped(GROUP, GROUP.references(groups, OnDelete::SetNull))
        .refuses("INSERT INTO tags (name, group_id) VALUES ('other', 9)");
    a_foreign_key_is_removed => regrouped(GROUP.references(groups, OnDelete::SetNull), GROUP);
    the_action_of_a_foreign_key_changes => regrouped(
            GROUP.references(groups, OnDelete::SetNull),
            GROUP.references(groups, OnDelete::Restrict),
        )
        .refuses("DELETE FROM groups WHERE id = 2");
    a_column_with_a_foreign_key_is_added => kind(
            [GROUPS, tags([NAME, SIZE])],
            [GROUPS, tags([NAME, SIZE, GROUP.references(groups, OnDelete::Cascade)])],
        )
        .rows(ROWS)
        .up("tags", "id, group_id", &["1|null", "2|null", "5|null"])
        .down("tags", "id, name, size", LINES)
        .refuses_up("INSERT INTO tags (name, group_id) VALUES ('other', 9)");
    a_column_with_a_foreign_key_is_removed => kind(
            grouped(GROUP.references(groups, OnDelete::Cascade)),
            [GROUPS, tags([NAME])],
        )
        .rows("INSERT INTO groups (id) VALUES (1)")
        .rows("INSERT INTO tags (id, name, group_id) VALUES (1, 'rust', 1)")
        .up("tags", "id, name", &["1|rust"])
        .down("tags", "id, name, group_id", &["1|rust|null"]);
    a_table_that_others_reference_changes => kind(
            [GROUPS, tags([NAME, GROUP.references(groups, OnDelete::Cascade)])],
            [
                table("groups", [Column::new("label", DataType::Text).unique().nullable(true)]),
                tags([NAME, GROUP.references(groups, OnDelete::Cascade)]),
            ],
        )
        .rows("INSERT INTO groups (id) VALUES (1), (2)")
        .rows("INSERT INTO tags (id, name, group_id) VALUES (1, 'rust', 2)")
        .up("tags", "id, name, group_id", &["1|rust|2"])
        .up("groups", "id, label", &["1|null", "2|null"])
        .down("tags", "id, name, group_id", &["1|rust|2"])
        .refuses_up("INSERT INTO tags (name, group_id) VALUES ('other', 9)");
}
