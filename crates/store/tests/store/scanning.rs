use std::ops::ControlFlow;
use std::sync::Arc;

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::{Model, Row};
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{AnyQuery, ListQuery, Migration, Migrations, Query, RowSink, Store};

use crate::database::{failure, on};
use crate::models::{Article, Category, SAMPLES};

/// Collects `title / category / title of the article it answers`, and breaks after `limit` rows.
struct Lines {
    limit: usize,
    lines: Vec<String>,
}

impl RowSink for Lines {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        let text = |row: &dyn Row| match row.value(1) {
            ValueRef::Text(text) => text.to_owned(),
            other => panic!("expected a text, found {other:?}"),
        };
        let mut line = text(row);
        if let [category] = related.find(0, row.value(3)).0[..] {
            line = format!("{line} / {}", text(category));
        }
        let (articles, nested) = related.find(1, row.value(4));
        if let [article] = articles[..] {
            let (categories, _) = nested.find(0, article.value(3));
            let category = categories.first().map(|category| text(*category));
            line = format!("{line} / {} in {}", text(article), category.unwrap_or_default());
        }
        self.lines.push(line);
        if self.lines.len() == self.limit {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Collects all lines, scanned in chunks of `limit` rows.
async fn lines(store: &Store, query: &AnyQuery, relations: &Arc<[Relation]>, limit: usize) -> Vec<String> {
    let (mut all, mut list) = (Vec::new(), ListQuery::of(query.clone()));
    loop {
        let sink = Lines {
            limit,
            lines: Vec::new(),
        };
        let scanned = store.scan(&list, Arc::clone(relations), sink).await.unwrap();
        all.extend(scanned.sink.lines);
        match scanned.next {
            Some(last) => list = list.rest(limit as u64, last),
            None => return all,
        }
    }
}

fn relations() -> Arc<[Relation]> {
    let category = Relation::new(3, Category::table(), 0);
    let article = Relation {
        relations: vec![category.clone()],
        ..Relation::new(4, Article::table(), 0)
    };
    Arc::from([category, article])
}

/// Inserts 600 articles in three categories; every tenth has none, and each but the first answers the previous one.
async fn fill(store: &Store) -> Vec<String> {
    for name in ["a", "b", "c"] {
        store.create(Category::draft(name)).await.unwrap();
    }
    let transaction = store.begin().await.unwrap();
    let name = |number: i64| ["a", "b", "c"][number as usize % 3];
    let mut expected = Vec::new();
    for number in 0..600 {
        let category = (number % 10 != 0).then_some(number % 3 + 1);
        let mut draft = Article::any(&format!("t{number}"), category);
        let mut line = format!("t{number}");
        if category.is_some() {
            line = format!("{line} / {}", name(number));
        }
        if number > 0 {
            draft.set(4, Value::Int(number));
            let filed = (number - 1) % 10 != 0;
            line = format!(
                "{line} / t{} in {}",
                number - 1,
                if filed { name(number - 1) } else { "" }
            );
        }
        transaction.insert_any(draft).await.unwrap();
        expected.push(line);
    }
    transaction.commit().await.unwrap();
    expected
}

on!(a_scan_returns_all_rows_in_key_order_and_continues_after_any_of_them: in_memory, postgres);
async fn a_scan_returns_all_rows_in_key_order_and_continues_after_any_of_them(store: Store) {
    let expected = fill(&store).await;
    let query = AnyQuery::from(Article::table());
    let titles: Vec<&str> = expected
        .iter()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    for limit in [1, 7, 300, 600, 601] {
        assert_eq!(
            lines(&store, &query, &Arc::from([]), limit).await,
            titles,
            "in pieces of {limit}"
        );
    }
}

on!(a_scan_with_relations_returns_each_row_with_its_related_rows: in_memory, postgres);
async fn a_scan_with_relations_returns_each_row_with_its_related_rows(store: Store) {
    let expected = fill(&store).await;
    let query = AnyQuery::from(Article::table());
    for limit in [1, 7, 256, 300, 601] {
        assert_eq!(
            lines(&store, &query, &relations(), limit).await,
            expected,
            "in pieces of {limit}"
        );
    }
}

on!(a_scan_returns_only_the_selected_rows: in_memory, postgres);
async fn a_scan_returns_only_the_selected_rows(store: Store) {
    fill(&store).await;
    let query = AnyQuery::from(Article::table()).filter(3, Value::Int(2));
    let found = lines(&store, &query, &Arc::from([]), 50).await;
    assert_eq!(found.len(), 180);
    assert!(
        found
            .iter()
            .all(|title| title[1..].parse::<i64>().unwrap() % 3 == 1)
    );
    let none = AnyQuery::from(Article::table()).filter(1, Value::Text("t0' OR 1=1 --".to_owned()));
    assert!(lines(&store, &none, &Arc::from([]), 50).await.is_empty());
}

on!(related_rows_are_fetched_for_rows_in_memory: in_memory, postgres);
async fn related_rows_are_fetched_for_rows_in_memory(store: Store) {
    fill(&store).await;
    let row = store
        .find_any(&AnyQuery::from(Article::table()), Value::Int(3))
        .await
        .unwrap()
        .unwrap();
    let (rows, related) = store.related(relations(), vec![row]).await.unwrap();
    let (categories, _) = related.find(0, rows[0].value(3));
    assert_eq!(categories[0].values()[1], Value::Text("c".to_owned()));
    let (articles, nested) = related.find(1, rows[0].value(4));
    assert_eq!(articles[0].values()[1], Value::Text("t1".to_owned()));
    assert_eq!(nested.find(0, articles[0].value(3)).0.len(), 1);
    assert!(related.find(0, ValueRef::Null).0.is_empty());
}

on!(uuid_keys_are_scanned_in_order: in_file, postgres);
async fn uuid_keys_are_scanned_in_order(store: Store) {
    let mut keys = Vec::new();
    for _ in 0..20 {
        keys.push(store.insert_any(AnyDraft::new(&SAMPLES)).await.unwrap().values()[0].clone());
    }
    struct Keys(Vec<Value>);
    impl RowSink for Keys {
        fn row(&mut self, row: &dyn Row, _: &Related) -> ControlFlow<()> {
            self.0.push(row.value(0).to_value());
            if self.0.len().is_multiple_of(6) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }
    let (mut found, mut list) = (Vec::new(), ListQuery::of(AnyQuery::from(&SAMPLES)));
    loop {
        let scan = store.scan(&list, Arc::from([]), Keys(Vec::new()));
        let scanned = scan.await.unwrap();
        found.extend(scanned.sink.0);
        match scanned.next {
            Some(last) => list = list.rest(6, last),
            None => break,
        }
    }
    let text = |key: &Value| format!("{key:?}");
    keys.sort_by_key(text);
    assert_eq!(found, keys);
}

on!(a_panicking_sink_fails_only_its_own_scan: in_memory, in_file, postgres);
async fn a_panicking_sink_fails_only_its_own_scan(store: Store) {
    struct Panics;
    impl RowSink for Panics {
        fn row(&mut self, _: &dyn Row, _: &Related) -> ControlFlow<()> {
            panic!("no more paper");
        }
    }
    let category = store.create(Category::draft("a")).await.unwrap();
    store
        .insert_any(Article::any("one", Some(category.id)))
        .await
        .unwrap();
    for relations in [Arc::from([]), relations()] {
        for _ in 0..20 {
            let list = ListQuery::of(AnyQuery::from(Article::table()));
            let scanned = store.scan(&list, Arc::clone(&relations), Panics).await;
            assert!(failure(scanned.map(|_| ())).contains("no more paper"));
        }
    }
    assert_eq!(store.get::<Category>(category.id).await.unwrap(), Some(category));
    store.create(Category::draft("b")).await.unwrap();
}

#[tokio::test]
async fn a_value_of_the_wrong_type_fails_the_read_and_names_the_column() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let sql = "CREATE TABLE categories (id INTEGER PRIMARY KEY, name, slug);
        INSERT INTO categories VALUES (1, 'good', 'good'), (2, x'00ff', 'bad');";
    let migration = Migration::new(1, "categories", sql);
    store.migrate(&Migrations::new([migration])).await.unwrap();
    assert!(store.get::<Category>(1_i64).await.unwrap().is_some());
    for cause in [
        failure(store.get::<Category>(2_i64).await),
        failure(store.all(&Query::<Category>::new()).await),
    ] {
        assert!(cause.contains("`categories.name`"), "{cause}");
    }
}

on!(a_column_of_the_wrong_type_fails_the_read_and_is_named: postgres);
async fn a_column_of_the_wrong_type_fails_the_read_and_is_named(store: Store) {
    let sql = "CREATE TABLE strangers (id bigint PRIMARY KEY, name integer);
        INSERT INTO strangers VALUES (1, NULL), (2, 7);";
    let migration = Migration::new(1, "strangers", sql);
    store.migrate(&Migrations::new([migration])).await.unwrap();
    static STRANGERS: Table = Table::new(
        "strangers",
        "Stranger",
        &[
            Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::Client)),
            Column::new("name", DataType::Text).nullable(true),
        ],
    );
    let query = AnyQuery::from(&STRANGERS);
    assert!(store.find_any(&query, Value::Int(1)).await.unwrap().is_some());
    let cause = failure(store.find_any(&query, Value::Int(2)).await);
    assert!(
        cause.contains("`strangers.name`") && cause.contains("int4"),
        "{cause}"
    );
}

// PostgreSQL would otherwise compare them by the collation of a language.
on!(text_keys_are_scanned_in_byte_order: in_memory, postgres);
async fn text_keys_are_scanned_in_byte_order(store: Store) {
    static WORDS: Table = Table::new(
        "words",
        "Word",
        &[Column::new("word", DataType::Text).role(ColumnRole::PrimaryKey(KeyGeneration::Client))],
    );
    store.create_tables(&[&WORDS]).await.unwrap();
    let words = ["B", "Z", "_", "a", "b c", "b-c", "bc", "z", "ä"];
    for word in words.iter().rev() {
        let mut draft = AnyDraft::new(&WORDS);
        draft.set(0, Value::Text((*word).to_owned()));
        store.insert_any(draft).await.unwrap();
    }
    struct Words(Vec<Value>);
    impl RowSink for Words {
        fn row(&mut self, row: &dyn Row, _: &Related) -> ControlFlow<()> {
            self.0.push(row.value(0).to_value());
            if self.0.len() == 4 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        }
    }
    let (mut found, mut list) = (Vec::new(), ListQuery::of(AnyQuery::from(&WORDS)));
    loop {
        let scan = store.scan(&list, Arc::from([]), Words(Vec::new()));
        let scanned = scan.await.unwrap();
        found.extend(scanned.sink.0);
        match scanned.next {
            Some(last) => list = list.rest(4, last),
            None => break,
        }
    }
    assert_eq!(found, words.map(|word| Value::Text(word.to_owned())));
}

#[tokio::test]
async fn a_sink_that_breaks_early_does_not_fetch_hundreds_of_rows() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    store.create_tables(&[Category::table()]).await.unwrap();
    let sql = "CREATE TABLE articles (id INTEGER PRIMARY KEY, title, views, category_id, reply_to);
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 400)
        INSERT INTO articles SELECT n, iif(n > 150, x'00ff', 't' || n), 0, NULL, NULL FROM numbers;";
    let migration = Migration::new(1, "articles", sql);
    store.migrate(&Migrations::new([migration])).await.unwrap();
    let scan = async |limit| {
        let lines = Vec::new();
        let list = ListQuery::of(AnyQuery::from(Article::table()));
        store
            .scan(&list, relations(), Lines { limit, lines })
            .await
            .map(|scanned| scanned.sink.lines.len())
    };
    assert_eq!(scan(10).await, Ok(10));
    // The unreadable rows exist, and fail a scan that reaches them.
    assert!(failure(scan(200).await).contains("`articles.title`"));
}

on!(the_rows_of_a_select_become_instances_of_its_model_and_of_no_other: in_memory, postgres);
async fn the_rows_of_a_select_become_instances_of_its_model_and_of_no_other(store: Store) {
    fill(&store).await;
    let list = ListQuery::of(AnyQuery::from(Article::table()).filter(3, Value::Int(2)));
    let articles: Vec<Article> = store.all_of(&list).await.unwrap();
    assert_eq!(articles.len(), 180);
    assert!(articles.iter().all(|article| article.category_id == Some(2)));
    assert!(failure(store.all_of::<Category>(&list).await).contains("articles"));
}
