//! Columns that `#[derive(Model)]` derives from a struct.

use jiff::Timestamp;
use jiff::civil::Date;
use model_resource_macros::{ColumnEnum, Model};
use model_resource_schema as schema;
use rust_decimal::Decimal;
use schema::column::{Column, ColumnRole, KeyGeneration, OnDelete};
use schema::data_type::DataType;
use schema::model::{Model, Row};
use schema::value::ValueRef;
use uuid::Uuid;

#[derive(Debug, Clone, Copy, PartialEq, ColumnEnum)]
#[column(crate = schema)]
enum Mood {
    Good,
    #[column(name = "so-so")]
    Middling,
}

#[derive(Debug, PartialEq, Model)]
#[model(crate = schema)]
struct Category {
    #[column(primary_key)]
    id: i64,
    #[column(references = Self, on_delete = set_null)]
    parent_id: Option<i64>,
}

#[derive(Debug, PartialEq, Model)]
#[model(table = "posts", accept_snake_case, crate = schema)]
struct Article {
    #[column(primary_key)]
    id: Uuid,
    #[column(unique, min_length = 1, max_length = 200)]
    title: String,
    #[column(slug(from = title))]
    slug: String,
    #[column(pattern = "[a-z]+", choices = ["draft", "final"], default = "draft")]
    state: String,
    #[column(email, hidden)]
    contact: Option<String>,
    #[column(min = -1.5, max = 10)]
    rating: f64,
    #[column(default = 1_000, min = -5)]
    count: i32,
    #[column(precision = 10, scale = 2, min = "0.01")]
    price: Option<Decimal>,
    #[column(max = "2030-12-31")]
    day: Date,
    #[column(default = false)]
    published: bool,
    mood: Option<Mood>,
    #[column(references = Category, on_delete = cascade)]
    category_id: i64,
    r#type: String,
    #[column(created)]
    created_at: Timestamp,
    #[column(updated)]
    updated_at: Timestamp,
}

#[derive(Model)]
#[model(crate = schema)]
struct Box {
    #[column(primary_key = client)]
    code: String,
}

fn article() -> Article {
    Article {
        id: Uuid::nil(),
        title: "A".to_owned(),
        slug: "a".to_owned(),
        state: "draft".to_owned(),
        contact: None,
        rating: 0.5,
        count: 3,
        price: Some(Decimal::new(150, 2)),
        day: Date::constant(2024, 5, 6),
        published: true,
        mood: Some(Mood::Middling),
        category_id: 7,
        r#type: "note".to_owned(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn column(name: &str) -> &'static Column {
    let table = Article::table();
    &table.columns[table.position(name).expect("the column exists")]
}

#[test]
fn the_table_is_named_by_the_attribute_or_by_the_plural() {
    assert_eq!(
        (Article::table().name, Article::table().model),
        ("posts", "Article")
    );
    assert_eq!(Category::table().name, "categories");
    assert_eq!(Box::table().name, "boxes");
    assert!(Article::table().takes_snake_case);
    assert!(!Category::table().takes_snake_case);
}

#[test]
fn the_type_determines_the_key_generation_unless_the_client_assigns_it() {
    assert_eq!(
        Article::table().key().role,
        ColumnRole::PrimaryKey(KeyGeneration::UuidV7)
    );
    assert_eq!(
        Category::table().key().role,
        ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)
    );
    assert_eq!(
        Box::table().key().role,
        ColumnRole::PrimaryKey(KeyGeneration::Client)
    );
}

#[test]
fn types_decide_kind_and_nullability() {
    assert_eq!(
        (column("rating").data_type, column("rating").nullable),
        (DataType::F64, false)
    );
    assert_eq!(
        (column("contact").data_type, column("contact").nullable),
        (DataType::Text, true)
    );
    assert_eq!(
        column("price").data_type,
        DataType::Decimal {
            precision: 10,
            scale: 2
        }
    );
    assert_eq!(column("mood").data_type, DataType::Enum(&["good", "so-so"]));
    assert_eq!(column("type").wire_name(), "type");
}

#[test]
fn options_become_constraints_in_their_wire_form() {
    let title = column("title");
    assert!(title.unique);
    assert_eq!((title.min_length, title.max_length), (Some(1), Some(200)));
    let state = column("state");
    assert_eq!((state.pattern, state.default), (Some("[a-z]+"), Some("draft")));
    assert_eq!(state.choices, ["draft", "final"]);
    assert_eq!(
        (column("rating").min, column("rating").max),
        (Some("-1.5"), Some("10"))
    );
    assert_eq!(
        (column("count").min, column("count").default),
        (Some("-5"), Some("1000"))
    );
    assert_eq!(column("price").min, Some("0.01"));
    assert_eq!(column("day").max, Some("2030-12-31"));
    assert_eq!(column("published").default, Some("false"));
    assert!(column("contact").email && column("contact").hidden);
    assert_eq!(column("slug").role, ColumnRole::Slug("title"));
    assert_eq!(column("created_at").role, ColumnRole::Created);
    assert_eq!(column("updated_at").role, ColumnRole::Updated);
}

#[test]
fn foreign_keys_lead_to_the_other_table() {
    let references = column("category_id").references.expect("a foreign key");
    assert_eq!(
        ((references.table)().name, references.on_delete),
        ("categories", OnDelete::Cascade)
    );
    let parent = Category::PARENT_ID.column().references.expect("a foreign key");
    assert_eq!(
        ((parent.table)().name, parent.on_delete),
        ("categories", OnDelete::SetNull)
    );
}

#[test]
fn an_instance_round_trips_through_its_values() {
    let article = article();
    assert_eq!(article.value(1), ValueRef::Text("A"));
    assert_eq!(article.value(10), ValueRef::Text("so-so"));
    assert_eq!(Article::from_row(&article), Ok(article));
}

#[test]
fn each_field_has_a_constant() {
    assert_eq!(Article::TITLE.position(), 1);
    assert_eq!(Article::TYPE.column().name, "type");
}

#[derive(Model)]
#[model(crate = schema)]
struct Person {
    #[column(primary_key, name = "no")]
    id: i64,
    #[column(
        json = "called",
        trim,
        lowercase,
        unique,
        message(unique = "Taken.", type = "A text.")
    )]
    name: String,
    #[column(slug(from = name, stable))]
    slug: String,
}

#[test]
fn a_column_may_have_other_names_and_messages() {
    let id = Person::ID.column();
    assert_eq!((id.name, id.database_name), ("id", "no"));
    let name = Person::NAME.column();
    assert_eq!((name.database_name, name.json_name), ("name", Some("called")));
    assert!(name.trim && name.lowercase);
    assert_eq!(name.messages.0, [("unique", "Taken."), ("type", "A text.")]);
    assert_eq!(Person::SLUG.column().role, ColumnRole::StableSlug("name"));
}

#[test]
fn only_custom_types_have_a_type_check() {
    assert!(
        Article::table()
            .columns
            .iter()
            .all(|column| column.type_check.is_none())
    );
}

/// The derive knows the limit of the schema, on which it does not depend.
#[test]
fn the_derive_and_the_schema_have_the_same_maximum_of_columns() {
    let check = include_str!("../../macros/src/model/check.rs");
    let limit = schema::column::Table::MAX_COLUMNS;
    assert!(check.contains(&format!("const MAX_COLUMNS: usize = {limit};")));
}
