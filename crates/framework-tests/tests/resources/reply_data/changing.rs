//! Decorators that change the objects of a reply one by one.

use serde_json::{Value, json};

use super::{mark, start};

/// Returns the list of a resource with each object changed by `mark`.
fn marked_list(list: Value) -> Value {
    let mark = |item: Value| {
        let Value::Object(mut object) = item else {
            return item;
        };
        mark(&mut object);
        Value::Object(object)
    };
    let Value::Array(items) = list else {
        panic!("no list: {list}")
    };
    items.into_iter().map(mark).collect()
}

/// REP-24: a decorator changes a single object, each object of a list, and the objects of other JSON.
#[tokio::test]
async fn a_decorator_changes_each_object() {
    let app = start().await;
    for path in [
        "",
        "?page=1&pageSize=2",
        "?expand=shelf",
        "?fields=id,title",
        "?title=none",
    ] {
        let plain = app.get(&format!("/plain{path}")).await.expect(200).json();
        for resource in ["/marked", "/both", "/own"] {
            let marked = app.get(&format!("{resource}{path}")).await.expect(200);
            assert_eq!(marked.json(), marked_list(plain.clone()), "{resource}{path}");
        }
    }
    for path in ["/marked/2", "/own/2", "/both/2"] {
        let one = app.get(path).await.expect(200).json();
        assert_eq!((&one["mark"], one.get("extra")), (&json!("=B"), None), "{path}");
    }
    let label = app.get("/labels/2").await.expect(200).json();
    assert_eq!(label, json!({"label": {"id": 2, "name": "y", "mark": null}}));
    let made = app
        .post("/marked", json!({"title": "e", "price": "1.00"}))
        .await
        .expect(201);
    assert_eq!(made.json()["mark"], "E");
    let patched = app.patch("/marked/1", json!({"title": "f"})).await.expect(200);
    assert_eq!(patched.json()["mark"], "F");
    app.delete("/marked/1").await.expect(204);
    let view = app.get("/view/json").await.expect(200).json();
    assert_eq!(
        view,
        json!([{"title": "a", "mark": "A"}, 7, {"title": "b", "mark": "B"}])
    );
}

/// REP-24: each object of a bulk reply is changed, and contains nothing that the caller may not see.
#[tokio::test]
async fn a_decorator_changes_each_of_many_objects() {
    let app = start().await;
    let books = json!([{"title": "e", "price": "1.00"}, {"title": "f", "price": "2.00"}]);
    for path in ["/marked", "/own"] {
        let made = app.post(path, books.clone()).await.json();
        let marks: Vec<&Value> = made
            .as_array()
            .unwrap()
            .iter()
            .map(|book| &book["mark"])
            .collect();
        assert_eq!(marks, ["E", "F"], "{path}");
        assert!(!made.to_string().contains("secret"), "{path}");
    }
}

/// REP-24: a changed list in CSV and NDJSON: unchanged members keep their format, and new ones are further columns.
#[tokio::test]
async fn a_changed_list_has_every_format() {
    let app = start().await;
    for query in [
        "",
        "&expand=shelf",
        "&fields=title",
        "&page=1&pageSize=2",
        "&title=none",
    ] {
        for format in ["csv", "ndjson", "json"] {
            let plain = app
                .get(&format!("/plain?format={format}{query}"))
                .await
                .expect(200);
            let same = app
                .get(&format!("/unchanged?format={format}{query}"))
                .await
                .expect(200);
            assert_eq!(same.text(), plain.text(), "{format}{query}");
            for header in ["content-type", "content-disposition", "vary"] {
                assert_eq!(same.header(header), plain.header(header), "{format}{query}");
            }
        }
    }
    let csv = app
        .get("/marked?format=csv&fields=id,title")
        .await
        .expect(200)
        .text();
    assert_eq!(
        csv,
        "id,title,mark\r\n1,a,A\r\n2,'=b,'=B\r\n3,\"c, d\",\"C, D\"\r\n"
    );
    let lines = app
        .get("/marked?format=ndjson&fields=id")
        .await
        .expect(200)
        .text();
    assert_eq!(
        lines,
        "{\"id\":1,\"mark\":null}\n{\"id\":2,\"mark\":null}\n{\"id\":3,\"mark\":null}\n"
    );
}

/// REP-24, REP-25: a long list is changed while it is streamed, not in advance.
#[tokio::test]
async fn a_long_list_is_changed_while_it_is_streamed() {
    let app = start().await;
    app.database().execute("WITH RECURSIVE copies (number) AS (SELECT 4 UNION ALL SELECT number + 1 FROM copies WHERE number < 6000)
         INSERT INTO books (title, price) SELECT 'a title that is not too short, to fill a piece', 100 FROM copies",
    );
    for format in ["json", "csv", "ndjson"] {
        let plain = app.get(&format!("/plain?format={format}")).await.expect(200);
        let same = app.get(&format!("/observed?format={format}")).await.expect(200);
        assert_eq!(same.header("x-changed"), "0", "{format}");
        assert_eq!(same.header("content-length"), "", "{format}");
        assert!(same.body == plain.body, "{format}");
    }
    let plain = app.get("/plain").await.json();
    let marked = app.get("/marked").await.expect(200);
    assert_eq!(marked.header("content-length"), "");
    assert!(marked.json() == marked_list(plain));
    let counted = app.get("/counted").await.expect(200).json();
    assert_eq!(counted, json!({"count": 6000}));
}
