use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::model::Model;
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, Precondition, Query, RowKey, Sql, Store, StoreError, Updated};
use serde_json::json;

use crate::database::{failure, field_errors, on};
use crate::models::{Article, Category};

on!(handlers_create_read_save_and_remove_typed_instances: in_memory, postgres);
async fn handlers_create_read_save_and_remove_typed_instances(store: Store) {
    let rust = store.create(Category::draft("Rust Lang")).await.unwrap();
    assert_eq!(
        rust,
        Category {
            id: 1,
            name: "Rust Lang".to_owned(),
            slug: "rust-lang".to_owned()
        }
    );
    assert_eq!(store.get::<Category>(1_i64).await.unwrap(), Some(rust.clone()));
    assert_eq!(store.get::<Category>(2_i64).await.unwrap(), None);

    let mut draft = Draft::of(&rust);
    draft.set(Category::NAME, "Go".to_owned());
    let go = store.save(draft.clone()).await.unwrap();
    assert_eq!((go.id, go.slug.as_str()), (1, "go"));

    let named = Query::<Category>::new().filter(Category::NAME.eq("Go".to_owned()));
    assert_eq!(store.first(&named).await.unwrap(), Some(go.clone()));
    assert_eq!(
        store.all(&Query::<Category>::new()).await.unwrap(),
        std::slice::from_ref(&go)
    );
    assert!(store.remove(&go).await.unwrap());
    assert!(!store.remove(&go).await.unwrap());
    assert_eq!(store.save(draft).await, Err(StoreError::Missing));
}

on!(keys_are_never_reused: in_memory, postgres);
async fn keys_are_never_reused(store: Store) {
    let first = store.create(Category::draft("a")).await.unwrap();
    store.remove(&first).await.unwrap();
    assert_eq!(store.create(Category::draft("a")).await.unwrap().id, 2);
}

on!(several_keys_are_read_by_one_statement: in_memory, postgres);
async fn several_keys_are_read_by_one_statement(store: Store) {
    for name in ["a", "b", "c"] {
        store.create(Category::draft(name)).await.unwrap();
    }
    for (keys, found, statements) in [
        (vec![3, 7, 1, 3], vec!["a", "c"], 1),
        (vec![2], vec!["b"], 1),
        (vec![7], vec![], 1),
        (vec![], vec![], 0),
    ] {
        let before = store.read_count();
        let keys = keys.into_iter().map(Value::Int).collect();
        let categories: Vec<Category> = store.get_many(keys).await.unwrap();
        let names: Vec<&str> = categories.iter().map(|category| category.name.as_str()).collect();
        assert_eq!((names, store.read_count() - before), (found, statements));
    }
}

on!(reads_count_inside_and_outside_of_transactions: in_memory, postgres);
async fn reads_count_inside_and_outside_of_transactions(store: Store) {
    store.create(Category::draft("a")).await.unwrap();
    let before = store.read_count();
    store.get::<Category>(1).await.unwrap();
    assert_eq!(store.read_count() - before, 1);
    let transaction = store.begin().await.unwrap();
    transaction.get::<Category>(1).await.unwrap();
    transaction
        .fetch(Sql::new("SELECT name FROM categories"))
        .await
        .unwrap();
    transaction.create(Category::draft("b")).await.unwrap();
    assert_eq!(transaction.read_count() - before, 3);
    let inner = transaction.begin_nested().await.unwrap();
    inner.count(&Query::<Category>::new()).await.unwrap();
    inner.commit().await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(store.read_count() - before, 4);
}

on!(a_query_for_none_finds_the_rows_without_a_value: in_memory, postgres);
async fn a_query_for_none_finds_the_rows_without_a_value(store: Store) {
    store.create(Category::draft("a")).await.unwrap();
    let mut draft = Article::draft("filed");
    draft.set(Article::CATEGORY_ID, Some(1));
    store.create(draft).await.unwrap();
    store.create(Article::draft("loose")).await.unwrap();
    let filed = store
        .all(&Query::<Article>::new().filter(Article::CATEGORY_ID.eq(Some(1))))
        .await
        .unwrap();
    let loose = store
        .all(&Query::<Article>::new().filter(Article::CATEGORY_ID.eq(None)))
        .await
        .unwrap();
    assert_eq!((filed.len(), filed[0].title.as_str()), (1, "filed"));
    assert_eq!((loose.len(), loose[0].title.as_str()), (1, "loose"));
}

on!(an_insert_reports_all_missing_values: in_memory, postgres);
async fn an_insert_reports_all_missing_values(store: Store) {
    let errors = field_errors(store.insert_any(AnyDraft::new(Article::table())).await);
    assert_eq!(errors, json!({"title": ["Title is required."]}));
    assert!(store.all(&Query::<Article>::new()).await.unwrap().is_empty());
}

on!(an_update_writes_only_what_changed: in_memory, postgres);
async fn an_update_writes_only_what_changed(store: Store) {
    let article = store.create(Article::draft("old")).await.unwrap();
    let mut title = Draft::of(&article);
    title.set(Article::TITLE, "new".to_owned());
    let mut views = Draft::of(&article);
    views.set(Article::VIEWS, 7);
    store.save(title).await.unwrap();
    let saved = store.save(views).await.unwrap();
    assert_eq!((saved.title.as_str(), saved.views), ("new", 7));
}

on!(an_update_without_changes_returns_the_row_without_a_query: in_memory, postgres);
async fn an_update_without_changes_returns_the_row_without_a_query(store: Store) {
    let gone = Article {
        id: 9,
        title: "gone".to_owned(),
        views: 0,
        category_id: None,
        reply_to: None,
    };
    let draft = Draft::of(&gone).into_any();
    let updated = store
        .update_any(&AnyQuery::from(Article::table()), &draft, Precondition::Unchanged)
        .await
        .unwrap();
    assert_eq!(updated, Updated::Row(draft.original().unwrap().clone()));
}

on!(a_conditional_update_distinguishes_stale_and_missing_rows: in_memory, postgres);
async fn a_conditional_update_distinguishes_stale_and_missing_rows(store: Store) {
    let query = AnyQuery::from(Article::table());
    let article = store.create(Article::draft("first")).await.unwrap();
    let change = |title: &str| {
        let mut draft = Draft::of(&article);
        draft.set(Article::TITLE, title.to_owned());
        draft.into_any()
    };
    let Updated::Row(row) = store
        .update_any(&query, &change("second"), Precondition::Unchanged)
        .await
        .unwrap()
    else {
        panic!("the row was as it was read");
    };
    assert_eq!(row.values()[1], Value::Text("second".to_owned()));
    let stale = store
        .update_any(&query, &change("third"), Precondition::Unchanged)
        .await
        .unwrap();
    assert_eq!(stale, Updated::Stale(row.clone()));
    assert_eq!(
        store.find_any(&query, Value::Int(article.id)).await.unwrap(),
        Some(row.clone())
    );

    let mut rebased = change("third");
    rebased.rebase(row);
    assert!(matches!(
        store
            .update_any(&query, &rebased, Precondition::Unchanged)
            .await
            .unwrap(),
        Updated::Row(_)
    ));
    assert!(matches!(
        store
            .update_any(&query, &change("fourth"), Precondition::Exists)
            .await
            .unwrap(),
        Updated::Row(_)
    ));

    store.remove(&article).await.unwrap();
    for guard in [Precondition::Unchanged, Precondition::Exists] {
        assert_eq!(
            store.update_any(&query, &change("fifth"), guard).await.unwrap(),
            Updated::Missing
        );
    }
}

on!(the_conditions_of_a_query_apply_to_every_operation: in_memory, postgres);
async fn the_conditions_of_a_query_apply_to_every_operation(store: Store) {
    store.create(Category::draft("a")).await.unwrap();
    store.create(Category::draft("b")).await.unwrap();
    let row = store.insert_any(Article::any("in a", Some(1))).await.unwrap();
    let in_b = AnyQuery::from(Article::table()).filter(3, Value::Int(2));
    let mut draft = AnyDraft::of(Article::table(), row.clone());
    draft.set(1, Value::Text("moved".to_owned()));
    assert_eq!(store.find_any(&in_b, Value::Int(1)).await.unwrap(), None);
    assert_eq!(
        store
            .update_any(&in_b, &draft, Precondition::Exists)
            .await
            .unwrap(),
        Updated::Missing
    );
    assert_eq!(
        store
            .update_any(&in_b, &draft, Precondition::Unchanged)
            .await
            .unwrap(),
        Updated::Missing
    );
    assert!(!store.delete_any(&in_b, Value::Int(1)).await.unwrap());
    let nothing = store.delete_any_with(&in_b, Value::Int(1), |_| ()).await.unwrap();
    assert_eq!(nothing, None);
    assert_eq!(
        store
            .find_any(&AnyQuery::from(Article::table()), Value::Int(1))
            .await
            .unwrap(),
        Some(row)
    );
}

on!(the_draft_of_a_new_row_cannot_be_saved_as_an_update: in_memory, postgres);
async fn the_draft_of_a_new_row_cannot_be_saved_as_an_update(store: Store) {
    assert!(failure(store.save(Article::draft("new")).await).contains("insert it"));
}

on!(rows_are_inserted_with_any_of_their_columns_including_the_key: in_memory, postgres);
async fn rows_are_inserted_with_any_of_their_columns_including_the_key(store: Store) {
    let query = AnyQuery::from(Article::table());
    let mut keyed = Article::any("keyed", None);
    keyed.set(0, Value::Int(41));
    for (draft, key) in [
        (Article::any("counted", None), 1),
        (keyed, 41),
        (Article::any("counted on", None), 42),
    ] {
        let row = store.insert_any(draft).await.unwrap();
        assert_eq!(row.values()[0], Value::Int(key));
        assert_eq!(store.find_any(&query, Value::Int(key)).await.unwrap(), Some(row));
    }
}

on!(exists_reports_whether_a_row_is_selected: in_memory, postgres);
async fn exists_reports_whether_a_row_is_selected(store: Store) {
    let category = store.create(Category::draft("a")).await.unwrap();
    let all = AnyQuery::from(Category::table());
    let exists = async |key| store.exists_any(&all, Value::Int(key)).await.unwrap();
    assert!(exists(category.id).await);
    assert!(!exists(category.id + 1).await);
    let others = all.clone().filter(1, Value::Text("b".to_owned()));
    assert!(!store.exists_any(&others, Value::Int(category.id)).await.unwrap());
    let by_name = RowKey::new(Category::table(), 1, Value::Text("a".to_owned()));
    assert!(store.exists_any(&all, by_name).await.unwrap());
    store.remove(&category).await.unwrap();
    assert!(!exists(category.id).await);
}

on!(selected_rows_are_deleted_by_one_statement: in_memory, postgres);
async fn selected_rows_are_deleted_by_one_statement(store: Store) {
    store.create(Category::draft("a")).await.unwrap();
    for title in ["one", "two", "three"] {
        let mut draft = Article::draft(title);
        draft.set(Article::CATEGORY_ID, (title != "two").then_some(1));
        store.create(draft).await.unwrap();
    }
    let filed = Query::<Article>::new().filter(Article::CATEGORY_ID.eq(Some(1)));
    assert_eq!(store.delete_all_any(filed.as_any()).await, Ok(2));
    assert_eq!(store.delete_all_any(filed.as_any()).await, Ok(0));
    let left = store.all(&Query::<Article>::new()).await.unwrap();
    assert_eq!(left.len(), 1);

    let transaction = store.begin().await.unwrap();
    assert!(transaction.is_in_transaction() && !store.is_in_transaction());
    assert_eq!(
        transaction
            .delete_all_any(&AnyQuery::from(Article::table()))
            .await,
        Ok(1)
    );
    transaction.rollback().await.unwrap();
    assert_eq!(store.count(&AnyQuery::from(Article::table())).await, Ok(1));
}

on!(rows_that_others_refer_to_are_not_deleted: in_memory, postgres);
async fn rows_that_others_refer_to_are_not_deleted(store: Store) {
    for name in ["a", "b"] {
        store.create(Category::draft(name)).await.unwrap();
    }
    let mut draft = Article::draft("filed");
    draft.set(Article::CATEGORY_ID, Some(2));
    store.create(draft).await.unwrap();
    let all = AnyQuery::from(Category::table());
    assert_eq!(store.delete_all_any(&all).await, Err(StoreError::Referenced));
    assert_eq!(store.count(&all).await, Ok(2));
}

on!(an_instance_is_found_by_the_text_of_its_key: in_memory, postgres);
async fn an_instance_is_found_by_the_text_of_its_key(store: Store) {
    let kept = store.create(Category::draft("kept")).await.unwrap();
    let found = store.get_by_text::<Category>(&kept.id.to_string()).await;
    assert_eq!(found, Ok(Some(kept)));
    for key in ["0", "kept", "", "99999999999999999999"] {
        assert_eq!(store.get_by_text::<Category>(key).await, Ok(None), "{key}");
    }
}
