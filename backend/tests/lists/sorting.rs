//! Sort order of lists.

use crate::sample_articles::app_with_articles;

/// LST-5: rows are in the order of the sort keys, and the primary key breaks ties.
#[tokio::test]
async fn rows_are_in_the_order_of_the_keys_and_the_primary_key_breaks_ties() {
    let app = app_with_articles().await;
    for (query, order) in [
        ("", vec![1, 2, 3, 4, 5]),
        ("sort=id", vec![1, 2, 3, 4, 5]),
        ("sort=-id", vec![5, 4, 3, 2, 1]),
        ("sort=title", vec![1, 3, 2, 4, 5]),
        ("sort=rating", vec![3, 5, 1, 4, 2]),
        ("sort=-rating", vec![2, 4, 1, 5, 3]),
        ("sort=-rating&nulls=last", vec![4, 1, 5, 3, 2]),
        ("sort=rating&nulls=first", vec![2, 3, 5, 1, 4]),
        ("sort=-rating,id&nulls=last", vec![1, 4, 5, 3, 2]),
        ("sort=-published,-title", vec![5, 3, 1, 4, 2]),
        ("sort=category.name", vec![2, 5, 1, 4, 3]),
        ("sort=-category.name,title", vec![3, 1, 4, 2, 5]),
        ("sort=categoryId,-id", vec![4, 1, 5, 2, 3]),
    ] {
        assert_eq!(app.articles(query).await, order, "{query}");
    }
}

#[tokio::test]
async fn a_long_list_keeps_its_order_across_chunks() {
    let app = app_with_articles().await;
    let text = "x".repeat(3000);
    for number in 0..120 {
        let rating = (number % 7 != 0).then_some(f64::from(number % 5));
        let body = serde_json::json!({"title": format!("t{number}"), "body": text, "rating": rating,
            "categoryId": number % 3 % 2 + 1});
        app.post("/api/v1/articles", body).await.expect(201);
    }
    for sort in ["-rating", "rating", "category.name,-rating", "-body,title"] {
        let whole = app.articles(&format!("sort={sort}")).await;
        assert_eq!(whole.len(), 125, "{sort}");
        let few = app.articles(&format!("sort={sort}&fields=id")).await;
        assert_eq!(whole, few, "{sort}");
    }
}
