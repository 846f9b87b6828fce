//! Deleted rows do not exist, for callers who do not see them and in relations.

use http::Method;
use serde_json::json;

use super::{Callers, counts, listed, patched, shop};

/// SDL-4: at its own URLs a deleted row is a missing one, with identical bytes.
#[tokio::test]
async fn a_deleted_row_does_not_exist_at_its_own_urls() {
    let (app, Callers { member, desk, clerk }) = shop().await;
    member.delete("/books/2").await.expect(204);
    let before = app.database().rows();
    for client in [&member, &app, &clerk] {
        for url in ["/books/2", "/authors/1/books/2", "/books/2/parts"] {
            let missing = client.get(&url.replace("/2", "/999")).await.expect(404);
            assert_eq!(client.get(url).await.expect(404).body, missing.body, "{url}");
        }
        for list in ["/books", "/authors/1/books", "/books?format=csv", "/books?q=two"] {
            let response = client.get(list).await.expect(200);
            assert!(!response.text().contains("Two"), "{list}: {}", response.text());
        }
        let page = client.get("/books?page=1&pageSize=1").await.expect(200);
        assert_eq!(page.header("x-total-count"), "2");
        let page = client.get("/books?limit=1&count=estimated").await.expect(200);
        assert_eq!(page.header("x-total-count"), "2");
        let groups = client.get("/books?group=authorId&count&sort=authorId").await;
        groups.expect_json(
            200,
            json!([{"authorId": 1, "count": 1}, {"authorId": 2, "count": 1}]),
        );
    }
    for client in [&member, &clerk] {
        client.patch("/books/2", patched("x")).await.expect(404);
        client.put("/books/2", patched("x")).await.expect(404);
        client.delete("/books/2").await.expect(404);
        client.post("/books/2/restore", json!({})).await.expect(404);
        client
            .patch("/books", json!([{"id": 2, "title": "x"}]))
            .await
            .expect(404);
        let five = client.with_header("prefer", "max-affected=5");
        five.patch("/books?title=Two", patched("x"))
            .await
            .expect_json(200, json!([]));
    }
    member
        .get("/titles")
        .await
        .expect_json(200, json!(["One", "Three"]));
    for client in [&member, &desk] {
        client.get("/titles/2").await.expect(404);
    }
    assert_eq!(app.database().rows(), before);
}

/// SDL-5: relations lead to no deleted row, in either direction.
#[tokio::test]
async fn relations_do_not_lead_to_deleted_rows() {
    let (app, Callers { member, desk, .. }) = shop().await;
    member.delete("/books/2").await.expect(204);
    app.delete("/parts/1").await.expect(204);
    app.delete("/covers/1").await.expect(204);
    app.delete("/labels/red").await.expect(204);
    for client in [&member, &desk, &app] {
        let author = client
            .get("/authors/1?expand=books.parts")
            .await
            .expect(200)
            .json();
        assert_eq!(super::ids(&author["books"]), [1], "{author}");
        assert_eq!(super::ids(&author["books"][0]["parts"]), [2]);
        let book = client
            .get("/books/1?expand=cover,labels")
            .await
            .expect(200)
            .json();
        assert_eq!(book["cover"], json!(null));
        assert_eq!(book["labels"], json!(["blue"]));
        assert_eq!(listed(client, "/authors?books.title=Two").await, [0_i64; 0]);
        assert_eq!(listed(client, "/authors?books[has]=2").await, [0_i64; 0]);
        assert_eq!(listed(client, "/books?parts.name=p1").await, [0_i64; 0]);
        assert_eq!(listed(client, "/books?labels.name=red").await, [0_i64; 0]);
        assert_eq!(listed(client, "/authors?sort=-books.count,-id").await, [2, 1]);
        assert_eq!(listed(client, "/books?sort=-parts.count").await, [1, 3]);
    }
}

/// SDL-5: an object whose parent is deleted stays, without its parent.
#[tokio::test]
async fn an_object_of_a_deleted_parent_is_shown_without_it() {
    let (app, Callers { member, .. }) = shop().await;
    app.delete("/authors/1").await.expect(204);
    let book = member.get("/books/1?expand=author").await.expect(200).json();
    assert_eq!((&book["author"], &book["authorId"]), (&json!(null), &json!(1)));
    assert_eq!(listed(&member, "/books?author.name=Ann").await, [0_i64; 0]);
    member.get("/authors/1/books").await.expect(404);
    member.get("/authors/1/books/1").await.expect(404);
    member.post("/authors/1/books", patched("x")).await.expect(404);
    // An unchanged foreign key is not a write.
    member
        .patch("/books/1", json!({"title": "x", "authorId": 1}))
        .await
        .expect(200);
    let read = member.get("/books/1").await.json();
    member.put("/books/1", read).await.expect(200);
}

/// SDL-6: a reference to a deleted row is that to an unknown one.
#[tokio::test]
async fn a_deleted_row_cannot_be_referenced() {
    let (app, Callers { member, desk, .. }) = shop().await;
    app.delete("/authors/2").await.expect(204);
    app.delete("/labels/red").await.expect(204);
    member.delete("/books/2").await.expect(204);
    let before = app.database().rows();
    for client in [&member, &desk] {
        let unknown = client
            .post("/books", json!({"title": "x", "authorId": 999}))
            .await;
        let unknown = unknown.expect(400).body;
        for (method, url, body) in [
            (Method::POST, "/books", json!({"title": "x", "authorId": 2})),
            (Method::PUT, "/books/1", json!({"title": "x", "authorId": 2})),
            (Method::PATCH, "/books/1", json!({"authorId": 2})),
        ] {
            let refused = client.send_json(method, url, body).await.expect(400);
            assert_eq!(refused.body, unknown);
        }
        let many = json!([{"title": "x"}, {"title": "y", "authorId": 2}]);
        client.post("/books", many).await.expect(400);
        client
            .patch("/books/1", json!({"labels": ["red"]}))
            .await
            .expect(400);
        client.post("/covers", json!({"bookId": 2})).await.expect(400);
    }
    assert_eq!(app.database().rows(), before);
    // The link to a deleted object is left alone.
    member
        .patch("/books/1", json!({"labels": ["blue"]}))
        .await
        .expect(200);
    let links = "SELECT count(*) FROM book_labels WHERE book_id = 1";
    assert_eq!(app.database().value::<i64>(links), 2);
    assert_eq!(counts(&app, "labels"), (2, 1));
}

/// SDL-7: clients cannot set the column, although the serializer names it.
#[tokio::test]
async fn the_column_cannot_be_written() {
    let (app, Callers { member, desk, .. }) = shop().await;
    let time = "2024-05-06T07:08:09Z";
    for client in [&member, &desk] {
        let made = client
            .post("/books", json!({"title": "x", "deletedAt": time}))
            .await;
        assert_eq!(made.expect(201).json()["deletedAt"], json!(null));
        let changed = client.patch("/books/1", json!({"deletedAt": time})).await;
        assert_eq!(changed.expect(200).json()["deletedAt"], json!(null));
        let put = json!({"title": "y", "deletedAt": time});
        assert_eq!(
            client.put("/books/1", put).await.expect(200).json()["deletedAt"],
            json!(null)
        );
        let strict = client.with_header("prefer", "handling=strict");
        strict
            .patch("/books/1", json!({"deletedAt": time}))
            .await
            .expect(400);
    }
    member.delete("/books/1").await.expect(204);
    desk.patch("/books/1", json!({"deletedAt": null}))
        .await
        .expect(409);
    assert_eq!(counts(&app, "books").1, 1);
}
