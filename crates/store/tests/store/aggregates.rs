//! Groups of rows: filters, conditions, orders, limits and mistakes.

use model_resource_schema::model::Model as _;
use model_resource_schema::query::{AnyAggregate, AnyGroupValue, Comparison, Predicate};
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, GroupRow, Query, Store};

use crate::database::{failure, on};
use crate::models::{Article, Category};

/// Two categories with articles, and an article without a category.
async fn articles(store: &Store) {
    for name in ["sea", "land"] {
        store.create(Category::draft(name)).await.unwrap();
    }
    for (title, views, category) in [
        ("a", 1, Some(1)),
        ("b", 2, Some(1)),
        ("b", 10, Some(2)),
        ("c", 7, None),
    ] {
        let draft = Article::draft(title)
            .with(Article::VIEWS, views)
            .with(Article::CATEGORY_ID, category);
        store.create(draft).await.unwrap();
    }
}

on!(groups_have_keys_and_aggregates: in_memory, in_file, postgres);
/// AGG-1: rows are grouped by keys, and each group has its aggregates.
async fn groups_have_keys_and_aggregates(store: Store) {
    articles(&store).await;
    let by_category = Query::<Article>::new()
        .group_by(Article::CATEGORY_ID)
        .count()
        .count_distinct(Article::TITLE)
        .sum(Article::VIEWS)
        .avg(Article::VIEWS)
        .min(Article::TITLE)
        .max(Article::VIEWS);
    let groups = store.aggregate(&by_category).await.unwrap();
    let read: Vec<_> = groups
        .iter()
        .map(|group| {
            (
                group.get(Article::CATEGORY_ID).unwrap(),
                group.count().unwrap(),
                group.get(Article::TITLE.count_distinct()).unwrap(),
                group.get(Article::VIEWS.sum()).unwrap(),
                group.get(Article::VIEWS.avg()).unwrap(),
                group.get(Article::TITLE.min()).unwrap(),
                group.get(Article::VIEWS.max()).unwrap(),
            )
        })
        .collect();
    // In the order of the keys, the group without one last.
    let expected = [
        (Some(1), 2, 2, 3, 1.5, "a".to_owned(), 2),
        (Some(2), 1, 1, 10, 10.0, "b".to_owned(), 10),
        (None, 1, 1, 7, 7.0, "c".to_owned(), 7),
    ];
    assert_eq!(read, expected);
}

on!(groups_are_filtered_ordered_and_limited: in_file, postgres);
/// AGG-1: filters select rows, `having` selects groups, and groups are ordered and limited.
async fn groups_are_filtered_ordered_and_limited(store: Store) {
    articles(&store).await;
    let by_title = Query::<Article>::new()
        .filter(Article::VIEWS.gt(1))
        .group_by(Article::TITLE)
        .sum(Article::VIEWS);
    let titles = async |query| {
        let groups = store.aggregate(&query).await.unwrap();
        let title = |group: &GroupRow<Article>| group.get(Article::TITLE).unwrap();
        groups.iter().map(title).collect::<Vec<_>>()
    };
    let views = Article::VIEWS.sum();
    assert_eq!(titles(by_title.clone().order_by(views.desc())).await, ["b", "c"]);
    assert_eq!(titles(by_title.clone().order_by(views.asc())).await, ["c", "b"]);
    assert_eq!(titles(by_title.clone().having(views.gt(7))).await, ["b"]);
    assert_eq!(
        titles(by_title.clone().having(views.gte(7)).having(views.lt(12))).await,
        ["c"]
    );
    assert_eq!(
        titles(by_title.clone().having(Article::VIEWS.avg().eq(6.0))).await,
        ["b"]
    );
    assert_eq!(
        titles(by_title.clone().having(Article::VIEWS.max().lte(9))).await,
        ["c"]
    );
    assert_eq!(titles(by_title.clone().limit(1)).await, ["b"]);
    assert_eq!(titles(by_title.clone().offset(1)).await, ["c"]);
    assert!(titles(by_title.offset(2).limit(5)).await.is_empty());
}

on!(all_rows_are_one_group_even_if_there_are_none: in_file, postgres);
/// AGG-1: without keys all rows are one group, whose sum is null if there are none.
async fn all_rows_are_one_group_even_if_there_are_none(store: Store) {
    let all = Query::<Article>::new().aggregate().count().sum(Article::VIEWS);
    let empty = store.aggregate(&all).await.unwrap().remove(0);
    assert_eq!(empty.count(), Ok(0));
    assert_eq!(empty.get_optional(Article::VIEWS.sum()), Ok(None));
    assert!(failure(empty.get(Article::VIEWS.sum())).contains("get_optional"));
    articles(&store).await;
    let whole = store.aggregate(&all).await.unwrap().remove(0);
    assert_eq!((whole.count(), whole.get(Article::VIEWS.sum())), (Ok(4), Ok(20)));
    assert!(failure(whole.get(Article::VIEWS.avg())).contains("does not return"));
    // Groups of no rows do not exist.
    let none = Query::<Article>::new()
        .filter(Article::VIEWS.gt(100))
        .group_by(Article::TITLE);
    assert!(store.aggregate(&none).await.unwrap().is_empty());
}

on!(having_takes_lists_ranges_and_nulls: in_file, postgres);
/// AGG-1: groups are selected by every predicate but patterns.
async fn having_takes_lists_ranges_and_nulls(store: Store) {
    articles(&store).await;
    let sum = AnyGroupValue::Sum(2);
    let int = Value::Int;
    for (value, predicate, expected) in [
        (sum, Predicate::OneOf(vec![int(3), int(7)]), 2),
        (sum, Predicate::OneOf(Vec::new()), 0),
        (sum, Predicate::NoneOf(vec![int(3)]), 2),
        (sum, Predicate::Between(int(3), int(7)), 2),
        (sum, Predicate::Null(true), 0),
        (AnyGroupValue::Max(4), Predicate::Null(true), 3),
        (AnyGroupValue::Max(4), Predicate::Null(false), 0),
        (AnyGroupValue::Count, Predicate::Is(Comparison::Ne, int(1)), 1),
        (
            AnyGroupValue::Min(1),
            Predicate::Is(Comparison::Eq, Value::Text("b".to_owned())),
            1,
        ),
    ] {
        let query = AnyAggregate::of(AnyQuery::from(Article::table()))
            .value(AnyGroupValue::Column(3))
            .having(value, predicate.clone());
        let found = store.aggregate_any(&query).await.unwrap();
        assert_eq!(found.len(), expected, "{value:?} {predicate:?}");
    }
}

on!(a_query_that_means_nothing_is_an_error: in_file, postgres);
/// AGG-1: a query without values, of a part of a list, or ordered by what it does not return, is an error.
async fn a_query_that_means_nothing_is_an_error(store: Store) {
    let rows = Query::<Article>::new;
    for (query, message) in [
        (rows().aggregate(), "without a value"),
        (rows().limit(1).aggregate().count(), "come after"),
        (rows().offset(1).group_by(Article::TITLE), "come after"),
        (
            rows().order_by(Article::TITLE.asc()).group_by(Article::TITLE),
            "come after",
        ),
        (
            rows()
                .group_by(Article::TITLE)
                .order_by(Article::VIEWS.sum().asc()),
            "does not return",
        ),
    ] {
        let failure = failure(store.aggregate(&query).await);
        assert!(failure.contains(message), "{failure}");
    }
    let key = AnyAggregate::of(AnyQuery::from(Article::table()))
        .value(AnyGroupValue::Column(1))
        .having(AnyGroupValue::Column(1), Predicate::Null(false));
    assert!(failure(store.aggregate_any(&key).await).contains("filter the rows instead"));
}

on!(aggregates_see_the_writes_of_their_transaction: in_file, postgres);
/// AGG-1: inside a transaction aggregates see its writes.
async fn aggregates_see_the_writes_of_their_transaction(store: Store) {
    let all = Query::<Article>::new().aggregate().count();
    let transaction = store.begin().await.unwrap();
    transaction.create(Article::draft("a")).await.unwrap();
    assert_eq!(transaction.aggregate(&all).await.unwrap()[0].count(), Ok(1));
    transaction.rollback().await.unwrap();
    assert_eq!(store.aggregate(&all).await.unwrap()[0].count(), Ok(0));
}
