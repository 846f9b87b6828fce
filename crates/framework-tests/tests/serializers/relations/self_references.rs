//! Models that refer to themselves.

use model_resource::{Api, Model, ModelSerializer, SerializerFields, model_resource, serializer};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "topics")]
struct Topic {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(references = Topic)]
    parent_id: Option<i64>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "people")]
struct Person {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "friendships")]
struct Friendship {
    #[column(primary_key)]
    id: i64,
    #[column(references = Person, on_delete = cascade)]
    person_id: i64,
    #[column(references = Person, on_delete = cascade)]
    friend_id: i64,
}

struct TopicSerializer;

#[serializer]
impl ModelSerializer for TopicSerializer {
    type Model = Topic;

    fn fields(fields: SerializerFields<Topic>) -> SerializerFields<Topic> {
        fields
            .belongs_to::<TopicSerializer>("parent", Topic::PARENT_ID)
            .has_many::<TopicSerializer>("children", Topic::PARENT_ID)
            .has_many::<TopicSerializer>("childIds", Topic::PARENT_ID)
            .as_keys("childIds")
            .always("childIds")
    }
}

struct PersonSerializer;

#[serializer]
impl ModelSerializer for PersonSerializer {
    type Model = Person;

    fn fields(fields: SerializerFields<Person>) -> SerializerFields<Person> {
        fields
            .many_to_many::<PersonSerializer>("friends", Friendship::PERSON_ID, Friendship::FRIEND_ID)
            .many_to_many::<PersonSerializer>("fans", Friendship::FRIEND_ID, Friendship::PERSON_ID)
            .as_member("fans", Person::NAME)
            .always("fans")
    }
}

#[model_resource(Topic, "/topics", "/topics/<int:id>", serializer = TopicSerializer)]
struct TopicResource;

#[model_resource(Person, "/people", "/people/<int:id>", serializer = PersonSerializer)]
struct PersonResource;

async fn app() -> TestApp {
    let api = Api::new("api")
        .model_resource::<TopicResource>()
        .model_resource::<PersonResource>();
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO topics (name, parent_id) VALUES ('root', NULL), ('left', 1), ('right', 1), ('leaf', 2);
         INSERT INTO people (name) VALUES ('Ann'), ('Bob'), ('Cid');
         INSERT INTO friendships (person_id, friend_id) VALUES (1, 2), (1, 3), (3, 1)",
    );
    app
}

/// REL-5: a model that references itself has relations in both directions.
#[tokio::test]
async fn a_tree_is_followed_in_both_directions() {
    let app = app().await;
    let left = json!({"id": 2, "name": "left", "parentId": 1, "childIds": [4]});
    let right = json!({"id": 3, "name": "right", "parentId": 1, "childIds": []});
    app.get("/topics/1?expand=parent,children").await.expect_json(
        200,
        json!({"id": 1, "name": "root", "parentId": null, "childIds": [2, 3], "parent": null, "children": [left, right]}),
    );
    let leaf = app
        .get("/topics/4?expand=parent.parent&fields=parent.name,parent.parent.name")
        .await;
    leaf.expect_json(
        200,
        json!({"parent": {"name": "left", "parent": {"name": "root"}}}),
    );
    app.get("/topics?children.name=leaf&fields=id")
        .await
        .expect_json(200, json!([{"id": 2}]));
    app.get("/topics?parent.name=root&fields=id")
        .await
        .expect_json(200, json!([{"id": 2}, {"id": 3}]));
}

/// REL-5: both keys of a join model may reference the same model; their order is the direction.
#[tokio::test]
async fn a_join_model_relates_a_model_with_itself() {
    let app = app().await;
    app.get("/people?expand=friends&fields=name,fans,friends.name")
        .await
        .expect_json(
            200,
            json!([
                {"name": "Ann", "fans": ["Cid"], "friends": [{"name": "Bob"}, {"name": "Cid"}]},
                {"name": "Bob", "fans": ["Ann"], "friends": []},
                {"name": "Cid", "fans": ["Ann"], "friends": [{"name": "Ann"}]},
            ]),
        );
    app.get("/people?friends.name=Cid&fields=id")
        .await
        .expect_json(200, json!([{"id": 1}]));
    app.get("/people?fans.name=Ann&fields=id")
        .await
        .expect_json(200, json!([{"id": 2}, {"id": 3}]));
    let twice = app
        .get("/people/3?expand=friends.friends&fields=friends.friends.name")
        .await;
    twice.expect_json(
        200,
        json!({"friends": [{"friends": [{"name": "Bob"}, {"name": "Cid"}]}]}),
    );
}
