//! Readable and writable fields of a serializer.

use http::Method;
use model_resource::{
    Api, Columns, Draft, Errors, ExtraField, Model, ModelSerializer, SerializerFields, WriteMode,
    model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

use super::expect_error;

#[derive(Debug, Clone, Model)]
struct Member {
    #[column(primary_key)]
    id: i64,
    nick: String,
    #[column(default = "")]
    pin: String,
    #[column(hidden, default = 7)]
    score: i32,
    note: Option<String>,
    #[column(hidden)]
    secret_hash: Option<String>,
}

#[model_resource(Member, "/members", "/members/<int:id>")]
struct MemberResource;

/// Declares a serializer of members with these items.
macro_rules! serializer_of_members {
    ($name:ident { $($items:tt)* }) => {
        struct $name;

        #[serializer]
        impl ModelSerializer for $name {
            type Model = Member;
            $($items)*
        }
    };
}

serializer_of_members!(AllSerializer {});

serializer_of_members!(FieldsSerializer {
    const FIELDS: Columns<Member> = Columns::of(Member::ID).and(Member::NICK);
});

serializer_of_members!(ExcludeSerializer {
    const EXCLUDE: Columns<Member> = Columns::of(Member::PIN).and(Member::NOTE);
});

serializer_of_members!(ReadOnlySerializer {
    const READ_ONLY: Columns<Member> = Columns::of(Member::NOTE);
});

serializer_of_members!(WriteOnlySerializer {
    const WRITE_ONLY: Columns<Member> = Columns::of(Member::PIN);
});

serializer_of_members!(AddingSerializer {
    const FIELDS: Columns<Member> = Columns::of(Member::ID).and(Member::NICK).and(Member::NOTE);

    fn fields(fields: SerializerFields<Member>) -> SerializerFields<Member> {
        fields
            .computed("initial", |member: &Member| member.nick.chars().next())
            .computed("nickAndScore", |member: &Member| json!([member.nick, member.score]))
            .write_only(
                ExtraField::new("secret")
                    .min_length(3)
                    .required_on_create()
                    .into_column(Member::SECRET_HASH, |secret: String| Some(format!("#{secret}"))),
            )
            .write_only(ExtraField::<Member, i64>::new("extraScore").for_handler())
            .computed("hash", |member: &Member| member.secret_hash.clone())
    }

    fn validate(member: &Draft<Member>, _: WriteMode, errors: &mut Errors) {
        if member.extra::<i64>("extraScore").is_some_and(|extra| extra > 5) {
            errors.add("extraScore", "Too much.");
        }
    }
});

async fn app(api: Api) -> TestApp {
    TestApp::with_api(api.model_resource::<MemberResource>()).await
}

/// Asserts that every write rejects the key as unknown and changes nothing.
async fn expect_unknown(app: &TestApp, key: &str, value: Value) {
    let before = app.get("/members").await.expect(200).json();
    for (method, path) in [
        (Method::POST, "/members"),
        (Method::PUT, "/members/1"),
        (Method::PATCH, "/members/1"),
    ] {
        let refused = app
            .send_json(method, path, json!({"nick": "z", key: value}))
            .await;
        expect_error(refused, key, "Unknown field.");
    }
    app.get("/members").await.expect_json(200, before);
}

/// SER-18: a hidden column is neither readable nor writable, and keeps its value.
#[tokio::test]
async fn a_hidden_column_is_neither_shown_nor_accepted() {
    let app = app(Api::new("api").serializer::<AllSerializer>()).await;
    let member = json!({"id": 1, "nick": "a", "pin": "1", "note": null});
    app.post("/members", json!({"nick": "a", "pin": "1"}))
        .await
        .expect_json(201, member.clone());
    expect_unknown(&app, "score", json!(9)).await;
    expect_unknown(&app, "secretHash", json!("x")).await;
    app.get("/members/1").await.expect_json(200, member.clone());
    app.get("/members").await.expect_json(200, json!([member]));
    let stored = app.store.all(&Member::query()).await.unwrap();
    assert_eq!((stored.len(), stored[0].score), (1, 7));
}

/// SER-18: a write-only column is accepted and never returned.
#[tokio::test]
async fn a_write_only_column_is_accepted_and_never_shown() {
    let app = app(Api::new("api").serializer::<WriteOnlySerializer>()).await;
    let member = json!({"id": 1, "nick": "a", "note": null});
    for (method, path, pin) in [
        (Method::POST, "/members", "11"),
        (Method::PUT, "/members/1", "22"),
        (Method::PATCH, "/members/1", "33"),
    ] {
        let body = json!({"nick": "a", "pin": pin});
        let response = app.send_json(method, path, body).await;
        assert!(response.status.is_success());
        assert_eq!(response.json(), member);
        let stored = app.store.all(&Member::query()).await.unwrap();
        assert_eq!(stored[0].pin, pin);
    }
    app.get("/members").await.expect_json(200, json!([member]));
}

/// SER-19: `FIELDS` restricts input and output to these columns.
#[tokio::test]
async fn fields_restricts_a_serializer_to_the_listed_columns() {
    let app = app(Api::new("api").serializer::<FieldsSerializer>()).await;
    let member = json!({"id": 1, "nick": "a"});
    app.post("/members", json!({"nick": "a"}))
        .await
        .expect_json(201, member.clone());
    expect_unknown(&app, "pin", json!("1")).await;
    expect_unknown(&app, "note", json!("n")).await;
    app.get("/members/1").await.expect_json(200, member);
}

/// SER-19: `EXCLUDE` removes these columns from input and output.
#[tokio::test]
async fn exclude_removes_the_listed_columns() {
    let app = app(Api::new("api").serializer::<ExcludeSerializer>()).await;
    let member = json!({"id": 1, "nick": "a"});
    app.post("/members", json!({"nick": "a"}))
        .await
        .expect_json(201, member.clone());
    expect_unknown(&app, "pin", json!("1")).await;
    app.get("/members").await.expect_json(200, json!([member]));
}

/// SER-13, SER-19: a column in `READ_ONLY` is returned, and ignored in a body.
#[tokio::test]
async fn a_read_only_column_is_shown_and_ignored_in_a_body() {
    let app = app(Api::new("api").serializer::<ReadOnlySerializer>()).await;
    let member = json!({"id": 1, "nick": "a", "pin": "", "note": null});
    for (method, path) in [
        (Method::POST, "/members"),
        (Method::PUT, "/members/1"),
        (Method::PATCH, "/members/1"),
    ] {
        let body = json!({"nick": "a", "note": "mine"});
        let response = app.send_json(method, path, body).await;
        assert!(response.status.is_success());
        assert_eq!(response.json(), member);
    }
    app.get("/members/1").await.expect_json(200, member);
}

/// SER-19: computed fields are in single objects and in lists, and are ignored in a body.
#[tokio::test]
async fn computed_fields_are_shown() {
    let app = app(Api::new("api").serializer::<AddingSerializer>()).await;
    let member = |nick: &str, initial: &str| {
        json!({
            "id": 1, "nick": nick, "note": null, "initial": initial, "nickAndScore": [nick, 7], "hash": "#abc",
        })
    };
    app.post("/members", json!({"nick": "ada", "secret": "abc"}))
        .await
        .expect_json(201, member("ada", "a"));
    app.get("/members")
        .await
        .expect_json(200, json!([member("ada", "a")]));
    app.patch("/members/1", json!({"nick": "eve", "initial": "x", "hash": 1}))
        .await
        .expect_json(200, member("eve", "e"));
}

/// SER-19, SER-18: extra fields are loaded, validated and converted, and never returned.
#[tokio::test]
async fn extra_fields_are_loaded() {
    let app = app(Api::new("api").serializer::<AddingSerializer>()).await;
    for (body, field, message) in [
        (json!({"nick": "a"}), "secret", "Secret is required."),
        (
            json!({"nick": "a", "secret": "ab"}),
            "secret",
            "Shorter than the minimum length 3.",
        ),
        (
            json!({"nick": "a", "secret": null}),
            "secret",
            "Secret may not be null.",
        ),
        (
            json!({"nick": "a", "secret": 123}),
            "secret",
            "Not a valid string.",
        ),
        (
            json!({"nick": "a", "secret": "abc", "extraScore": 6}),
            "extraScore",
            "Too much.",
        ),
    ] {
        expect_error(app.post("/members", body).await, field, message);
    }
    app.get("/members").await.expect_json(200, json!([]));

    let body = json!({"nick": "a", "secret": "abc", "extraScore": 5});
    let created = app.post("/members", body).await.expect(201).json();
    assert_eq!(created["hash"], "#abc");
    assert!(created.get("secret").is_none() && created.get("extraScore").is_none());
    let kept = app
        .put("/members/1", json!({"nick": "b"}))
        .await
        .expect(200)
        .json();
    assert_eq!(kept["hash"], "#abc");
    let changed = app
        .patch("/members/1", json!({"secret": "xyz"}))
        .await
        .expect(200)
        .json();
    assert_eq!(changed["hash"], "#xyz");
}
