//! Blind updates of rows that were not read before.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::Record;
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, Precondition, Store, StoreResult, Updated};
use serde_json::json;

use crate::database::{field_errors, on};

static PAGES: Table = Table::new(
    "pages",
    "Page",
    &[
        Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
        Column::new("title", DataType::Text).unique(),
        Column::new("slug", DataType::Text).role(ColumnRole::Slug("title")),
        Column::new("extra", DataType::Json).nullable(true),
        Column::new("code", DataType::Text).nullable(true).unique(),
        Column::new("updated_at", DataType::Timestamp).role(ColumnRole::Updated),
    ],
);
const TITLE: usize = 1;
const SLUG: usize = 2;
const EXTRA: usize = 3;
const CODE: usize = 4;
const UPDATED_AT: usize = 5;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

async fn page(store: &Store, title: &str, code: &str) -> Record {
    store.create_tables(&[&PAGES]).await.unwrap();
    let mut draft = AnyDraft::new(&PAGES);
    draft.set(TITLE, text(title));
    draft.set(CODE, text(code));
    store.insert_any(draft).await.unwrap()
}

async fn change(store: &Store, id: i64, values: &[(usize, Value)]) -> StoreResult<Updated<Record>> {
    let mut draft = AnyDraft::blind(&PAGES, Value::Int(id));
    for (column, value) in values {
        draft.set(*column, value.clone());
    }
    store
        .update_any(&AnyQuery::from(&PAGES), &draft, Precondition::Exists)
        .await
}

async fn changed(store: &Store, values: &[(usize, Value)]) -> Record {
    match change(store, 1, values).await.unwrap() {
        Updated::Row(row) => row,
        other => panic!("{other:?}"),
    }
}

on!(derived_columns_are_written_only_if_their_source_changes: in_memory, postgres);
async fn derived_columns_are_written_only_if_their_source_changes(store: Store) {
    let first = page(&store, "Old Title", "a").await;
    // The slug differs from the one that the title would produce now.
    let kept = changed(&store, &[(SLUG, text("kept"))]).await;
    assert!(kept.values()[UPDATED_AT] != first.values()[UPDATED_AT]);
    let same = [
        (TITLE, text("Old Title")),
        (CODE, text("a")),
        (EXTRA, Value::Null),
    ];
    assert_eq!(changed(&store, &same).await, kept);

    let filled = changed(
        &store,
        &[(TITLE, text("Old Title")), (EXTRA, Value::Json("[1]".to_owned()))],
    )
    .await;
    assert_eq!(filled.values()[SLUG], text("kept"));
    assert!(filled.values()[UPDATED_AT] != kept.values()[UPDATED_AT]);
    assert_eq!(
        changed(&store, &[(EXTRA, Value::Json("[1]".to_owned()))]).await,
        filled
    );

    let titled = changed(&store, &[(TITLE, text("New Title"))]).await;
    assert_eq!(titled.values()[SLUG], text("new-title"));
    assert!(titled.values()[UPDATED_AT] != filled.values()[UPDATED_AT]);
    let emptied = changed(&store, &[(EXTRA, Value::Null)]).await;
    assert!(emptied.values()[UPDATED_AT] != titled.values()[UPDATED_AT]);
}

on!(an_update_without_changes_returns_the_row: in_memory, postgres);
async fn an_update_without_changes_returns_the_row(store: Store) {
    let row = page(&store, "Title", "a").await;
    assert_eq!(changed(&store, &[]).await, row);
}

on!(an_update_of_a_missing_row_reports_it_missing: in_memory, postgres);
async fn an_update_of_a_missing_row_reports_it_missing(store: Store) {
    let row = page(&store, "Title", "a").await;
    for values in [&[][..], &[(CODE, text("b"))], &[(TITLE, Value::Null)]] {
        assert_eq!(change(&store, 2, values).await.unwrap(), Updated::Missing);
    }
    assert_eq!(changed(&store, &[]).await, row);
}

on!(only_changed_values_can_violate_uniqueness: in_memory, postgres);
async fn only_changed_values_can_violate_uniqueness(store: Store) {
    let row = page(&store, "Own", "own").await;
    page(&store, "Other", "other").await;
    let values = [(TITLE, text("Own")), (CODE, text("other"))];
    let taken = json!({"code": ["Code is already taken."]});
    assert_eq!(field_errors(change(&store, 1, &values).await), taken);
    assert_eq!(changed(&store, &[]).await, row);
    // Also inside a transaction, which continues.
    let transaction = store.begin().await.unwrap();
    assert_eq!(field_errors(change(&transaction, 1, &values).await), taken);
    changed(&transaction, &[(CODE, text("new"))]).await;
    transaction.commit().await.unwrap();
    assert_eq!(changed(&store, &[]).await.values()[CODE], text("new"));
}
