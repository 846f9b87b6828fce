//! Strings that are trimmed, converted to lower case or to normalization form C before validation.

use http::Method;
use model_resource::{
    Api, CREATE, Context, Draft, Model, ModelResource, ModelSerializer, Operations, Reply, Result,
    model_resource, serializer,
};
use serde_json::json;
use test_support::TestApp;

use super::expect_error;

#[derive(Model)]
struct Member {
    #[column(primary_key)]
    id: i64,
    #[column(trim, lowercase, unique, email)]
    mail: String,
    #[column(trim, min_length = 1, max_length = 3)]
    nick: String,
    #[column(lowercase, choices = ["new", "old"], default = "new")]
    state: String,
    note: Option<String>,
}

struct MemberSerializer;

#[serializer]
impl ModelSerializer for MemberSerializer {
    type Model = Member;
}

struct MemberResource;

#[model_resource(Member, "/members", "/members/<int:id>")]
impl ModelResource for MemberResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    async fn put(cx: Context, mut member: Draft<Member>) -> Result<Reply> {
        member.set(Member::NICK, "  P ".to_owned());
        cx.updated(member).await
    }
}

/// A model with client-assigned keys.
#[derive(Model)]
struct Word {
    #[column(primary_key = client, trim, lowercase)]
    word: String,
    #[column(default = 0)]
    count: i32,
}

struct WordSerializer;

#[serializer]
impl ModelSerializer for WordSerializer {
    type Model = Word;
}

#[model_resource(Word, "/words", "/words/<word>")]
struct WordResource;

async fn app() -> TestApp {
    let api = Api::new("api")
        .serializer::<MemberSerializer>()
        .model_resource::<MemberResource>()
        .serializer::<WordSerializer>()
        .model_resource::<WordResource>();
    TestApp::with_api(api).await
}

/// SER-27: every write normalizes the string before it is validated and stored; other columns are unchanged.
#[tokio::test]
async fn trim_and_lowercase_come_before_the_checks() {
    let app = app().await;
    let body = json!({"mail": " Ada@Example.COM\n", "nick": "\u{a0}Ada ", "state": "OLD", "note": " N "});
    let ada = json!({"id": 1, "mail": "ada@example.com", "nick": "Ada", "state": "old", "note": " N "});
    app.post("/members", body).await.expect_json(201, ada.clone());
    app.get("/members/1").await.expect_json(200, ada);

    let before = app.database().rows();
    let blank = app.patch("/members/1", json!({"nick": "   "})).await;
    expect_error(blank, "nick", "May not be empty.");
    let taken = app
        .post("/members", json!({"mail": "ADA@example.com ", "nick": "B"}))
        .await;
    expect_error(taken, "mail", "Mail is already taken.");
    assert_eq!(app.database().rows(), before);

    let changed = app
        .patch("/members/1", json!({"nick": " Bo "}))
        .await
        .expect(200)
        .json();
    assert_eq!(changed["nick"], "Bo");
    let csv = "mail,nick\r\n B@X.ORG ,\" c \"\r\n";
    let many = app
        .send(Method::POST, "/members", Some(("text/csv", csv.into())))
        .await;
    let many = many.expect(201).json();
    assert_eq!(
        (&many[0]["mail"], &many[0]["nick"]),
        (&json!("b@x.org"), &json!("c"))
    );
}

/// SER-27: strings set by handlers and keys repeated in a body are normalized too.
#[tokio::test]
async fn strings_set_by_handlers_and_repeated_keys_are_normalized_too() {
    let app = app().await;
    app.post("/members", json!({"mail": "a@b.c", "nick": "a"}))
        .await
        .expect(201);
    let put = app.put("/members/1", json!({"mail": "A@B.C", "nick": "b"})).await;
    let put = put.expect(200).json();
    assert_eq!((&put["mail"], &put["nick"]), (&json!("a@b.c"), &json!("P")));

    let created = app.post("/words", json!({"word": " Rust "})).await;
    assert_eq!(created.header("location"), "/words/rust");
    let repeated = app
        .patch("/words/rust", json!({"word": "RUST ", "count": 1}))
        .await;
    repeated.expect_json(200, json!({"word": "rust", "count": 1}));
}

#[derive(Model)]
struct City {
    #[column(primary_key)]
    id: i64,
    #[column(nfc, unique, max_length = 4)]
    name: String,
    motto: Option<String>,
}

struct CitySerializer;

#[serializer]
impl ModelSerializer for CitySerializer {
    type Model = City;
}

struct CityResource;

#[model_resource(City, "/cities", "/cities/<int:id>")]
impl ModelResource for CityResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    async fn put(cx: Context, mut city: Draft<City>) -> Result<Reply> {
        city.set(City::NAME, "Zu\u{308}g".to_owned());
        cx.updated(city).await
    }
}

/// MOD-10: `nfc` stores equal texts in equal bytes, whatever form they are sent in; other columns are unchanged.
#[tokio::test]
async fn nfc_comes_before_the_checks() {
    let api = Api::new("api")
        .serializer::<CitySerializer>()
        .model_resource::<CityResource>();
    let app = TestApp::with_api(api).await;
    let body = json!({"name": "Ko\u{308}ln", "motto": "e\u{301}"});
    let city = json!({"id": 1, "name": "K\u{f6}ln", "motto": "e\u{301}"});
    app.post("/cities", body).await.expect_json(201, city);

    let before = app.database().rows();
    for name in ["K\u{f6}ln", "Ko\u{308}ln"] {
        let taken = app.post("/cities", json!({"name": name})).await;
        expect_error(taken, "name", "Name is already taken.");
    }
    assert_eq!(app.database().rows(), before);

    let csv = "name\r\nBo\u{308}\r\n";
    let many = app
        .send(Method::POST, "/cities", Some(("text/csv", csv.into())))
        .await;
    assert_eq!(many.expect(201).json()[0]["name"], "B\u{f6}");
    let put = app
        .put("/cities/1", json!({"name": "x"}))
        .await
        .expect(200)
        .json();
    assert_eq!(put["name"], "Z\u{fc}g");
    let patched = app.patch("/cities/1", json!({"name": "A\u{30a}s"})).await;
    assert_eq!(patched.expect(200).json()["name"], "\u{c5}s");
}
