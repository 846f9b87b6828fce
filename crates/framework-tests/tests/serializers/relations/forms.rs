//! Forms of relations: objects, keys and single members.

use model_resource::{Api, ModelSerializer, SerializerFields, serializer};
use serde_json::json;

use super::{Label, LabelSerializer, Post, PostLabel, Remark, RemarkSerializer, posts};

struct KeysSerializer;

#[serializer]
impl ModelSerializer for KeysSerializer {
    type Model = Post;

    fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
        fields
            .many_to_many::<LabelSerializer>("labels", PostLabel::POST_ID, PostLabel::LABEL_ID)
            .as_keys("labels")
            .always("labels")
            .has_many::<RemarkSerializer>("remarks", Remark::POST_ID)
            .as_keys("remarks")
    }
}

struct MembersSerializer;

#[serializer]
impl ModelSerializer for MembersSerializer {
    type Model = Post;

    fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
        fields
            .many_to_many::<LabelSerializer>("labels", PostLabel::POST_ID, PostLabel::LABEL_ID)
            .as_member("labels", Label::NAME)
            .ordered("labels", Label::NAME.asc())
            .has_many::<RemarkSerializer>("remarks", Remark::POST_ID)
            .as_member("remarks", Remark::BODY)
            .ordered("remarks", Remark::BODY.desc())
            .always("remarks")
            .many_to_many::<LabelSerializer>("colors", PostLabel::POST_ID, PostLabel::LABEL_ID)
            .as_member("colors", Label::COLOR)
            .always("colors")
    }
}

struct EmbeddingSerializer;

#[serializer]
impl ModelSerializer for EmbeddingSerializer {
    type Model = Post;

    fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
        fields
            .many_to_many::<LabelSerializer>("labels", PostLabel::POST_ID, PostLabel::LABEL_ID)
            .ordered("labels", Label::NAME.desc())
            .always("labels")
    }
}

/// REL-3: a relation is written as the keys of its objects, always or on request.
#[tokio::test]
async fn a_relation_is_written_as_keys() {
    let app = posts(Api::new("api").serializer::<KeysSerializer>()).await;
    app.get("/posts").await.expect_json(
        200,
        json!([
            {"id": 1, "title": "one", "labels": [1, 3]},
            {"id": 2, "title": "two", "labels": [1, 2]},
            {"id": 3, "title": "three", "labels": []},
        ]),
    );
    app.get("/posts/1?expand=remarks").await.expect_json(
        200,
        json!({"id": 1, "title": "one", "labels": [1, 3], "remarks": [1, 2]}),
    );
    app.get("/posts/1?fields=labels")
        .await
        .expect_json(200, json!({"labels": [1, 3]}));
    app.get("/posts/1?expand=labels&fields=id")
        .await
        .expect_json(200, json!({"id": 1, "labels": [1, 3]}));
    app.get("/posts?labels.name=axum&fields=id")
        .await
        .expect_json(200, json!([{"id": 1}]));
    let written = json!({"id": 4, "title": "new", "labels": []});
    app.post("/posts", json!({"title": "new", "labels": [1]}))
        .await
        .expect_json(201, written);
}

/// REL-3: a relation is written as one member of each of its objects, in the declared order.
#[tokio::test]
async fn a_relation_is_written_as_one_member() {
    let app = posts(Api::new("api").serializer::<MembersSerializer>()).await;
    app.get("/posts?expand=labels").await.expect_json(
        200,
        json!([
            {"id": 1, "title": "one", "remarks": ["b", "a"], "colors": ["red", "blue"], "labels": ["axum", "sql"]},
            {"id": 2, "title": "two", "remarks": ["c"], "colors": ["red", null], "labels": ["rust", "sql"]},
            {"id": 3, "title": "three", "remarks": [], "colors": [], "labels": []},
        ]),
    );
    let csv = app
        .get("/posts?format=csv&fields=id,remarks")
        .await
        .expect(200)
        .text();
    assert_eq!(
        csv,
        "id,remarks\r\n1,\"[\"\"b\"\",\"\"a\"\"]\"\r\n2,\"[\"\"c\"\"]\"\r\n3,[]\r\n"
    );
    let lines = app
        .get("/posts?format=ndjson&fields=colors")
        .await
        .expect(200)
        .text();
    assert_eq!(
        lines,
        "{\"colors\":[\"red\",\"blue\"]}\n{\"colors\":[\"red\",null]}\n{\"colors\":[]}\n"
    );
}

/// REL-3: values have no fields and no relations of their own.
#[tokio::test]
async fn no_field_of_a_value_can_be_requested() {
    let app = posts(Api::new("api").serializer::<KeysSerializer>()).await;
    for query in [
        "fields=labels.name",
        "expand=labels.posts",
        "expand=remarks&fields=remarks.body",
        "expand=remarks.body",
        "fields=remarks",
    ] {
        app.get(&format!("/posts/1?{query}")).await.expect(400);
        app.get(&format!("/posts?{query}")).await.expect(400);
    }
}

/// REL-3: a relation to many is embedded in every object, in the declared order.
#[tokio::test]
async fn a_relation_to_many_is_embedded() {
    let app = posts(Api::new("api").serializer::<EmbeddingSerializer>()).await;
    let labels = json!([{"id": 1, "name": "sql"}, {"id": 3, "name": "axum"}]);
    app.get("/posts/1")
        .await
        .expect_json(200, json!({"id": 1, "title": "one", "labels": labels}));
    app.get("/posts/1?fields=labels.id")
        .await
        .expect_json(200, json!({"labels": [{"id": 1}, {"id": 3}]}));
    let changed = app
        .patch("/posts/1", json!({"title": "1"}))
        .await
        .expect(200)
        .json();
    assert_eq!(changed["labels"], labels);
}
