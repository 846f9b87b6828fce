//! Deleted rows that callers see.

use serde_json::json;

use super::{Callers, listed, patched, shop};

/// SDL-8: a get of a deleted row works, and lists show it on request.
#[tokio::test]
async fn a_caller_of_the_policy_sees_deleted_rows() {
    let (_app, Callers { member, desk, clerk }) = shop().await;
    for id in [1, 2] {
        member.delete(&format!("/books/{id}")).await.expect(204);
    }
    let book = desk.get("/books/1?expand=parts").await.expect(200).json();
    assert!(book["deletedAt"].is_string());
    assert_eq!(book["parts"].as_array().unwrap().len(), 2);
    desk.get("/authors/1/books/2").await.expect(200);
    assert_eq!(listed(&desk, "/books").await, [3]);
    assert_eq!(listed(&desk, "/books?deleted=include").await, [1, 2, 3]);
    assert_eq!(listed(&desk, "/books?deleted=only&sort=-id").await, [2, 1]);
    assert_eq!(
        listed(&desk, "/authors/1/books?deleted=only&title=One").await,
        [1]
    );
    let csv = desk
        .get("/books?deleted=only&format=csv")
        .await
        .expect(200)
        .text();
    assert!(csv.contains("One") && !csv.contains("Three"), "{csv}");
    let groups = desk
        .get("/books?deleted=include&group=authorId&count&sort=authorId")
        .await;
    groups.expect_json(
        200,
        json!([{"authorId": 1, "count": 2}, {"authorId": 2, "count": 1}]),
    );
    let page = desk
        .get("/books?deleted=include&page=1&pageSize=2")
        .await
        .expect(200);
    assert_eq!(page.header("x-total-count"), "3");
    assert!(
        page.header("link").contains("deleted=include"),
        "{}",
        page.header("link")
    );
    // Clerks see some of them.
    clerk.get("/books/1").await.expect(200);
    clerk.get("/books/2").await.expect(404);
    assert_eq!(listed(&clerk, "/books?deleted=include").await, [1, 3]);
    assert_eq!(listed(&clerk, "/books?deleted=only").await, [1]);
}

/// SDL-9: the parameter is unknown to callers who see no deleted rows, and where rows are not deleted softly.
#[tokio::test]
async fn the_parameter_exists_for_callers_who_see_deleted_rows() {
    let (app, Callers { member, desk, clerk }) = shop().await;
    member.delete("/books/1").await.expect(204);
    for client in [&member, &app] {
        let refused = client.get("/books?deleted=only").await.expect(400).text();
        assert!(refused.contains("There is no field"), "{refused}");
    }
    desk.get("/authors?deleted=only").await.expect(400);
    desk.get("/book-labels?deleted=only").await.expect(400);
    for value in ["", "true", "include,only", "only&deleted=only"] {
        desk.get(&format!("/books?deleted={value}")).await.expect(400);
    }
    let five = desk.with_header("prefer", "max-affected=5");
    five.delete("/books?deleted=only&id=1").await.expect(400);
    five.patch("/books?deleted=include&id=1", patched("x"))
        .await
        .expect(400);
    assert_eq!(listed(&clerk, "/books?deleted=only").await, [1]);
}

/// SDL-10: a deleted row that the caller sees cannot be written.
#[tokio::test]
async fn a_write_of_a_deleted_row_that_the_caller_sees_is_a_conflict() {
    let (app, Callers { member, desk, .. }) = shop().await;
    member.delete("/books/1").await.expect(204);
    let before = app.database().rows();
    desk.patch("/books/1", patched("x")).await.expect(409);
    desk.put("/books/1", patched("x")).await.expect(409);
    desk.delete("/books/1").await.expect(409);
    desk.patch("/books", json!([{"id": 1, "title": "x"}]))
        .await
        .expect(409);
    desk.delete("/books?id=1").await.expect(409);
    let parts = json!({"parts": {"add": [{"name": "x"}]}});
    desk.patch("/books/1", parts).await.expect(409);
    desk.post("/burnt/1", json!({})).await.expect(409);
    let tag = desk.get("/books/1").await.expect(200);
    let current = desk.with_header("if-match", tag.header("etag"));
    current.patch("/books/1", patched("x")).await.expect(409);
    current.delete("/books/1").await.expect(409);
    assert_eq!(app.database().rows(), before);
}
