//! Versions that a client has from a response to another caller, as in a browser whose user logs in.

use model_resource::{
    Api, Caller, Columns, Context, GET, MethodDecorators, Model, ModelPolicy, ModelResource, Next, Reply,
    Result, Timestamp, Where, model_resource,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

use super::{if_none_match, tag};

const LATER: &str = "Fri, 01 Jan 2100 00:00:00 GMT";

/// Its address is hidden from all but the staff, and its phone number from all but its owner.
#[derive(Debug, Clone, Model)]
#[model(table = "members")]
struct Member {
    #[column(primary_key)]
    id: i64,
    name: String,
    address: String,
    phone: String,
    owner_id: i64,
    #[column(updated)]
    updated_at: Timestamp,
}

struct MemberPolicy;

impl ModelPolicy for MemberPolicy {
    type Model = Member;

    fn hidden(caller: &Caller) -> Columns<Member> {
        if caller.has_role("staff") {
            Columns::none()
        } else {
            Columns::of(Member::ADDRESS)
        }
    }

    fn private() -> Columns<Member> {
        Columns::of(Member::PHONE)
    }

    fn shows_private(caller: &Caller) -> Where<Member> {
        caller.owned_by(Member::OWNER_ID)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

struct MemberResource;

#[model_resource(Member, "/members", "/members/<int:id>", policy = MemberPolicy)]
impl ModelResource for MemberResource {}

/// Its title is hidden from all but the staff.
#[derive(Debug, Clone, Model)]
#[model(table = "posts")]
struct Post {
    #[column(primary_key)]
    id: i64,
    title: String,
    text: String,
}

struct PostPolicy;

impl ModelPolicy for PostPolicy {
    type Model = Post;

    fn hidden(caller: &Caller) -> Columns<Post> {
        if caller.has_role("staff") {
            Columns::none()
        } else {
            Columns::of(Post::TITLE)
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

struct PostResource;

#[model_resource(Post, "/posts", "/posts/<int:id>", policy = PostPolicy)]
impl ModelResource for PostResource {}

/// A second view of the posts, with a decorator that masks texts for anonymous callers.
struct MaskedPostResource;

#[model_resource(Post, "/masked-posts", "/masked-posts/<int:id>")]
impl ModelResource for MaskedPostResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(GET, masked)
    }
}

async fn masked(cx: Context, next: Next) -> Result<Reply> {
    let is_known = cx.caller().is_authenticated();
    let reply = next.run(cx).await?;
    if is_known {
        return Ok(reply);
    }
    Ok(reply.map_objects(|post| {
        post.insert("text".to_owned(), "***".into());
    }))
}

/// Starts the api with an object of each kind, whose last change was long ago.
async fn started() -> TestApp {
    let api = Api::new("members").authenticator(HeaderAuthenticator);
    let api = api
        .model_resource::<MemberResource>()
        .model_resource::<PostResource>()
        .model_resource::<MaskedPostResource>();
    let app = TestApp::with_api(api).await;
    let staff = app.client.as_caller("1 staff");
    let member = json!({"name": "Ann", "address": "1 Main St", "phone": "555", "ownerId": 2});
    staff.post("/members", member).await.expect(201);
    staff
        .post("/posts", json!({"title": "a", "text": "b"}))
        .await
        .expect(201);
    let time = if app.database().is_postgres() {
        "to_timestamp(1000000000)"
    } else {
        "1000000000000000"
    };
    app.database()
        .execute(&format!("UPDATE members SET updated_at = {time}"));
    app
}

/// Requests of a cache that has stored a response with this tag and date.
fn revalidating(client: &Client, tag: &str) -> [Client; 2] {
    [
        if_none_match(client, tag),
        client.with_header("if-modified-since", LATER),
    ]
}

/// VSN-12: a caller who sees other members of the object than an anonymous one gets the object.
#[tokio::test]
async fn the_response_to_an_anonymous_caller_is_not_valid_for_a_caller_who_sees_more() {
    let app = started().await;
    let stored = app.get("/members/1").await.expect(200);
    assert!(!stored.text().contains("Main St"));
    for (caller, member) in [("1 staff", "address"), ("2", "phone")] {
        let client = app.client.as_caller(caller);
        for client in revalidating(&client, &tag(&stored)) {
            let sent = client.get("/members/1").await.expect(200);
            assert_eq!(tag(&sent), tag(&stored));
            assert!(sent.json().get(member).is_some(), "{caller}: {}", sent.text());
            assert_eq!(sent.header("cache-control"), "no-store");
        }
    }
    for client in revalidating(&app.client, &tag(&stored)) {
        client.get("/members/1").await.expect(304);
    }
}

/// VSN-12: a caller who sees the members that an anonymous one sees gets 304 as well.
#[tokio::test]
async fn a_caller_who_sees_no_more_than_an_anonymous_one_gets_304() {
    let app = started().await;
    let stored = tag(&app.get("/posts/1").await.expect(200));
    if_none_match(&app.client.as_caller("2"), &stored)
        .get("/posts/1")
        .await
        .expect(304);
    let staff = if_none_match(&app.client.as_caller("1 staff"), &stored);
    assert_eq!(staff.get("/posts/1").await.expect(200).json()["title"], "a");
}

/// VSN-12: caches do not store an object that a decorator has changed, because the tag does not tell so.
#[tokio::test]
async fn an_object_that_a_decorator_has_changed_is_not_stored() {
    let app = started().await;
    let masked = app.get("/masked-posts/1").await.expect(200);
    assert_eq!(masked.json()["text"], "***");
    assert_eq!(masked.header("cache-control"), "no-store");
    let plain = app.get("/posts/1").await.expect(200);
    assert_eq!(plain.header("cache-control"), "private");
    assert_eq!(tag(&plain), tag(&masked));
}
