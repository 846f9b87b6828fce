use model_resource_schema::column::{Assigned, Column, OnDelete, Role, Table};
use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::kind::Kind;
use model_resource_schema::model::Model;
use model_resource_schema::value::Value;
use model_resource_store::{Error, Guard, Query, Select, Store};
use refinery::{Migration, Runner};
use serde_json::json;

use crate::database::{in_memory, refusal};
use crate::models::{Article, Category};

#[tokio::test]
async fn a_value_that_is_taken_is_reported_under_its_field() {
    let store = in_memory().await;
    store.create(Category::draft("Rust")).await.unwrap();
    let other = store.create(Category::draft("Go")).await.unwrap();
    let taken = json!({"name": ["Name is already taken."]});
    assert_eq!(refusal(store.create(Category::draft("Rust")).await), taken);
    let mut draft = Draft::of(&other);
    draft.set(Category::NAME, "Rust".to_owned());
    assert_eq!(refusal(store.save(draft).await), taken);
    assert_eq!(store.get::<Category>(other.id).await.unwrap(), Some(other));
}

#[tokio::test]
async fn a_slug_that_is_taken_is_reported_under_the_text_it_is_made_of() {
    let store = in_memory().await;
    store.create(Category::draft("Rust!")).await.unwrap();
    assert_eq!(
        refusal(store.create(Category::draft("rust?")).await),
        json!({"name": ["Name is already taken."]})
    );
}

#[tokio::test]
async fn a_foreign_key_to_nothing_is_reported_under_its_field() {
    let store = in_memory().await;
    let article = store.create(Article::draft("loose")).await.unwrap();
    let expected =
        json!({"categoryId": ["Category Id does not exist."], "replyTo": ["Reply To does not exist."]});
    let mut draft = Article::draft("new");
    draft.set(Article::CATEGORY_ID, Some(7));
    draft.set(Article::REPLY_TO, Some(7));
    assert_eq!(refusal(store.create(draft).await), expected);

    let mut draft = Draft::of(&article);
    draft.set(Article::CATEGORY_ID, Some(7));
    draft.set(Article::REPLY_TO, Some(article.id));
    let errors = refusal(store.save(draft).await);
    assert_eq!(errors, json!({"categoryId": ["Category Id does not exist."]}));
    assert_eq!(store.all(&Query::<Article>::new()).await.unwrap(), [article]);
}

#[tokio::test]
async fn a_row_that_others_reference_is_not_deleted() {
    let store = in_memory().await;
    let category = store.create(Category::draft("Rust")).await.unwrap();
    store
        .insert(Article::any("one", Some(category.id)))
        .await
        .unwrap();
    assert_eq!(store.remove(&category).await, Err(Error::Referenced));
    assert_eq!(store.get::<Category>(category.id).await.unwrap(), Some(category));
}

#[tokio::test]
async fn deleting_a_row_empties_or_deletes_what_references_it() {
    static COMMENTS: Table = Table::new(
        "comments",
        "Comment",
        &[
            Column::new("id", Kind::I64).role(Role::PrimaryKey(Assigned::ByDatabase)),
            Column::new("article_id", Kind::I64).references(Article::table, OnDelete::Cascade),
        ],
    );
    let store = in_memory().await;
    store.create_tables(&[&COMMENTS]).await.unwrap();
    let article = store.create(Article::draft("question")).await.unwrap();
    let mut reply = Article::draft("answer");
    reply.set(Article::REPLY_TO, Some(article.id));
    let reply = store.create(reply).await.unwrap();
    let mut comment = AnyDraft::new(&COMMENTS);
    comment.set(1, Value::Int(article.id));
    store.insert(comment).await.unwrap();

    assert!(store.remove(&article).await.unwrap());
    assert_eq!(
        store.get::<Article>(reply.id).await.unwrap().unwrap().reply_to,
        None
    );
    assert_eq!(
        store.find(&Select::from(&COMMENTS), Value::Int(1)).await.unwrap(),
        None
    );
}

/// A table that a migration made, with rules that the model does not know.
static PLACES: Table = Table::new(
    "places",
    "Place",
    &[
        Column::new("code", Kind::Text).role(Role::PrimaryKey(Assigned::ByClient)),
        Column::new("city", Kind::Text).nullable(true),
        Column::new("street_name", Kind::Text).nullable(true),
        Column::new("size", Kind::I64).nullable(true),
        Column::new("parent", Kind::Text).nullable(true),
    ],
);

async fn places() -> Store {
    let store = in_memory().await;
    let sql = "CREATE TABLE places (
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
    let migration = Migration::unapplied("V1__places", sql).unwrap();
    store.migrate(Runner::new(&[migration])).await.unwrap();
    store
}

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

#[tokio::test]
async fn rules_that_only_the_database_knows_become_errors_of_the_client_too() {
    let store = places().await;
    store
        .insert(place([Some("a"), Some("Bonn"), Some("Am Hof")], None))
        .await
        .unwrap();
    let refused = |draft| async { refusal(store.insert(draft).await) };
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
            .find(&Select::from(&PLACES), Value::Text(code.to_owned()))
            .await
            .unwrap();
        assert_eq!(found, None);
    }
}

#[tokio::test]
async fn a_rule_that_undoes_the_whole_transaction_fails_only_the_one_who_broke_it() {
    let store = places().await;
    let writes = (0..50).map(|number| {
        let (store, code) = (store.clone(), format!("p{number}"));
        let city = if number % 10 == 3 { "Babel" } else { "Rome" };
        tokio::spawn(async move { store.insert(place([Some(&code), Some(city), None], None)).await })
    });
    for (number, write) in writes.collect::<Vec<_>>().into_iter().enumerate() {
        let result = write.await.unwrap();
        let key = Value::Text(format!("p{number}"));
        let found = store.find(&Select::from(&PLACES), key).await.unwrap();
        if number % 10 == 3 {
            assert_eq!(refusal(result), json!({"_schema": ["Babel is confused."]}));
            assert_eq!(found, None);
        } else {
            assert_eq!(Some(result.unwrap()), found);
        }
    }
}

#[tokio::test]
async fn a_constraint_that_is_checked_at_the_commit_fails_only_the_one_who_broke_it() {
    let store = places().await;
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
        tokio::spawn(async move { store.insert(draft).await })
    });
    for (number, write) in writes.collect::<Vec<_>>().into_iter().enumerate() {
        let result = write.await.unwrap();
        let found = store
            .find(&Select::from(&PLACES), Value::Text(format!("p{number}")))
            .await
            .unwrap();
        if number % 10 == 3 {
            assert_eq!(
                refusal(result),
                json!({"_schema": ["Names a row that does not exist."]})
            );
            assert_eq!(found, None);
        } else {
            assert_eq!(Some(result.unwrap()), found);
        }
    }
}

#[tokio::test]
async fn a_key_that_others_reference_is_not_changed() {
    let store = in_memory().await;
    store.create(Category::draft("Rust")).await.unwrap();
    store.insert(Article::any("one", Some(1))).await.unwrap();
    let row = store
        .find(&Select::from(Category::table()), Value::Int(1))
        .await
        .unwrap()
        .unwrap();
    let mut draft = AnyDraft::of(Category::table(), row);
    draft.set(0, Value::Int(5));
    let updated = store
        .update(&Select::from(Category::table()), &draft, Guard::Exists)
        .await;
    assert_eq!(updated, Err(Error::Referenced));
}

#[tokio::test]
async fn values_that_the_program_sets_are_held_against_the_columns_constraints() {
    let store = in_memory().await;
    let errors = refusal(store.create(Category::draft("a\0b")).await);
    assert_eq!(errors, json!({"name": ["Null characters are not allowed."]}));
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
}
