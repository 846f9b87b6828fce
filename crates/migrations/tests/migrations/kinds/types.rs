use model_resource_schema::column::Column;
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{Comparison, Predicate};
use model_resource_schema::table_constraints::{CheckConstraint, IndexColumn, RowCondition, TableIndex};
use model_resource_schema::value::Value;
use model_resource_store::SqlDialect;

use super::kind::{Kind, LINES, NAME, ROWS, SIZE, kind, kinds, table, tags, tags_become};

/// Returns a change of a column's type, with one row.
fn retyped(before: Column, after: Column, row: &'static str) -> Kind {
    kind([tags([before])], [tags([after])]).rows(row)
}

fn price(scale: u8) -> Column {
    Column::new("price", DataType::I32).decimal(10, scale)
}

fn is_red() -> RowCondition {
    RowCondition::Compare(1, Predicate::Is(Comparison::Eq, Value::Text("red".to_owned())))
}

fn is_red_or_blue() -> RowCondition {
    let labels = ["red", "blue"].map(|label| Value::Text(label.to_owned()));
    RowCondition::Compare(1, Predicate::OneOf(labels.to_vec()))
}

const SHADE: Column = Column::new("shade", DataType::Enum(&["red", "blue"])).postgres_type(Some("colour"));
const IS_RED: CheckConstraint = CheckConstraint::new("is_red", is_red);
const RED_ONES: TableIndex = TableIndex::new(&[IndexColumn::ascending(1)]).filter(is_red);

/// Returns a change of the type of a column for colours, which keeps constraints that compare it.
fn retyped_with(
    [before, after]: [Column; 2],
    (checks, indexes): (&'static [CheckConstraint], &'static [TableIndex]),
) -> Kind {
    let table = |column| tags([column]).checks(checks).indexes(indexes);
    kind([table(before)], [table(after)])
        .rows("INSERT INTO tags (id, colour) VALUES (1, 'red')")
        .up("tags", "id, colour", &["1|red"])
        .down("tags", "id, colour", &["1|red"])
}

fn colour(labels: &'static [&'static str]) -> Column {
    Column::new("colour", DataType::Enum(labels)).postgres_type(Some("colour"))
}

kinds! {
    a_number_gets_a_larger_range => tags_become(tags([NAME, Column::new("size", DataType::I64).nullable(true)]))
        .up("tags", "id, name, size", LINES);
    a_number_gets_a_smaller_range => tags_become(tags([NAME, Column::new("size", DataType::I16).nullable(true)]))
        .up("tags", "id, name, size", LINES);
    numbers_become_text => tags_become(tags([NAME, Column::new("size", DataType::Text).nullable(true)]))
        .up("tags", "id, name, size", LINES);
    text_becomes_numbers => kind(
            [tags([NAME, Column::new("size", DataType::Text).nullable(true)])],
            [tags([NAME, SIZE])],
        )
        .rows("INSERT INTO tags (id, name, size) VALUES (1, 'rust', '10'), (2, 'sql', NULL), (5, 'seven', '7')")
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES);
    integers_become_real_numbers => tags_become(tags([NAME, Column::new("size", DataType::F64).nullable(true)]))
        .up_on("tags", "id, size", &["1|10.0", "2|null", "5|7.0"], &["1|10", "2|null", "5|7"]);
    a_decimal_gets_more_digits_after_the_point => retyped(price(2), price(3), "INSERT INTO tags (id, price) VALUES (1, 150)")
        .up_on("tags", "id, price", &["1|1500"], &["1|150.000"])
        .down_on("tags", "id, price", &["1|150"], &["1|150.00"]);
    a_decimal_gets_fewer_digits_after_the_point => retyped(price(3), price(2), "INSERT INTO tags (id, price) VALUES (1, 1500)")
        .up_on("tags", "id, price", &["1|150"], &["1|1500.00"])
        .down_on("tags", "id, price", &["1|1500"], &["1|1500.000"]);
    a_decimal_becomes_an_integer => retyped(price(2), Column::new("price", DataType::I32), "INSERT INTO tags (id, price) VALUES (1, 700)")
        .up_on("tags", "id, price", &["1|7"], &["1|700"])
        .down_on("tags", "id, price", &["1|700"], &["1|700.00"]);
    a_decimal_becomes_a_real_number => retyped(price(2), Column::new("price", DataType::F64), "INSERT INTO tags (id, price) VALUES (1, 150)")
        .up_on("tags", "id, price", &["1|1.5"], &["1|150"])
        .down_on("tags", "id, price", &["1|150"], &["1|150.00"]);
    a_type_changes_by_an_expression => tags_become(tags([Column::new("name", DataType::I32), SIZE]))
        .answers(|answers, _| answers.convert("tags", "name", "length(\"name\")"))
        .up("tags", "id, name, size", &["1|4|10", "2|3|null", "5|5|7"])
        .only_down("tags", "id, name, size", &["1|4|10", "2|3|null", "5|5|7"]);
    an_enum_gets_another_value => retyped(colour(&["red"]), colour(&["red", "blue"]), "INSERT INTO tags (id, colour) VALUES (1, 'red')")
        .up("tags", "id, colour", &["1|red"])
        .down("tags", "id, colour", &["1|red"]);
    an_enum_loses_a_value => retyped(colour(&["red", "blue"]), colour(&["red"]), "INSERT INTO tags (id, colour) VALUES (1, 'red')")
        .up("tags", "id, colour", &["1|red"])
        .down("tags", "id, colour", &["1|red"]);
    text_becomes_an_enum_type => retyped(Column::new("colour", DataType::Enum(&["red"])), colour(&["red"]), "INSERT INTO tags (id, colour) VALUES (1, 'red')")
        .up("tags", "id, colour", &["1|red"])
        .down("tags", "id, colour", &["1|red"]);
    an_enum_changes_whose_values_a_check_and_an_index_name => retyped_with(
            [colour(&["red", "blue"]), colour(&["blue", "red"])],
            (&[IS_RED], &[RED_ONES]),
        )
        .refuses_up("INSERT INTO tags (colour) VALUES ('blue')");
    an_enum_loses_a_value_of_a_column_and_a_table_that_are_removed => kind(
            [
                tags([colour(&["red", "blue"]), SHADE]),
                table("paints", [SHADE]).checks(const { &[CheckConstraint::new("known", is_red_or_blue)] }),
            ],
            [tags([colour(&["red"])])],
        )
        .rows("INSERT INTO tags (id, colour, shade) VALUES (1, 'red', 'blue')")
        .rows("INSERT INTO paints (shade) VALUES ('blue')")
        .up("tags", "id, colour", &["1|red"])
        .down_on("tags", "id, colour, shade", &["1|red|"], &["1|red|red"])
        .down("paints", "id, shade", &[]);
    an_enum_loses_a_value_of_a_column_that_becomes_text => kind(
            [tags([colour(&["red", "blue"]), SHADE])],
            [tags([colour(&["red"]), Column::new("shade", DataType::Text)])],
        )
        .rows("INSERT INTO tags (id, colour, shade) VALUES (1, 'red', 'blue')")
        .up("tags", "id, colour, shade", &["1|red|blue"])
        .down("tags", "id, colour, shade", &["1|red|blue"]);
    an_optional_enum_gets_a_first_value_and_returns_required => kind(
            [tags([colour(&["red"])])],
            [tags([colour(&["blue", "red"]).nullable(true)])],
        )
        .rows("INSERT INTO tags (id, colour) VALUES (1, 'red')")
        .up("tags", "id, colour", &["1|red"])
        .then("UPDATE tags SET colour = NULL")
        .down_on("tags", "id, colour", &["1|"], &["1|red"]);
    an_enum_gets_a_value_while_a_column_of_it_becomes_text => kind(
            [tags([colour(&["red"]), Column::new("shade", DataType::Enum(&["red"])).postgres_type(Some("colour"))])],
            [tags([colour(&["red", "blue"]), Column::new("shade", DataType::Text)])],
        )
        .rows("INSERT INTO tags (id, colour, shade) VALUES (1, 'red', 'red')")
        .up("tags", "id, colour, shade", &["1|red|red"])
        .down("tags", "id, colour, shade", &["1|red|red"]);
    an_enum_gets_a_value_that_a_new_check_names => kind(
            [tags([colour(&["red"])])],
            [tags([colour(&["red", "blue"])]).checks(const { &[CheckConstraint::new("known", is_red_or_blue)] })],
        )
        .rows("INSERT INTO tags (id, colour) VALUES (1, 'red')")
        .up("tags", "id, colour", &["1|red"])
        .down("tags", "id, colour", &["1|red"]);
    text_with_a_check_becomes_an_enum_type => retyped_with(
            [Column::new("colour", DataType::Enum(&["red", "blue"])), colour(&["red", "blue"])],
            (&[IS_RED], &[]),
        )
        .refuses_up("INSERT INTO tags (colour) VALUES ('blue')");
    an_optional_type_changes_without_a_way_back => kind(
            [tags([NAME, Column::new("size", DataType::Uuid).nullable(true)])],
            [tags([NAME, Column::new("size", DataType::I32)])],
        )
        .rows("INSERT INTO tags (id, name) VALUES (1, 'rust')")
        .answers(|answers, _| answers.convert("tags", "size", "7").default_sql("tags", "size", "7"))
        .up("tags", "id, size", &["1|7"])
        .down("tags", "id, size", &["1|null"]);
    a_required_type_changes_without_a_way_back => kind(
            [tags([NAME, Column::new("seen", DataType::Date)])],
            [tags([NAME, Column::new("seen", DataType::Bool)])],
        )
        .rows_on("INSERT INTO tags (id, name, seen) VALUES (1, 'rust', 19000)", "INSERT INTO tags (id, name, seen) VALUES (1, 'rust', '2024-05-06')")
        .answers(|answers, dialect| answers.convert("tags", "seen", match dialect {
            SqlDialect::Sqlite => "1",
            SqlDialect::Postgres => "TRUE",
        }))
        .up_on("tags", "id, seen", &["1|1"], &["1|true"])
        .down_on("tags", "id, seen", &["1|0"], &["1|0001-01-01"]);
    a_type_and_its_nullability_change => kind([tags([NAME, SIZE])], [tags([NAME, Column::new("size", DataType::Text)])])
        .rows(ROWS)
        .answers(|answers, _| answers.default_sql("tags", "size", "'0'"))
        .up("tags", "id, size", &["1|10", "2|0", "5|7"])
        .down("tags", "id, size", &["1|10", "2|0", "5|7"]);
}
