//! Columns with custom names in JSON or in the database.

use http::Method;
use model_resource::{
    Api, CREATE, DELETE, Json, Model, ModelResource, ModelSerializer, Operations, PATCH, SerializerFields,
    Timestamp, model_resource, serializer,
};
use serde_json::json;
use test_support::TestApp;

use super::expect_error;

#[derive(Model)]
struct Writer {
    #[column(primary_key, name = "writer_no")]
    id: i64,
    #[column(name = "full name", json = "called")]
    name: String,
    #[column(references = Post, name = "best", json = "bestPost")]
    favorite_id: Option<i64>,
}

#[derive(Model)]
struct Post {
    #[column(primary_key, name = "Number")]
    id: i64,
    #[column(unique, name = "Headline", json = "headline")]
    title: String,
    #[column(slug(from = title), unique, name = "url_part")]
    slug: String,
    #[column(references = Writer, name = "writer", json = "by")]
    author_id: i64,
    #[column(name = "document")]
    extra: Option<Json>,
    #[column(default = 0, json = "stars")]
    rating: i32,
    #[column(updated, name = "changed")]
    updated_at: Timestamp,
}

struct WriterSerializer;

#[serializer]
impl ModelSerializer for WriterSerializer {
    type Model = Writer;

    fn fields(fields: SerializerFields<Writer>) -> SerializerFields<Writer> {
        fields.has_many::<PostSerializer>("posts", Post::AUTHOR_ID)
    }
}

struct PostSerializer;

#[serializer]
impl ModelSerializer for PostSerializer {
    type Model = Post;

    fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
        fields.belongs_to::<WriterSerializer>("author", Post::AUTHOR_ID)
    }
}

#[model_resource(Writer, "/writers", "/writers/<int:id>")]
struct WriterResource;

struct PostResource;

#[model_resource(Post, "/posts", "/posts/<int:id>", "/writers/<int:author_id>/posts/<int:id>")]
impl ModelResource for PostResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}

fn api() -> Api {
    Api::new("api")
        .serializer::<WriterSerializer>()
        .model_resource::<WriterResource>()
        .serializer::<PostSerializer>()
        .model_resource::<PostResource>()
}

/// Starts an app with two writers and three posts.
async fn app() -> TestApp {
    let app = TestApp::with_api(api()).await;
    for name in ["Ada", "Bob"] {
        app.post("/writers", json!({"called": name})).await.expect(201);
    }
    for (headline, by, stars) in [("B b", 1, 1), ("A a", 2, 2), ("C c", 1, 3)] {
        let body = json!({"headline": headline, "by": by, "stars": stars, "extra": {"n": stars}});
        app.post("/posts", body).await.expect(201);
    }
    app
}

/// SER-25: bodies and responses use the declared key; the field's name is an unknown key.
#[tokio::test]
async fn a_column_may_have_another_name_in_json() {
    let app = app().await;
    let created = app
        .post("/posts", json!({"headline": "D d", "by": 2}))
        .await
        .expect(201)
        .json();
    let keys: Vec<&String> = created.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["id", "headline", "slug", "by", "extra", "stars", "updatedAt"]
    );
    assert_eq!((&created["stars"], &created["slug"]), (&json!(0), &json!("d-d")));
    app.put("/posts/4", json!({"headline": "E e", "by": 1}))
        .await
        .expect(200);
    let patched = app
        .patch("/posts/4", json!({"stars": 5}))
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&patched["headline"], &patched["stars"]),
        (&json!("E e"), &json!(5))
    );

    let before = app.database().rows();
    for (body, field, message) in [
        (json!({"title": "F"}), "title", "Unknown field."),
        (json!({"authorId": 1}), "authorId", "Unknown field."),
        (json!({"rating": 1}), "rating", "Unknown field."),
        (json!({"Headline": "F"}), "Headline", "Unknown field."),
        (json!({"headline": null}), "headline", "Headline may not be null."),
    ] {
        expect_error(app.patch("/posts/1", body).await, field, message);
    }
    app.post("/posts", json!({})).await.expect_json(
        400,
        json!({"errors": {"headline": ["Headline is required."], "by": ["By is required."]}}),
    );
    assert_eq!(app.database().rows(), before);
}

/// SER-25, SER-26: queries use the names in JSON only, also through relations.
#[tokio::test]
async fn queries_use_the_names_in_json() {
    let app = app().await;
    for (query, ids) in [
        ("headline=A a", json!([2])),
        ("by=1", json!([1, 3])),
        ("stars[gte]=2&sort=-headline", json!([3, 2])),
        ("sort=author.called,-stars", json!([3, 1, 2])),
        ("author.called=Bob", json!([2])),
        ("extra.n=3", json!([3])),
        ("sort=headline&limit=1&cursor=", json!([2])),
        ("or=(headline=A a,stars=3)", json!([2, 3])),
    ] {
        let path = format!("/posts?{query}").replace(' ', "%20");
        let found = app.get(&path).await;
        let found: Vec<_> = found
            .json()
            .as_array()
            .unwrap_or_else(|| panic!("{query}: {}", found.text()))
            .clone();
        let found: Vec<_> = found.iter().map(|post| post["id"].clone()).collect();
        assert_eq!(json!(found), ids, "{query}");
    }
    for query in [
        "title=A",
        "rating=1",
        "Headline=A",
        "writer=1",
        "sort=author.name",
        "fields=rating",
    ] {
        app.get(&format!("/posts?{query}")).await.expect(400);
    }
    let found = app
        .get("/writers?posts.stars=2&expand=posts&fields=called,posts")
        .await;
    let found = found.expect(200).json();
    assert_eq!(found[0]["called"], "Bob");
    assert_eq!(found[0]["posts"][0]["headline"], "A a");
    let found = app.get("/posts/3?expand=author&fields=author,stars").await;
    found.expect_json(
        200,
        json!({"stars": 3, "author": {"id": 1, "called": "Ada", "bestPost": null}}),
    );
}

/// SER-26: the table uses the names declared for the database, and passes the verification at startup.
#[tokio::test]
async fn a_column_may_have_another_name_in_the_database() {
    let app = app().await;
    let columns = app.database().columns();
    for column in [
        "posts.Number",
        "posts.Headline",
        "posts.url_part",
        "posts.writer",
        "posts.document",
        "posts.rating",
        "posts.changed",
        "writers.full name",
        "writers.writer_no",
        "writers.best",
    ] {
        assert!(
            columns.iter().any(|found| found == column),
            "{column}: {columns:?}"
        );
    }
    assert_eq!(columns.len(), 10);
    let stored: String = app
        .database()
        .value("SELECT \"Headline\" FROM posts WHERE \"Number\" = 1");
    assert_eq!(stored, "B b");
    app.store.verify(&api().tables()).await.unwrap();
    app.database()
        .execute("ALTER TABLE posts RENAME COLUMN \"Headline\" TO title");
    let refused = app.store.verify(&api().tables()).await.unwrap_err().to_string();
    assert!(refused.contains("has no column `Headline`"), "{refused}");
}

/// SER-26: database errors are reported with the names in JSON.
#[tokio::test]
async fn database_errors_are_reported_with_the_names_in_json() {
    let app = app().await;
    let before = app.database().rows();
    let taken = app.post("/posts", json!({"headline": "A a", "by": 1})).await;
    expect_error(taken, "headline", "Headline is already taken.");
    let same_slug = app.patch("/posts/1", json!({"headline": "A-A"})).await;
    let message = "Its slug \"a-a\" is already taken; choose another headline.";
    expect_error(same_slug, "headline", message);
    let absent = app.patch("/posts/1", json!({"by": 9})).await;
    expect_error(absent, "by", "By does not exist.");
    let many = json!([{"headline": "N", "by": 1}, {"headline": "C c", "by": 1}]);
    app.post("/posts", many).await.expect_json(
        400,
        json!({"errors": {"1": {"headline": ["Headline is already taken."]}}}),
    );
    app.delete("/writers/1").await.expect(409);
    assert_eq!(app.database().rows(), before);
}

/// SER-25, SER-26: nested URLs, bulk requests and CSV use the declared names too.
#[tokio::test]
async fn every_input_and_output_uses_the_declared_names() {
    let app = app().await;
    app.get("/writers/2/posts/1").await.expect(404);
    let moved = app.patch("/writers/1/posts/1", json!({"by": 2})).await;
    expect_error(moved, "by", "Does not match the URL.");
    let changed = app
        .patch("/posts", json!([{"id": 1, "stars": 9}, {"id": 2, "stars": 8}]))
        .await;
    assert_eq!(changed.expect(200).json()[1]["stars"], 8);
    app.delete("/posts?id=1&id=2").await.expect(204);
    let csv = "headline,by,stars\r\nG g,2,4\r\n";
    let body = Some(("text/csv", csv.into()));
    app.send(Method::POST, "/posts", body).await.expect(201);
    let listed = app.get("/posts?format=csv&fields=headline,by,stars").await;
    assert_eq!(
        listed.expect(200).text(),
        "headline,by,stars\r\nC c,1,3\r\nG g,2,4\r\n"
    );
    let count: i64 = app.database().value("SELECT count(*) FROM posts");
    assert_eq!(count, 2);
}
