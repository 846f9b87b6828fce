use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, OnDelete, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::model::Model;
use model_resource_schema::value::Value;
use model_resource_store::{
    AnyQuery, Migration, Migrations, Precondition, Query, SqlDialect, Store, StoreError,
};
use serde_json::json;

use crate::database::{field_errors, on};
use crate::models::{Article, Category};

on!(a_value_that_is_taken_is_reported_under_its_field: in_memory, postgres);
async fn a_value_that_is_taken_is_reported_under_its_field(store: Store) {
    store.create(Category::draft("Rust")).await.unwrap();
    let other = store.create(Category::draft("Go")).await.unwrap();
    let taken = json!({"name": ["Name is already taken."]});
    assert_eq!(field_errors(store.create(Category::draft("Rust")).await), taken);
    let mut draft = Draft::of(&other);
    draft.set(Category::NAME, "Rust".to_owned());
    assert_eq!(field_errors(store.save(draft).await), taken);
    assert_eq!(store.get::<Category>(other.id).await.unwrap(), Some(other));
}

on!(a_slug_that_is_taken_is_reported_under_its_source_field: in_memory, postgres);
async fn a_slug_that_is_taken_is_reported_under_its_source_field(store: Store) {
    store.create(Category::draft("Rust!")).await.unwrap();
    assert_eq!(
        field_errors(store.create(Category::draft("rust?")).await),
        json!({"name": ["Its slug \"rust\" is already taken; choose another name."]})
    );
}

on!(a_foreign_key_to_a_missing_row_is_reported_under_its_field: in_memory, postgres);
async fn a_foreign_key_to_a_missing_row_is_reported_under_its_field(store: Store) {
    let article = store.create(Article::draft("loose")).await.unwrap();
    let expected =
        json!({"categoryId": ["Category Id does not exist."], "replyTo": ["Reply To does not exist."]});
    let mut draft = Article::draft("new");
    draft.set(Article::CATEGORY_ID, Some(7));
    draft.set(Article::REPLY_TO, Some(7));
    assert_eq!(field_errors(store.create(draft).await), expected);

    let mut draft = Draft::of(&article);
    draft.set(Article::CATEGORY_ID, Some(7));
    draft.set(Article::REPLY_TO, Some(article.id));
    let errors = field_errors(store.save(draft).await);
    assert_eq!(errors, json!({"categoryId": ["Category Id does not exist."]}));
    assert_eq!(store.all(&Query::<Article>::new()).await.unwrap(), [article]);
}

on!(a_row_that_others_reference_is_not_deleted: in_memory, postgres);
async fn a_row_that_others_reference_is_not_deleted(store: Store) {
    let category = store.create(Category::draft("Rust")).await.unwrap();
    store
        .insert_any(Article::any("one", Some(category.id)))
        .await
        .unwrap();
    assert_eq!(store.remove(&category).await, Err(StoreError::Referenced));
    assert_eq!(store.get::<Category>(category.id).await.unwrap(), Some(category));
}

on!(deleting_a_row_applies_the_on_delete_actions: in_memory, postgres);
async fn deleting_a_row_applies_the_on_delete_actions(store: Store) {
    static COMMENTS: Table = Table::new(
        "comments",
        "Comment",
        &[
            Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
            Column::new("article_id", DataType::I64).references(Article::table, OnDelete::Cascade),
        ],
    );
    store.create_tables(&[&COMMENTS]).await.unwrap();
    let article = store.create(Article::draft("question")).await.unwrap();
    let mut reply = Article::draft("answer");
    reply.set(Article::REPLY_TO, Some(article.id));
    let reply = store.create(reply).await.unwrap();
    let mut comment = AnyDraft::new(&COMMENTS);
    comment.set(1, Value::Int(article.id));
    store.insert_any(comment).await.unwrap();

    assert!(store.remove(&article).await.unwrap());
    assert_eq!(
        store.get::<Article>(reply.id).await.unwrap().unwrap().reply_to,
        None
    );
    assert_eq!(
        store
            .find_any(&AnyQuery::from(&COMMENTS), Value::Int(1))
            .await
            .unwrap(),
        None
    );
}

/// A table created by a migration, with constraints that the model does not know.
static PLACES: Table = Table::new(
    "places",
    "Place",
    &[
        Column::new("code", DataType::Text).role(ColumnRole::PrimaryKey(KeyGeneration::Client)),
        Column::new("city", DataType::Text).nullable(true),
        Column::new("street_name", DataType::Text).nullable(true),
        Column::new("size", DataType::I64).nullable(true),
        Column::new("parent", DataType::Text).nullable(true),
    ],
);

async fn create_places(store: &Store) {
    let sql = match store.dialect() {
        SqlDialect::Sqlite => SQLITE_PLACES,
        SqlDialect::Postgres => POSTGRES_PLACES,
    };
    let migration = Migration::new(1, "places", sql);
    store.migrate(&Migrations::new([migration])).await.unwrap();
}

const SQLITE_PLACES: &str = "CREATE TABLE places (
            code TEXT PRIMARY KEY NOT NULL,
            city TEXT NOT NULL,
            street_name TEXT,
            size INTEGER CONSTRAINT size_is_positive CHECK (size > 0),
            parent TEXT REFERENCES places (code) DEFERRABLE INITIALLY DEFERRED,
            UNIQUE (city, street_name)
        );
        CREATE TRIGGER no_atlantis BEFORE INSERT ON places WHEN NEW.city = 'Atlantis'
        BEGIN SELECT RAISE(ABORT, 'Atlantis has sunk.'); END;
        CREATE TRIGGER no_babel BEFORE INSERT ON places WHEN NEW.city = 'Babel'
        BEGIN SELECT RAISE(ROLLBACK, 'Babel is confused.'); END;";

const POSTGRES_PLACES: &str = "CREATE TABLE places (
        code text PRIMARY KEY,
        city text NOT NULL,
        street_name text,
        size integer CONSTRAINT size_is_positive CHECK (size > 0),
        parent varchar(7) REFERENCES places (code) DEFERRABLE INITIALLY DEFERRED,
        UNIQUE (city, street_name)
    );
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.city = 'Atlantis' THEN RAISE EXCEPTION 'Atlantis has sunk.'; END IF;
        IF NEW.city = 'Babel' THEN RAISE EXCEPTION 'Babel is confused.'; END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON places FOR EACH ROW EXECUTE FUNCTION refuse();";

fn place(values: [Option<&str>; 3], size: Option<i64>) -> AnyDraft {
    let mut draft = AnyDraft::new(&PLACES);
    for (column, value) in values.into_iter().enumerate() {
        draft.set(
            column,
            value.map_or(Value::Null, |text| Value::Text(text.to_owned())),
        );
    }
    draft.set(3, size.map_or(Value::Null, Value::Int));
    draft
}

on!(constraints_of_the_database_become_client_errors: in_memory, postgres);
async fn constraints_of_the_database_become_client_errors(store: Store) {
    create_places(&store).await;
    store
        .insert_any(place([Some("a"), Some("Bonn"), Some("Am Hof")], None))
        .await
        .unwrap();
    let refused = |draft| async { field_errors(store.insert_any(draft).await) };
    assert_eq!(
        refused(place([Some("a"), Some("Rome"), None], None)).await,
        json!({"code": ["Code is already taken."]})
    );
    assert_eq!(
        refused(place([Some("b"), Some("Bonn"), Some("Am Hof")], None)).await,
        json!({"_schema": ["The combination of City and Street Name is already taken."]})
    );
    assert_eq!(
        refused(place([Some("c"), None, None], None)).await,
        json!({"city": ["City is required."]})
    );
    assert_eq!(
        refused(place([Some("d"), Some("Rome"), None], Some(0))).await,
        json!({"_schema": ["The values break a rule of the data."]})
    );
    assert_eq!(
        refused(place([Some("e"), Some("Atlantis"), None], None)).await,
        json!({"_schema": ["Atlantis has sunk."]})
    );
    for code in ["b", "c", "d", "e"] {
        let found = store
            .find_any(&AnyQuery::from(&PLACES), Value::Text(code.to_owned()))
            .await
            .unwrap();
        assert_eq!(found, None);
    }
}

on!(values_too_large_for_the_database_column_become_client_errors: postgres);
async fn values_too_large_for_the_database_column_become_client_errors(store: Store) {
    create_places(&store).await;
    let rule = json!({"_schema": ["The values break a rule of the data."]});
    let wide = place([Some("a"), Some("Rome"), None], Some(1 << 40));
    assert_eq!(field_errors(store.insert_any(wide).await), rule);
    let mut long = place([Some("a"), Some("Rome"), None], None);
    long.set(4, Value::Text("eight888".to_owned()));
    assert_eq!(field_errors(store.insert_any(long).await), rule);
    let key = Value::Text("a".to_owned());
    assert_eq!(store.find_any(&AnyQuery::from(&PLACES), key).await.unwrap(), None);
}

on!(a_text_too_large_for_an_index_is_a_client_error: postgres);
async fn a_text_too_large_for_an_index_is_a_client_error(store: Store) {
    // Random text, which the server cannot compress.
    let letters = std::iter::repeat_with(|| uuid::Uuid::new_v4().simple().to_string());
    let name: String = letters.take(400).collect();
    let rule = json!({"_schema": ["The values break a rule of the data."]});
    let mut category = Category::draft(&name).into_any();
    // The slug would also be too long.
    category.set(2, Value::Text("short".to_owned()));
    assert_eq!(field_errors(store.insert_any(category).await), rule);
}

on!(all_values_that_are_taken_are_reported_at_once: in_memory, postgres);
async fn all_values_that_are_taken_are_reported_at_once(store: Store) {
    static PEOPLE: Table = Table::new(
        "people",
        "Person",
        &[
            Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
            Column::new("login", DataType::Text).unique(),
            Column::new("email_address", DataType::Text).unique(),
        ],
    );
    store.create_tables(&[&PEOPLE]).await.unwrap();
    let person = |login: &str, email: &str| {
        let mut draft = AnyDraft::new(&PEOPLE);
        draft.set(1, Value::Text(login.to_owned()));
        draft.set(2, Value::Text(email.to_owned()));
        draft
    };
    store.insert_any(person("ann", "ann@x.org")).await.unwrap();
    store.insert_any(person("bob", "bob@x.org")).await.unwrap();
    let both =
        json!({"login": ["Login is already taken."], "emailAddress": ["Email Address is already taken."]});
    assert_eq!(
        field_errors(store.insert_any(person("ann", "bob@x.org")).await),
        both
    );
    // Also inside a transaction, which continues.
    let transaction = store.begin().await.unwrap();
    assert_eq!(
        field_errors(transaction.insert_any(person("ann", "bob@x.org")).await),
        both
    );
    transaction.insert_any(person("eve", "eve@x.org")).await.unwrap();
    transaction.commit().await.unwrap();
}

on!(a_constraint_that_rolls_back_a_group_commit_fails_only_the_violating_write: in_memory, postgres);
async fn a_constraint_that_rolls_back_a_group_commit_fails_only_the_violating_write(store: Store) {
    create_places(&store).await;
    let writes = (0..50).map(|number| {
        let (store, code) = (store.clone(), format!("p{number}"));
        let city = if number % 10 == 3 { "Babel" } else { "Rome" };
        tokio::spawn(async move {
            store
                .insert_any(place([Some(&code), Some(city), None], None))
                .await
        })
    });
    for (number, write) in writes.collect::<Vec<_>>().into_iter().enumerate() {
        let result = write.await.unwrap();
        let key = Value::Text(format!("p{number}"));
        let found = store.find_any(&AnyQuery::from(&PLACES), key).await.unwrap();
        if number % 10 == 3 {
            assert_eq!(field_errors(result), json!({"_schema": ["Babel is confused."]}));
            assert_eq!(found, None);
        } else {
            assert_eq!(Some(result.unwrap()), found);
        }
    }
}

on!(a_deferred_constraint_fails_only_the_violating_write: in_memory, postgres);
async fn a_deferred_constraint_fails_only_the_violating_write(store: Store) {
    create_places(&store).await;
    let writes = (0..50).map(|number| {
        let (store, code) = (store.clone(), format!("p{number}"));
        let mut draft = place([Some(&code), Some("Rome"), None], None);
        draft.set(
            4,
            if number % 10 == 3 {
                Value::Text("nowhere".to_owned())
            } else {
                Value::Null
            },
        );
        tokio::spawn(async move { store.insert_any(draft).await })
    });
    for (number, write) in writes.collect::<Vec<_>>().into_iter().enumerate() {
        let result = write.await.unwrap();
        let found = store
            .find_any(&AnyQuery::from(&PLACES), Value::Text(format!("p{number}")))
            .await
            .unwrap();
        if number % 10 == 3 {
            assert_eq!(
                field_errors(result),
                json!({"_schema": ["Names a row that does not exist."]})
            );
            assert_eq!(found, None);
        } else {
            assert_eq!(Some(result.unwrap()), found);
        }
    }
}

on!(a_key_that_others_reference_is_not_changed: in_memory, postgres);
async fn a_key_that_others_reference_is_not_changed(store: Store) {
    store.create(Category::draft("Rust")).await.unwrap();
    store.insert_any(Article::any("one", Some(1))).await.unwrap();
    let row = store
        .find_any(&AnyQuery::from(Category::table()), Value::Int(1))
        .await
        .unwrap()
        .unwrap();
    let mut draft = AnyDraft::of(Category::table(), row);
    draft.set(0, Value::Int(5));
    let updated = store
        .update_any(&AnyQuery::from(Category::table()), &draft, Precondition::Exists)
        .await;
    assert_eq!(updated, Err(StoreError::Referenced));
}

on!(values_that_the_program_sets_are_validated: in_memory, postgres);
async fn values_that_the_program_sets_are_validated(store: Store) {
    let errors = field_errors(store.create(Category::draft("a\0b")).await);
    assert_eq!(errors, json!({"name": ["Null characters are not allowed."]}));
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
}
