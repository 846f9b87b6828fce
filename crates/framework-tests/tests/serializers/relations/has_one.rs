//! Relations to the one object whose unique key references this one.

use model_resource::{Api, Model, ModelSerializer, SerializerFields, model_resource, serializer};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "writers")]
struct Writer {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "profiles")]
struct Profile {
    #[column(primary_key)]
    id: i64,
    #[column(unique, references = Writer, on_delete = cascade)]
    writer_id: Option<i64>,
    motto: String,
}

struct ProfileSerializer;

#[serializer]
impl ModelSerializer for ProfileSerializer {
    type Model = Profile;

    fn fields(fields: SerializerFields<Profile>) -> SerializerFields<Profile> {
        fields
            .belongs_to::<WriterSerializer>("writer", Profile::WRITER_ID)
            .as_member("writer", Writer::NAME)
            .always("writer")
    }
}

struct WriterSerializer;

#[serializer]
impl ModelSerializer for WriterSerializer {
    type Model = Writer;

    fn fields(fields: SerializerFields<Writer>) -> SerializerFields<Writer> {
        fields
            .has_one::<ProfileSerializer>("profile", Profile::WRITER_ID)
            .has_one::<ProfileSerializer>("motto", Profile::WRITER_ID)
            .as_member("motto", Profile::MOTTO)
            .always("motto")
            .has_one::<ProfileSerializer>("profileId", Profile::WRITER_ID)
            .as_keys("profileId")
            .always("profileId")
    }
}

#[model_resource(Writer, "/writers", "/writers/<int:id>", serializer = WriterSerializer)]
struct WriterResource;

#[model_resource(Profile, "/profiles", serializer = ProfileSerializer)]
struct ProfileResource;

async fn writers() -> TestApp {
    let api = Api::new("api")
        .model_resource::<WriterResource>()
        .model_resource::<ProfileResource>();
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO writers (name) VALUES ('Ann'), ('Bob'), ('Cid');
         INSERT INTO profiles (writer_id, motto) VALUES (3, 'alpha'), (1, 'omega'), (NULL, 'free')",
    );
    app
}

/// REL-4: the one object whose unique foreign key references this one, or `null`.
#[tokio::test]
async fn the_one_related_object_is_written_or_null() {
    let app = writers().await;
    let omega = json!({"id": 2, "writerId": 1, "motto": "omega", "writer": "Ann"});
    app.get("/writers/1?expand=profile").await.expect_json(
        200,
        json!({"id": 1, "name": "Ann", "motto": "omega", "profileId": 2, "profile": omega}),
    );
    app.get("/writers/2?expand=profile").await.expect_json(
        200,
        json!({"id": 2, "name": "Bob", "motto": null, "profileId": null, "profile": null}),
    );
    let before = app.store.read_count();
    let list = app.get("/writers?expand=profile").await.expect(200).json();
    // The list, three relations of it, and the writers of the profiles.
    assert_eq!(app.store.read_count() - before, 5);
    let mottos: Vec<&Value> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|writer| &writer["profile"]["motto"])
        .collect();
    assert_eq!(mottos, [&json!("omega"), &Value::Null, &json!("alpha")]);
    let free = json!({"id": 3, "writerId": null, "motto": "free", "writer": null});
    assert_eq!(app.get("/profiles").await.expect(200).json()[2], free);
}

/// REL-4: a list is filtered and sorted by the fields of the one related object, also with cursors.
#[tokio::test]
async fn a_list_is_filtered_and_sorted_by_the_one_related_object() {
    let app = writers().await;
    let ids = async |query: &str| {
        let list = app
            .get(&format!("/writers?fields=id&{query}"))
            .await
            .expect(200)
            .json();
        let list = list.as_array().unwrap().iter();
        list.map(|writer| writer["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("profile.motto=alpha").await, [3]);
    assert_eq!(ids("profile.id[isnull]=true").await, [2]);
    assert_eq!(ids("sort=profile.motto").await, [3, 1, 2]);
    assert_eq!(ids("sort=-profile.motto").await, [2, 1, 3]);
    assert_eq!(ids("sort=-profile.motto&nulls=last&limit=1&offset=1").await, [3]);
    let first = app
        .get("/writers?sort=profile.motto&limit=2&cursor=")
        .await
        .expect(200);
    let mut links = first.header("link").split(", ");
    let next = links.find(|link| link.contains("rel=\"next\"")).unwrap();
    let path = &next[next.find("/writers").unwrap()..next.find('>').unwrap()];
    assert_eq!(app.get(path).await.expect(200).json()[0]["id"], 2);
}

/// REL-4: a single value is a cell of its own in CSV.
#[tokio::test]
async fn a_single_value_is_a_plain_cell() {
    let app = writers().await;
    let csv = app.get("/writers?format=csv").await.expect(200).text();
    assert_eq!(
        csv,
        "id,name,motto,profileId\r\n1,Ann,omega,2\r\n2,Bob,,\r\n3,Cid,alpha,1\r\n"
    );
}
