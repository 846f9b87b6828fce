//! An application with a custom user model.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model_resource::{
    Api, Context, Draft, Field, JsonBody, Model, ModelSerializer, Reply, Result, Store, Timestamp, Uuid,
    header, now, route, serializer,
};
use model_resource_security::{
    Account, AuthToken, CurrentUser, Security, auth_required_same_user, hash_password, verify_password,
};
use serde_json::{Value, json};
use test_support::kit::{TemporaryDatabase, TestApp, TestResponse};

/// A member of the library, identified by the number of the card.
#[derive(Debug, Clone, Model)]
#[model(table = "members")]
struct Member {
    #[column(primary_key)]
    id: Uuid,
    #[column(unique)]
    name: String,
    #[column(hidden)]
    secret: String,
    #[column(hidden)]
    is_librarian: bool,
    #[column(hidden, soft_delete)]
    left_at: Option<Timestamp>,
}

struct MemberSerializer;

#[serializer]
impl ModelSerializer for MemberSerializer {
    type Model = Member;
}

impl Account for Member {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
    const PASSWORD_HASH: Field<Self, String> = Member::SECRET;

    fn roles(&self) -> Vec<String> {
        self.is_librarian
            .then(|| "librarian".to_owned())
            .into_iter()
            .collect()
    }
}

#[route("/login/<name>", methods = [POST])]
async fn login(cx: Context, security: Security<Member>, JsonBody(body): JsonBody<Value>) -> Result<Reply> {
    let name = cx.params().get("name").unwrap_or_default().to_owned();
    let member = cx
        .store_unchecked()
        .first(&Member::query().filter(Member::NAME.eq(name)))
        .await?;
    let member: Member = verify_password(body["password"].to_string(), member).await?;
    let session = security.begin_session(&cx, &member).await?;
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "card".to_owned());
    let (token, _) = security.issue_token(cx.store_unchecked(), &member, token).await?;
    let reply = Reply::json(&json!({"token": token, "csrfToken": session.csrf_token}))?;
    Ok(reply.with_header(header::SET_COOKIE, session.cookie))
}

#[route("/members/<uuid:id>/card", methods = [GET, POST], decorators = [auth_required_same_user()])]
async fn card(cx: Context, CurrentUser(member): CurrentUser<Member>) -> Result<Reply> {
    Reply::json(&json!({"name": member.map(|member| member.name), "roles": cx.caller().roles()}))
}

/// SEC-25: sessions, tokens, roles and decorators work for any user model, with any type of key.
#[tokio::test]
async fn any_user_model_with_any_key_can_log_in() {
    let api = Api::new("library")
        .authenticator(Security::<Member>::new().role_includes("librarian", ["reader"]))
        .serializer::<MemberSerializer>()
        .route(login)
        .route(card);
    let app = TestApp::builder(api).accounts::<Member>().start().await;
    let mut ids = Vec::new();
    for name in ["ann", "bob"] {
        let mut draft = Draft::new();
        draft.set(Member::NAME, name.to_owned());
        draft.set(Member::SECRET, hash_password("\"open\"".to_owned()));
        draft.set(Member::IS_LIBRARIAN, name == "ann");
        ids.push(app.create(draft).await.id.to_string());
    }
    app.post("/login/ann", json!({"password": "shut"}))
        .await
        .assert_status(401);
    app.post("/login/eve", json!({"password": "open"}))
        .await
        .assert_status(401);
    let answer = app
        .post("/login/ann", json!({"password": "open"}))
        .await
        .assert_status(200);
    let known: Value = answer.json();
    let cookie = answer.header("set-cookie").split(';').next().unwrap();
    let text = |name: &str| known[name].as_str().unwrap().to_owned();
    let (browser, program) = (app.with_header("cookie", cookie), app.with_token(&text("token")));
    let page = browser.with_header("x-csrftoken", &text("csrfToken"));
    let url = |id: &str| format!("/members/{id}/card");
    for client in [&browser, &program] {
        for id in [ids[0].clone(), ids[0].to_uppercase()] {
            let expected = json!({"name": "ann", "roles": ["librarian", "reader"]});
            client
                .get(&url(&id))
                .await
                .assert_status(200)
                .assert_json_exact(expected);
        }
        client.get(&url(&ids[1])).await.assert_status(403);
    }
    app.get(&url(&ids[0])).await.assert_status(401);
    browser.post(&url(&ids[0]), json!({})).await.assert_status(403);
    page.post(&url(&ids[0]), json!({})).await.assert_status(200);
}

/// SDL-17
#[tokio::test]
async fn a_softly_deleted_account_is_no_account() {
    let api = Api::new("library")
        .authenticator(Security::<Member>::new())
        .serializer::<MemberSerializer>()
        .route(login)
        .route(card);
    let app = TestApp::builder(api).accounts::<Member>().start().await;
    let draft = Draft::new()
        .with(Member::NAME, "ann".to_owned())
        .with(Member::SECRET, hash_password("\"open\"".to_owned()))
        .with(Member::IS_LIBRARIAN, false);
    let member = app.create(draft).await;
    let password = json!({"password": "open"});
    let known = app.post("/login/ann", password.clone()).await.assert_status(200);
    let token = known.json::<Value>()["token"].as_str().unwrap().to_owned();
    let cookie = known.header("set-cookie").split(';').next().unwrap();
    let (program, browser) = (app.with_token(&token), app.with_header("cookie", cookie));
    let card = format!("/members/{}/card", member.id);
    for client in [&program, &browser] {
        client.get(&card).await.assert_status(200);
    }
    let left = Draft::of(&member).with(Member::LEFT_AT, Some(now()));
    app.store().save(left).await.unwrap();
    for client in [&program, &browser] {
        client.get(&card).await.assert_status(401);
    }
    app.post("/login/ann", password).await.assert_status(401);
}

/// Starts the library with this cache or the default one, and returns the card's URL and a token of a new member.
async fn library(cache: Option<Duration>) -> (TestApp, Member, String, String) {
    let mut security = Security::<Member>::new();
    if let Some(cache) = cache {
        security = security.credential_cache(cache);
    }
    let api = Api::new("library").authenticator(security.clone()).route(card);
    let mut database = TemporaryDatabase::from_environment();
    if !database.is_postgres() {
        // A second store of a test is on the same database.
        database = TemporaryDatabase::sqlite_file();
    }
    let builder = TestApp::builder(api).accounts::<Member>().database(database);
    let app = builder.start().await;
    let mut draft = Draft::new();
    draft.set(Member::NAME, "ann".to_owned());
    draft.set(Member::SECRET, "a hash".to_owned());
    draft.set(Member::IS_LIBRARIAN, false);
    let member = app.create(draft).await;
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "card".to_owned());
    let (token, _) = security
        .issue_token(app.store(), &member, token)
        .await
        .expect("a token");
    let url = format!("/members/{}/card", member.id);
    (app, member, token, url)
}

/// LOAD-76: with a cache, repeated requests read neither credential nor account; without one, every request reads both.
/// By default there is a cache on SQLite.
#[tokio::test]
async fn a_cached_credential_is_not_read_again() {
    let by_default = if TemporaryDatabase::from_environment().is_postgres() {
        20
    } else {
        0
    };
    let caches = [
        (None, by_default),
        (Some(Duration::from_secs(60)), 0),
        (Some(Duration::ZERO), 20),
    ];
    for (cache, reads) in caches {
        let (app, _, token, url) = library(cache).await;
        let ann = app.with_token(&token);
        ann.get(&url).await.assert_status(200);
        let before = app.store().read_count();
        for _ in 0..10 {
            ann.get(&url).await.assert_status(200);
        }
        assert_eq!(app.store().read_count() - before, reads);
        // The secret is checked all the same.
        let wrong = token.replace('.', ".x");
        app.with_token(&wrong).get(&url).await.assert_status(401);
    }
}

/// LOAD-76: changes of the process invalidate a cached credential at once, also in transactions and by cascades.
#[tokio::test]
async fn changes_of_the_process_invalidate_cached_credentials_at_once() {
    let (app, member, token, url) = library(Some(Duration::from_secs(60))).await;
    let (ann, store) = (app.with_token(&token), app.store());
    ann.get(&url).await.assert_status(200);
    let mut draft = Draft::of(&member);
    draft.set(Member::NAME, "bob".to_owned());
    let member = store.save(draft).await.unwrap();
    let name = |answer: TestResponse| answer.assert_status(200).json::<Value>()["name"].clone();
    assert_eq!(name(ann.get(&url).await), "bob");

    let transaction = store.begin().await.unwrap();
    let mut draft = Draft::of(&member);
    draft.set(Member::NAME, "cal".to_owned());
    let member = transaction.save(draft).await.unwrap();
    assert_eq!(name(ann.get(&url).await), "bob");
    transaction.commit().await.unwrap();
    assert_eq!(name(ann.get(&url).await), "cal");

    let update = "UPDATE members SET name = 'dan'";
    store.execute(model_resource::Sql::new(update)).await.unwrap();
    assert_eq!(name(ann.get(&url).await), "dan");

    Security::<Member>::revoke_all(store, &member).await.unwrap();
    ann.get(&url).await.assert_status(401);
}

/// LOAD-76: changes of other processes take effect when the time of the cache is over, on SQLite at once.
#[tokio::test]
async fn changes_of_other_processes_invalidate_cached_credentials_in_time() {
    let cache = Duration::from_millis(200);
    let (app, member, token, url) = library(Some(cache)).await;
    let ann = app.with_token(&token);
    ann.get(&url).await.assert_status(200);
    let other = Store::open(&app.database().url()).await.unwrap();
    Security::<Member>::revoke_all(&other, &member).await.unwrap();
    if app.database().is_postgres() {
        tokio::time::sleep(cache).await;
    }
    ann.get(&url).await.assert_status(401);
}

/// LOAD-76: an account that becomes inactive with time is so at the next request.
#[tokio::test]
async fn an_account_that_computes_whether_it_is_active_is_asked_for_every_request() {
    static IS_OPEN: AtomicBool = AtomicBool::new(true);

    #[derive(Debug, Clone, Model)]
    struct Visitor {
        #[column(primary_key)]
        id: i64,
        #[column(unique)]
        name: String,
        #[column(hidden)]
        secret: String,
    }

    impl Account for Visitor {
        const LOGIN_NAMES: &'static [Field<Self, String>] = &[Visitor::NAME];
        const PASSWORD_HASH: Field<Self, String> = Visitor::SECRET;

        fn is_active(&self) -> bool {
            IS_OPEN.load(Ordering::Relaxed)
        }
    }

    let security = Security::<Visitor>::new();
    let api = Api::new("library").authenticator(security.clone()).route(hours);
    let app = TestApp::builder(api).accounts::<Visitor>().start().await;
    let draft = Draft::new()
        .with(Visitor::NAME, "ann".to_owned())
        .with(Visitor::SECRET, "a hash".to_owned());
    let visitor = app.create(draft).await;
    let token = Draft::new().with(AuthToken::NAME, "card".to_owned());
    let (token, _) = security.issue_token(app.store(), &visitor, token).await.unwrap();
    let ann = app.with_token(&token);
    ann.get("/hours").await.assert_status(200);
    IS_OPEN.store(false, Ordering::Relaxed);
    ann.get("/hours").await.assert_status(401);
}

#[route("/hours")]
async fn hours() -> &'static str {
    "9 to 5"
}
