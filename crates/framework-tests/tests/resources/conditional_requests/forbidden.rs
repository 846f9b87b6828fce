//! Preconditions on objects that the caller cannot see or may not write.

use model_resource::{Api, Caller, Model, ModelPolicy, ModelResource, Where, model_resource};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

use super::{TagResource, if_match, if_none_match, served, tag};

/// Visible to its owner and if it is public; changed by its owner alone.
#[derive(Debug, Clone, Model)]
#[model(table = "letters")]
struct Letter {
    #[column(primary_key)]
    id: i64,
    text: String,
    owner_id: i64,
    public: bool,
}

struct LetterPolicy;

impl ModelPolicy for LetterPolicy {
    type Model = Letter;

    fn visible(caller: &Caller) -> Where<Letter> {
        Letter::PUBLIC.eq(true).or(Self::updatable(caller))
    }

    fn updatable(caller: &Caller) -> Where<Letter> {
        caller.owned_by(Letter::OWNER_ID)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

struct LetterResource;

#[model_resource(Letter, "/letters", "/letters/<int:id>", policy = LetterPolicy)]
impl ModelResource for LetterResource {}

/// VSN-6: a precondition tells nothing about an object that the caller cannot see or may not write.
#[tokio::test]
async fn a_precondition_tells_nothing_about_what_is_forbidden() {
    let api = Api::new("letters").authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api.model_resource::<LetterResource>()).await;
    let owner = app.client.as_caller("1");
    let mut tags = Vec::new();
    for public in [false, true] {
        let letter = json!({"text": "a", "ownerId": 1, "public": public});
        tags.push(tag(&owner.post("/letters", letter).await.expect(201)));
    }
    let before = app.database().rows();
    for (client, statuses) in [
        (app.client.as_caller("2"), [404, 403]),
        (app.client.clone(), [404, 401]),
    ] {
        for (id, status) in std::iter::zip([1, 2], statuses) {
            let item = format!("/letters/{id}");
            for sent in ["*", "\"other\"", &tags[0], &tags[1]] {
                for client in [if_match(&client, sent), if_none_match(&client, sent)] {
                    for response in [
                        client.patch(&item, json!({"text": "b"})).await,
                        client
                            .put(&item, json!({"text": "b", "ownerId": 1, "public": true}))
                            .await,
                        client.delete(&item).await,
                    ] {
                        let plain = response.expect(status);
                        assert!(!plain.headers.contains_key("etag"), "{sent}");
                    }
                }
            }
        }
        for sent in ["*", "\"other\"", &tags[0]] {
            if_match(&client, sent).get("/letters/1").await.expect(404);
            if_none_match(&client, sent).get("/letters/1").await.expect(404);
        }
    }
    assert_eq!(app.database().rows(), before);
}

/// VSN-3: a digest of values that the caller cannot read is keyed, and so differs between databases.
#[tokio::test]
async fn tags_are_keyed_with_the_secret_of_the_database() {
    let (one, other) = (served().await, served().await);
    let mut tags = Vec::new();
    for app in [&one, &other] {
        tags.push(tag(&app.post("/tags", json!({"name": "a"})).await.expect(201)));
    }
    assert_ne!(tags[0], tags[1]);
    // A second process on the same database, or the same after a restart, knows the tags.
    let api = Api::new("versions").model_resource::<TagResource>();
    let again = one.store.clone();
    let app = axum::Router::new();
    let app = api.store(again).init_app(app);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    assert_eq!(tag(&client.get("/tags/1").await.expect(200)), tags[0]);
    server.abort();
}
