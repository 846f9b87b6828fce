//! Queries of the application's own code, by typed fields.

use backend::models::{Article, Category};
use model_resource::{Draft, OrderBy, Query, Store, Where};

use crate::support::BackendApp;

fn rated(title: &str, rating: Option<f64>) -> Draft<Article> {
    Draft::new()
        .with(Article::TITLE, title)
        .with(Article::BODY, "text")
        .with(Article::RATING, rating)
}

async fn titles(store: &Store, query: &Query<Article>) -> Vec<String> {
    let articles = store.all(query).await.unwrap();
    articles.into_iter().map(|article| article.title).collect()
}

async fn library() -> BackendApp {
    let app = BackendApp::start().await;
    let category = Draft::new().with(Category::NAME, "Rust");
    let category = app.store.create(category).await.unwrap();
    for (title, rating) in [("a", Some(3.0)), ("b", Some(5.0)), ("c", None), ("d", Some(4.0))] {
        app.store.create(rated(title, rating)).await.unwrap();
    }
    let filed = rated("50% off", Some(1.0)).with(Article::CATEGORY_ID, category.id);
    app.store.create(filed).await.unwrap();
    app
}

/// QRY-1: a query has filters, which must all match, sort keys, an offset and a limit.
#[tokio::test]
async fn a_query_filters_sorts_and_limits() {
    let app = library().await;
    let best = Article::query()
        .filter(Article::RATING.gte(4.0))
        .order_by(Article::RATING.desc())
        .limit(10);
    assert_eq!(titles(&app.store, &best).await, ["b", "d"]);
    assert_eq!(titles(&app.store, &best.clone().offset(1)).await, ["d"]);
    assert_eq!(titles(&app.store, &best.clone().limit(1)).await, ["b"]);
    assert_eq!(app.store.first(&best).await.unwrap().unwrap().title, "b");
    assert_eq!(app.store.count(&best).await, Ok(2));
    let order = |key: OrderBy<Article>| Article::query().order_by(key).order_by(Article::TITLE.desc());
    assert_eq!(
        titles(&app.store, &order(Article::RATING.asc())).await,
        ["50% off", "a", "d", "b", "c"]
    );
    let nulls_first = order(Article::RATING.asc().nulls_first()).limit(2);
    assert_eq!(titles(&app.store, &nulls_first).await, ["c", "50% off"]);
}

/// QRY-2: each predicate selects the same rows in the database as it does in memory.
#[tokio::test]
async fn predicates_mean_the_same_in_the_database_and_in_memory() {
    let app = library().await;
    let rating = Article::RATING;
    let expected: [(Where<Article>, &[&str]); 11] = [
        (rating.eq(5.0), &["b"]),
        (rating.eq(None), &["c"]),
        (rating.ne(5.0), &["a", "c", "d", "50% off"]),
        (rating.gt(4.0), &["b"]),
        (rating.lt(4.0), &["a", "50% off"]),
        (rating.lte(4.0), &["a", "d", "50% off"]),
        (rating.one_of([3.0, 4.0]), &["a", "d"]),
        (rating.one_of(Vec::<Option<f64>>::new()), &[]),
        (rating.is_null(), &["c"]),
        (Article::TITLE.contains("0%"), &["50% off"]),
        (rating.gte(4.0).or(Article::TITLE.eq("a")), &["a", "b", "d"]),
    ];
    let all = app.store.all(&Article::query()).await.unwrap();
    for (condition, expected) in expected {
        let query = Article::query().filter(condition.clone());
        assert_eq!(titles(&app.store, &query).await, expected, "{condition:?}");
        let matching = all.iter().filter(|article| condition.matches(article));
        let matching: Vec<&str> = matching.map(|article| article.title.as_str()).collect();
        assert_eq!(matching, expected, "{condition:?} in memory");
    }
    let filed = Article::CATEGORY_ID.references(Category::NAME.eq("Rust"));
    assert_eq!(
        titles(&app.store, &Article::query().filter(filed)).await,
        ["50% off"]
    );
}

/// QRY-3: all rows of a query are deleted by one statement; a query with an offset or a limit is refused and deletes nothing.
#[tokio::test]
async fn rows_are_deleted_by_a_filter() {
    let app = library().await;
    let low = Article::query().filter(Article::RATING.lt(4.0));
    assert!(app.store.delete_all(&low.clone().limit(1)).await.is_err());
    assert!(app.store.delete_all(&low.clone().offset(1)).await.is_err());
    assert_eq!(app.store.count(&low).await, Ok(2));
    assert_eq!(app.store.delete_all(&low).await, Ok(2));
    assert_eq!(titles(&app.store, &Article::query()).await, ["b", "c", "d"]);
}
