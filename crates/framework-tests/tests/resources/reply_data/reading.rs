//! Decorators that read the data of a reply.

use http::StatusCode;
use serde_json::{Value, json};

use super::start;

/// REP-22: a decorator reads what the client gets: an object, a list or a page, with the selected fields only.
#[tokio::test]
async fn a_decorator_reads_what_the_client_gets() {
    let app = start().await;
    for (path, content) in [
        ("/read/1", "Object"),
        ("/read/1?fields=id,title", "Object"),
        ("/read/1?expand=shelf", "Object"),
        ("/read", "List"),
        ("/read?fields=title&sort=-id", "List"),
        ("/read?expand=shelf&title=a", "List"),
        ("/read?title=none", "List"),
        ("/both", "List"),
        ("/both/2?expand=shelf", "Object"),
        ("/own/1", "Object"),
        ("/own", "List"),
        ("/own?fields=id,secret", "List"),
        ("/view/book", "Object"),
        ("/labels", "List"),
        ("/labels/1", "Object"),
    ] {
        for client in [app.client.clone(), app.as_caller("1")] {
            let response = client.get(path).await;
            if response.status == StatusCode::BAD_REQUEST {
                // An anonymous caller cannot select hidden fields.
                assert!(path.contains("secret"), "{path}");
                continue;
            }
            let response = response.expect(200);
            assert_eq!(response.header("x-content"), content, "{path}");
            let read: Value = serde_json::from_str(response.header("x-json")).unwrap();
            assert_eq!(read, response.json(), "{path}");
        }
    }
    let wrapped = app.get("/labels").await.json();
    assert_eq!(wrapped["labels"][1], json!({"id": 2, "name": "y", "mark": null}));
}

/// REP-22: decorators cannot read what the caller may not see, even if a handler returned the model itself.
#[tokio::test]
async fn a_decorator_reads_nothing_that_the_caller_may_not_see() {
    let app = start().await;
    for path in [
        "/read",
        "/read/1",
        "/both",
        "/both/1",
        "/own",
        "/own/1",
        "/view/book",
    ] {
        let anonymous = app.get(path).await.expect(200);
        assert!(!anonymous.header("x-json").contains("secret"), "{path}");
        assert!(!anonymous.text().contains("secret"), "{path}");
        let known = app.as_caller("1").get(path).await.expect(200);
        assert!(known.header("x-json").contains("secret"), "{path}");
    }
}

/// REP-22: writes, other JSON, empty replies and finished responses are read as such.
#[tokio::test]
async fn a_decorator_reads_writes_json_empty_replies_and_responses() {
    let app = start().await;
    let book = json!({"title": "e", "price": "1.00"});
    let made = app.post("/read", book.clone()).await.expect(201);
    assert_eq!(made.header("x-content"), "Object");
    assert_eq!(made.header("x-json"), made.text());
    assert!(made.header("location").starts_with("/read/"));
    let changed = app.patch("/read/1", json!({"title": "f"})).await.expect(200);
    assert_eq!(changed.header("x-json"), changed.text());
    let deleted = app.delete("/read/1").await.expect(204);
    assert_eq!(
        (deleted.header("x-content"), deleted.header("x-json")),
        ("Nothing", "none")
    );
    let view = app.get("/view/json").await.expect(200);
    assert_eq!(view.header("x-content"), "Json");
    assert_eq!(view.header("x-json"), view.text());
    let finished = app.get("/view/response").await.expect(418);
    assert_eq!(
        (finished.header("x-content"), finished.header("x-json")),
        ("Response", "none")
    );
    assert_eq!(finished.text(), "finished");
}
