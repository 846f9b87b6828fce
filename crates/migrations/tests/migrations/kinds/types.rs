use model_resource_schema::column::Column;
use model_resource_schema::data_type::DataType;

use super::kind::{Kind, LINES, NAME, ROWS, SIZE, kind, kinds, tags, tags_become};

/// Returns a change of a column's type, with one row.
fn retyped(before: Column, after: Column, row: &'static str) -> Kind {
    kind([tags([before])], [tags([after])]).rows(row)
}

fn price(scale: u8) -> Column {
    Column::new("price", DataType::I32).decimal(10, scale)
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
        .up_on("tags", "id, price", &["1|1500"], &["1|150.000"]);
    a_decimal_becomes_a_real_number => retyped(price(2), Column::new("price", DataType::F64), "INSERT INTO tags (id, price) VALUES (1, 150)")
        .up_on("tags", "id, price", &["1|1.5"], &["1|150"]);
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
    a_type_and_its_nullability_change => kind([tags([NAME, SIZE])], [tags([NAME, Column::new("size", DataType::Text)])])
        .rows(ROWS)
        .answers(|answers, _| answers.default_sql("tags", "size", "'0'"))
        .up("tags", "id, size", &["1|10", "2|0", "5|7"])
        .down("tags", "id, size", &["1|10", "2|0", "5|7"]);
}
