//! PostgreSQL enum types as columns of models.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_store::{Migration, Migrations, Store};

use crate::database::{failure, on};

const KEY: Column =
    Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement));

static MOODS: Table = Table::new(
    "moods",
    "Mood",
    &[KEY, Column::new("mood", DataType::Enum(&["sad", "merry"]))],
);

static MORE_MOODS: Table = Table::new(
    "moods",
    "Mood",
    &[
        KEY,
        Column::new("mood", DataType::Enum(&["sad", "angry", "merry"])),
    ],
);

static TEXTS: Table = Table::new("moods", "Mood", &[KEY, Column::new("mood", DataType::Text)]);

on!(an_enum_type_must_have_the_labels_of_its_model: postgres);
async fn an_enum_type_must_have_the_labels_of_its_model(store: Store) {
    let sql = "CREATE TYPE mood AS ENUM ('sad', 'calm', 'merry');
               CREATE TABLE moods (id bigserial PRIMARY KEY, mood mood NOT NULL);";
    let migration = Migration::new(1, "moods", sql);
    store.migrate(&Migrations::new([migration])).await.unwrap();
    store.verify(&[&MOODS]).await.unwrap();
    let cause = failure(store.verify(&[&MORE_MOODS]).await);
    assert!(cause.contains("enum type mood, which lacks `angry`"), "{cause}");
    let cause = failure(store.verify(&[&TEXTS]).await);
    assert!(cause.contains("the type mood where text is expected"), "{cause}");
}
