use model_resource_migrations::{
    MigrationAnswers, MigrationFile, SchemaState, check_migrations, diff, migration_sql,
};
use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, OnDelete, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{Comparison, Predicate};
use model_resource_schema::table_constraints::{
    CheckConstraint, IndexColumn, RowCondition, TableIndex, UniqueConstraint,
};
use model_resource_schema::value::Value;
use model_resource_store::{Migrations, SqlDialect};
use rusqlite::Connection;
use tempfile::TempDir;

const COLOURS: DataType = DataType::Enum(&["red", "it's"]);

static GROUPS: Table = Table::new(
    "groups",
    "Group",
    &[Column::new("id", DataType::Uuid).role(ColumnRole::PrimaryKey(KeyGeneration::UuidV7))],
);

static ITEMS: Table = Table::new(
    "items",
    "Item",
    &[
        Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
        Column::new("name", DataType::Text).unique().max_length(20),
        Column::new("group_id", DataType::Uuid)
            .nullable(true)
            .references(groups, OnDelete::SetNull),
        Column::new("price", DataType::I32).decimal(10, 2).default("1.50"),
        Column::new("ratio", DataType::F64).nullable(true),
        Column::new("seen", DataType::Timestamp).default("2024-05-06T07:08:09Z"),
        Column::new("colour", COLOURS)
            .postgres_type(Some("colour"))
            .default("it's"),
        Column::new("extra", DataType::Json).default("{\"a\": \"it's\"}"),
        Column::new("data", DataType::Bytes).nullable(true),
        Column::new("version", DataType::I64).role(ColumnRole::Version),
    ],
)
.uniques(&[UniqueConstraint::new(&[1, 2]).filter(is_cheap)])
.indexes(&[TableIndex::new(&[IndexColumn::descending(4), IndexColumn::ascending(1)]).filter(is_cheap)])
.checks(&[CheckConstraint::new("sane", is_sane)]);

fn groups() -> &'static Table {
    &GROUPS
}

fn is_cheap() -> RowCondition {
    let value = Value::Decimal("2.50".parse().unwrap());
    RowCondition::Compare(3, Predicate::Is(Comparison::Lt, value))
}

fn is_sane() -> RowCondition {
    let names = vec![Value::Text("a".to_owned()), Value::Text("it's".to_owned())];
    let named = RowCondition::Compare(1, Predicate::NoneOf(names));
    let rated = RowCondition::Compare(4, Predicate::Is(Comparison::Gt, Value::Double(-1.5)));
    RowCondition::Or(vec![RowCondition::Not(Box::new(named)), rated])
}

#[test]
fn the_schema_of_models_is_that_of_the_tables_which_the_store_creates() {
    let declared = SchemaState::of_models(SqlDialect::Sqlite, &[&GROUPS, &ITEMS]).unwrap();
    let connection = Connection::open_in_memory().unwrap();
    for table in [&GROUPS, &ITEMS] {
        connection
            .execute_batch(&SqlDialect::Sqlite.create_table_sql(table))
            .unwrap();
    }
    let found = SchemaState::of_sqlite(&connection).unwrap();
    assert_eq!(found.normalized(), declared.normalized());
    assert_eq!(diff(&found, &declared, &MigrationAnswers::new()), Ok(Vec::new()));
    let items = &declared.tables["items"];
    assert_eq!(
        (items.columns.len(), items.checks.len(), items.foreign_keys.len()),
        (10, 1, 1)
    );
    assert_eq!((items.uniques.len(), items.indexes.len()), (1, 3));
}

#[test]
fn defaults_of_models_are_literals_of_the_database() {
    let default = |dialect: SqlDialect, column: &str| {
        let state = SchemaState::of_models(dialect, &[&GROUPS, &ITEMS]).unwrap();
        state.tables["items"]
            .column(column)
            .unwrap()
            .default
            .clone()
            .unwrap()
    };
    let sqlite = |column| default(SqlDialect::Sqlite, column);
    assert_eq!(
        (sqlite("price"), sqlite("version")),
        ("150".to_owned(), "1".to_owned())
    );
    assert_eq!(sqlite("extra"), "'{\"a\": \"it''s\"}'");
    let postgres = |column| default(SqlDialect::Postgres, column);
    assert_eq!(
        (postgres("price"), postgres("colour")),
        ("1.50".to_owned(), "'it''s'".to_owned())
    );
    assert_eq!(postgres("extra"), "'{\"a\": \"it''s\"}'");
}

#[test]
fn the_value_of_existing_rows_is_given_in_its_wire_form() {
    let models: [&'static Table; 2] = [&GROUPS, &ITEMS];
    let answers = |text: &str| MigrationAnswers::new().default_value(SqlDialect::Sqlite, &models, text);
    let expected = MigrationAnswers::new().default_sql("items", "price", "1234");
    assert_eq!(answers("items.price=12.34"), Ok(expected));
    for text in [
        "items.price=cheap",
        "items.cost=1",
        "item.price=1",
        "price=1",
        "items.price",
    ] {
        assert!(answers(text).is_err(), "{text}");
    }
    let long = answers("items.name=longer than the column takes").unwrap_err();
    assert!(long.to_string().contains("violates its constraints"), "{long}");
}

#[test]
fn enum_types_are_read_from_the_models() {
    let state = SchemaState::of_models(SqlDialect::Postgres, &[&GROUPS, &ITEMS]).unwrap();
    assert_eq!(state.enums["colour"], ["red", "it's"]);
    let colour = state.tables["items"].column("colour").unwrap();
    assert_eq!(
        (colour.data_type.as_str(), colour.is_nullable),
        ("\"colour\"", false)
    );
    let price = state.tables["items"].column("price").unwrap();
    assert_eq!(price.data_type, "numeric(10, 2)");
}

/// Asserts that migrations are accepted as soon as they lead to the models.
#[track_caller]
fn made(dialect: SqlDialect) {
    let folder = TempDir::new().unwrap();
    let make = |version: u32, models: &[&'static Table]| {
        let before = SchemaState::of_migrations(dialect, &Migrations::read(folder.path())).unwrap();
        let after = SchemaState::of_models(dialect, models).unwrap();
        let sql = migration_sql(&before, &after, &MigrationAnswers::new())
            .unwrap()
            .unwrap();
        let file = MigrationFile::at(folder.path(), version, "models").unwrap();
        file.write(&sql).unwrap();
    };
    let both: [&'static Table; 2] = [&GROUPS, &ITEMS];
    let answers = MigrationAnswers::new();
    make(1, &[&GROUPS]);
    let check = || check_migrations(dialect, &both, &Migrations::read(folder.path()), &answers);
    let message = check().unwrap_err().to_string();
    assert!(message.contains("create table `items`"), "{message}");
    make(2, &both);
    assert_eq!(check(), Ok(()));
}

#[test]
fn migrations_that_do_not_lead_to_the_models_are_found() {
    made(SqlDialect::Sqlite);
    made(SqlDialect::Postgres);
}
