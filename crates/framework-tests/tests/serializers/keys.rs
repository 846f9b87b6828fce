//! Keys of objects: spelling, unknown keys, and the primary key.

use model_resource::{Api, Model, ModelSerializer, Uuid, model_resource, serializer};
use serde_json::json;
use test_support::TestApp;

use super::expect_error;

#[derive(Model)]
struct Author {
    #[column(primary_key)]
    id: i64,
}

#[derive(Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    full_title: Option<String>,
    address_2: Option<String>,
    is_in_print: Option<bool>,
    #[column(references = Author)]
    author_id: Option<i64>,
}

#[derive(Model)]
#[model(accept_snake_case)]
struct Film {
    #[column(primary_key)]
    id: i64,
    full_title: String,
}

#[derive(Model)]
struct Country {
    #[column(primary_key = client, pattern = "[A-Z]{2}")]
    code: String,
    name: String,
}

#[derive(Model)]
struct Ticket {
    #[column(primary_key = client)]
    number: i64,
    seat: Option<String>,
}

#[derive(Model)]
struct Token {
    #[column(primary_key)]
    id: Uuid,
}

/// Declares a default serializer and resource.
macro_rules! plain {
    ($model:ident, $serializer:ident, $resource:ident, $($url:literal),+) => {
        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = $model;
        }

        #[model_resource($model, $($url),+)]
        struct $resource;
    };
}

plain!(Author, AuthorSerializer, AuthorResource, "/authors");
plain!(Book, BookSerializer, BookResource, "/books", "/books/<int:id>");
plain!(Film, FilmSerializer, FilmResource, "/films", "/films/<int:id>");
plain!(
    Country,
    CountrySerializer,
    CountryResource,
    "/countries",
    "/countries/<code>"
);
plain!(
    Ticket,
    TicketSerializer,
    TicketResource,
    "/tickets",
    "/tickets/<int:number>"
);
plain!(
    Token,
    TokenSerializer,
    TokenResource,
    "/tokens",
    "/tokens/<uuid:id>"
);

async fn app() -> TestApp {
    let api = Api::new("api")
        .serializer::<AuthorSerializer>()
        .model_resource::<AuthorResource>()
        .serializer::<BookSerializer>()
        .model_resource::<BookResource>()
        .serializer::<FilmSerializer>()
        .model_resource::<FilmResource>()
        .serializer::<CountrySerializer>()
        .model_resource::<CountryResource>()
        .serializer::<TicketSerializer>()
        .model_resource::<TicketResource>()
        .serializer::<TokenSerializer>()
        .model_resource::<TokenResource>();
    TestApp::with_api(api).await
}

/// SER-1, SER-2: every column, including foreign keys, is a field named in lowerCamelCase, in input and output.
#[tokio::test]
async fn every_column_is_a_field_in_lower_camel_case() {
    let app = app().await;
    app.post("/authors", json!({}))
        .await
        .expect_json(201, json!({"id": 1}));
    let body = json!({"fullTitle": "T", "address2": "A", "isInPrint": true, "authorId": 1});
    let book = json!({"id": 1, "fullTitle": "T", "address2": "A", "isInPrint": true, "authorId": 1});
    app.post("/books", body).await.expect_json(201, book.clone());
    app.get("/books/1").await.expect_json(200, book.clone());
    app.get("/books").await.expect_json(200, json!([book]));
}

/// SER-2, SER-14: the snake_case spelling is an unknown key.
#[tokio::test]
async fn snake_case_is_an_unknown_key() {
    let app = app().await;
    let refused = app.post("/books", json!({"full_title": "T"})).await;
    expect_error(refused, "full_title", "Unknown field.");
    app.get("/books").await.expect_json(200, json!([]));
}

/// SER-2: a model may accept both spellings, and still returns lowerCamelCase.
#[tokio::test]
async fn a_model_may_allow_snake_case() {
    let app = app().await;
    for (id, key) in [(1, "full_title"), (2, "fullTitle")] {
        app.post("/films", json!({key: "T"}))
            .await
            .expect_json(201, json!({"id": id, "fullTitle": "T"}));
    }
    app.patch("/films/1", json!({"full_title": "U"}))
        .await
        .expect_json(200, json!({"id": 1, "fullTitle": "U"}));
    app.get("/films/1")
        .await
        .expect_json(200, json!({"id": 1, "fullTitle": "U"}));
}

/// ERR-17: both spellings of one key in one body are an error of that field, in any order.
#[tokio::test]
async fn two_spellings_of_one_key_are_an_error_of_the_field() {
    let app = app().await;
    let film = app
        .post("/films", json!({"fullTitle": "T"}))
        .await
        .expect(201)
        .json();
    let message = "Sent twice, as fullTitle and as full_title; send one of them.";
    for body in [
        r#"{"full_title": "V", "fullTitle": "W"}"#,
        r#"{"fullTitle": "W", "full_title": "W"}"#,
    ] {
        for (method, path) in [(http::Method::POST, "/films"), (http::Method::PATCH, "/films/1")] {
            let body = Some(("application/json", body.into()));
            expect_error(app.send(method, path, body).await, "fullTitle", message);
        }
    }
    let same = r#"{"fullTitle": "V", "fullTitle": "W"}"#;
    let same = Some(("application/json", same.into()));
    let refused = app
        .send(http::Method::POST, "/films", same)
        .await
        .expect(400)
        .json();
    assert!(refused["message"].as_str().unwrap().starts_with("Malformed JSON"));
    app.get("/films").await.expect_json(200, json!([film]));
}

/// SER-14: every write rejects unknown keys, each under its own name.
#[tokio::test]
async fn unknown_keys_are_rejected_under_their_names() {
    let app = app().await;
    let book = app
        .post("/books", json!({"fullTitle": "T"}))
        .await
        .expect(201)
        .json();
    let body = json!({"fullTitle": "U", "pages": 3, "": null, "FullTitle": "V", "_schema": 1});
    let errors = json!({"errors": {
        "pages": ["Unknown field."],
        "": ["Unknown field."],
        "FullTitle": ["Unknown field."],
        "_schema": ["Unknown field."],
    }});
    app.post("/books", body.clone())
        .await
        .expect_json(400, errors.clone());
    app.put("/books/1", body.clone())
        .await
        .expect_json(400, errors.clone());
    app.patch("/books/1", body).await.expect_json(400, errors);
    app.get("/books").await.expect_json(200, json!([book]));
}

/// SER-15: create ignores a primary key in the body, whether a row has it or not.
#[tokio::test]
async fn a_create_takes_no_primary_key_from_the_body() {
    let app = app().await;
    for (id, sent) in [(1, json!(50)), (2, json!(1)), (3, json!("x"))] {
        let body = json!({"id": sent, "fullTitle": format!("book {id}")});
        let created = app.post("/books", body).await.expect(201).json();
        assert_eq!(created["id"], id);
    }
    let first = app.get("/books/1").await.expect(200).json();
    assert_eq!(first["fullTitle"], "book 1");

    let sent = "0191d5f0-c0de-7000-8000-00000000abcd";
    let created = app.post("/tokens", json!({"id": sent})).await.expect(201).json();
    assert_ne!(created["id"], sent);
}

/// SER-15: a model with client-assigned keys requires and validates the key, and rejects a duplicate.
#[tokio::test]
async fn a_model_may_have_client_assigned_keys() {
    let app = app().await;
    let ch = json!({"code": "CH", "name": "Switzerland"});
    let created = app.post("/countries", ch.clone()).await;
    assert_eq!(created.header("location"), "/countries/CH");
    created.expect_json(201, ch.clone());
    app.get("/countries/CH").await.expect_json(200, ch.clone());

    let keyless = app.post("/countries", json!({"name": "Nowhere"})).await;
    expect_error(keyless, "code", "Code is required.");
    let wrong = app
        .post("/countries", json!({"code": "che", "name": "Nowhere"}))
        .await;
    expect_error(wrong, "code", "Does not match the pattern [A-Z]{2}.");
    let taken = app
        .post("/countries", json!({"code": "CH", "name": "Other"}))
        .await
        .expect(400)
        .json();
    assert_eq!(
        taken["errors"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["code"]
    );
    app.get("/countries").await.expect_json(200, json!([ch]));

    app.post("/tickets", json!({"number": 41}))
        .await
        .expect_json(201, json!({"number": 41, "seat": null}));
    let refused = app
        .post("/tickets", json!({"number": "42"}))
        .await
        .expect(400)
        .json();
    assert!(refused["errors"]["number"].is_array());
}

/// SER-16: the body of a put or patch may repeat the key of the URL.
#[tokio::test]
async fn the_body_of_an_update_may_repeat_the_key() {
    let app = app().await;
    app.post("/films", json!({"fullTitle": "T"})).await.expect(201);
    for (title, method) in [("U", http::Method::PUT), ("V", http::Method::PATCH)] {
        let film = json!({"id": 1, "fullTitle": title});
        app.send_json(method, "/films/1", film.clone())
            .await
            .expect_json(200, film);
    }
    let ch = json!({"code": "CH", "name": "Schweiz"});
    app.post("/countries", json!({"code": "CH", "name": "Switzerland"}))
        .await
        .expect(201);
    app.patch("/countries/CH", ch.clone()).await.expect_json(200, ch);
}

/// SER-16: a different key is an error of that field, for generated and client-assigned keys.
#[tokio::test]
async fn a_different_key_in_the_body_of_an_update_is_an_error() {
    let app = app().await;
    let film = app
        .post("/films", json!({"fullTitle": "T"}))
        .await
        .expect(201)
        .json();
    app.post("/films", json!({"fullTitle": "second"}))
        .await
        .expect(201);
    for id in [json!(2), json!(99), json!("1"), json!(null), json!(1.0)] {
        let body = json!({"id": id, "fullTitle": "U"});
        for method in [http::Method::PUT, http::Method::PATCH] {
            let refused = app.send_json(method, "/films/1", body.clone()).await;
            expect_error(refused, "id", "Does not match the URL.");
        }
    }
    app.get("/films/1").await.expect_json(200, film);

    let ch = json!({"code": "CH", "name": "Switzerland"});
    app.post("/countries", ch.clone()).await.expect(201);
    for method in [http::Method::PUT, http::Method::PATCH] {
        let body = json!({"code": "DE", "name": "Germany"});
        let refused = app.send_json(method, "/countries/CH", body).await;
        expect_error(refused, "code", "Does not match the URL.");
    }
    app.get("/countries").await.expect_json(200, json!([ch]));

    let token = app.post("/tokens", json!({})).await.expect(201).json();
    let item = format!("/tokens/{}", token["id"].as_str().unwrap());
    app.patch(&item, token.clone()).await.expect_json(200, token);
    let other = json!({"id": "0191d5f0-c0de-7000-8000-00000000abcd"});
    expect_error(app.patch(&item, other).await, "id", "Does not match the URL.");
}
