use model_resource_schema::column::{Column, ColumnRole};
use model_resource_schema::data_type::DataType;
use model_resource_schema::table_constraints::{IndexColumn, TableIndex};

use super::kind::{LINES, NAME, ROWS, SIZE, kind, kinds, table, tags, tags_become};

const NOTE: Column = Column::new("note", DataType::Text).nullable(true);
const TOKEN: Column = Column::new("token", DataType::Uuid);
const COLOUR: Column = Column::new("colour", DataType::Enum(&["red", "blue"])).postgres_type(Some("colour"));
const STATE: Column = Column::new("state", DataType::Text);

const BY_SIZE: TableIndex = TableIndex::new(&[IndexColumn::ascending(2)]);
const BY_BOTH: TableIndex = TableIndex::new(&[IndexColumn::ascending(1), IndexColumn::ascending(2)]);

kinds! {
    an_optional_column_is_added => tags_become(tags([NAME, SIZE, NOTE]))
        .up("tags", "id, name, size, note", &["1|rust|10|null", "2|sql|null|null", "5|seven|7|null"]);
    a_required_column_is_added_with_the_default_of_the_model => tags_become(tags([NAME, SIZE, STATE.default("it's new")]))
        .up("tags", "id, state", &["1|it's new", "2|it's new", "5|it's new"]);
    a_required_column_is_added_with_an_answered_value => tags_become(tags([NAME, SIZE, STATE]))
        .answers(|answers, _| answers.default_sql("tags", "state", "'old'"))
        .up("tags", "id, name, state", &["1|rust|old", "2|sql|old", "5|seven|old"])
        .refuses_up("UPDATE tags SET state = NULL");
    a_required_column_is_filled_from_another_one => tags_become(tags([NAME, SIZE, STATE]))
        .answers(|answers, _| answers.default_sql("tags", "state", "upper(\"name\")"))
        .up("tags", "id, state", &["1|RUST", "2|SQL", "5|SEVEN"]);
    a_unique_column_is_added => tags_become(tags([NAME, SIZE, NOTE.unique()]))
        .up("tags", "id, note", &["1|null", "2|null", "5|null"]);
    a_boolean_column_is_added => tags_become(tags([NAME, SIZE, Column::new("flag", DataType::Bool).default("true")]))
        .up_on("tags", "id, flag", &["1|1", "2|1", "5|1"], &["1|true", "2|true", "5|true"]);
    a_decimal_column_is_added => tags_become(tags([NAME, SIZE, Column::new("price", DataType::I32).decimal(10, 2).default("1.50")]))
        .up_on("tags", "id, price", &["1|150", "2|150", "5|150"], &["1|1.50", "2|1.50", "5|1.50"]);
    columns_of_many_types_are_added => tags_become(tags([
            NAME,
            SIZE,
            Column::new("seen", DataType::Timestamp).nullable(true),
            Column::new("day", DataType::Date).nullable(true),
            Column::new("token", DataType::Uuid).nullable(true),
            Column::new("data", DataType::Bytes).nullable(true),
            Column::new("extra", DataType::Json).nullable(true),
        ]))
        .up("tags", "id, seen, day, token, data, extra", &["1|null|null|null|null|null", "2|null|null|null|null|null", "5|null|null|null|null|null"]);
    an_optional_column_is_removed => tags_become(tags([NAME]))
        .up("tags", "id, name", &["1|rust", "2|sql", "5|seven"])
        .only_down("tags", "id, name, size", &["1|rust|null", "2|sql|null", "5|seven|null"]);
    a_required_column_is_removed_and_returns_empty => tags_become(tags([SIZE]))
        .up("tags", "id, size", &["1|10", "2|null", "5|7"])
        .only_down("tags", "id, name, size", &["1||10", "2||null", "5||7"]);
    required_columns_of_uuids_and_enums_return_with_values_of_their_types => kind(
            [tags([NAME, TOKEN, COLOUR])],
            [tags([NAME])],
        )
        .rows_on(
            "INSERT INTO tags (id, name, token, colour) VALUES (1, 'rust', zeroblob(16), 'red')",
            "INSERT INTO tags (id, name, token, colour) VALUES (1, 'rust', gen_random_uuid(), 'red')",
        )
        .up("tags", "id, name", &["1|rust"])
        .down_on(
            "tags",
            "id, token, colour",
            &["1|\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0|"],
            &["1|00000000-0000-0000-0000-000000000000|red"],
        );
    a_column_with_an_index_and_a_unique_constraint_is_removed => kind(
            [tags([NAME, SIZE.unique()]).indexes(&[BY_SIZE])],
            [tags([NAME])],
        )
        .rows(ROWS)
        .up("tags", "id, name", &["1|rust", "2|sql", "5|seven"])
        .down("tags", "id, name, size", &["1|rust|null", "2|sql|null", "5|seven|null"]);
    a_column_is_renamed => tags_become(tags([Column::new("title", DataType::Text), SIZE]))
        .answers(|answers, _| answers.rename("tags.name:title").unwrap())
        .up("tags", "id, title, size", LINES);
    a_column_is_renamed_with_its_unique_constraint_and_index => kind(
            [tags([NAME.unique(), SIZE]).indexes(&[BY_BOTH])],
            [tags([Column::new("title", DataType::Text).unique(), SIZE])
                .indexes(&[BY_BOTH])],
        )
        .rows(ROWS)
        .answers(|answers, _| answers.rename("tags.name:title").unwrap())
        .up("tags", "id, title, size", LINES)
        .down("tags", "id, name, size", LINES);
    a_column_is_renamed_and_changes_its_type => tags_become(tags([NAME, Column::new("length", DataType::Text).nullable(true)]))
        .answers(|answers, _| answers.rename("tags.size:length").unwrap())
        .up("tags", "id, name, length", LINES);
    a_column_must_not_be_null_any_more => tags_become(tags([NAME, SIZE.nullable(false)]))
        .answers(|answers, _| answers.default_sql("tags", "size", "0"))
        .up("tags", "id, name, size", &["1|rust|10", "2|sql|0", "5|seven|7"])
        .only_down("tags", "id, name, size", &["1|rust|10", "2|sql|0", "5|seven|7"])
        .refuses("INSERT INTO tags (name) VALUES ('other')");
    a_column_may_be_null => tags_become(tags([NAME.nullable(true), SIZE]))
        .up("tags", "id, name, size", LINES);
    columns_change_their_order_and_nothing_else => kind(
            [table("tags", [NAME, SIZE])],
            [table("tags", [SIZE, NAME])],
        )
        .rows(ROWS)
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    several_columns_change_at_once => tags_become(tags([
            Column::new("title", DataType::Text).unique(),
            Column::new("size", DataType::I64).nullable(false),
            NOTE,
            STATE.default("new"),
        ]))
        .answers(|answers, _| answers.rename("tags.name:title").unwrap().default_sql("tags", "size", "3"))
        .up("tags", "id, title, size, note, state", &["1|rust|10|null|new", "2|sql|3|null|new", "5|seven|7|null|new"])
        .only_down("tags", "id, name, size", &["1|rust|10", "2|sql|3", "5|seven|7"])
        .refuses_up("INSERT INTO tags (title, size, state) VALUES ('rust', 1, 'new')");
    a_version_column_is_added => kind(
            [tags([NAME, SIZE])],
            [tags([NAME, SIZE, Column::new("version", DataType::I64).role(ColumnRole::Version)])],
        )
        .rows(ROWS)
        .up("tags", "id, version", &["1|1", "2|1", "5|1"])
        .down("tags", "id, name, size", LINES);
}
