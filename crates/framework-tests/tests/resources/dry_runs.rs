//! Dry runs: requests with `Prefer: dry-run`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, header};
use model_resource::{
    Api, CREATE, Caller, Context, DELETE, Draft, MethodDecorators, Model, ModelPolicy, ModelResource,
    Operations, PATCH, PUT, Rate, Reply, Result, Where, model_resource, route, throttle,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "rooms")]
struct Room {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 1)]
    name: String,
    #[column(default = 1, min = 1)]
    beds: i64,
}

struct RoomResource;

#[model_resource(Room, "/rooms", "/rooms/<int:id>")]
impl ModelResource for RoomResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
}

#[derive(Debug, Clone, Model)]
#[model(table = "stays")]
struct Stay {
    #[column(primary_key)]
    id: i64,
    #[column(references = Room)]
    room_id: i64,
    guest: String,
}

struct StayResource;

#[model_resource(Stay, "/rooms/<int:room_id>/stays", "/stays/<int:id>")]
impl ModelResource for StayResource {
    const REQUIRE_IDEMPOTENCY_KEY: bool = true;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(PATCH, throttle(Rate::per_hour(2)).named("stays"))
    }
}

/// Guests change their own stays, and may not give them to others.
struct StayPolicy;

impl ModelPolicy for StayPolicy {
    type Model = Stay;

    fn visible(caller: &Caller) -> Where<Stay> {
        match caller.key_text() {
            Some(key) => Stay::GUEST.eq(key),
            None => Where::none(),
        }
    }

    fn updatable(caller: &Caller) -> Where<Stay> {
        Self::visible(caller)
    }

    fn writable(caller: &Caller) -> Where<Stay> {
        Self::visible(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

/// Effects of handlers outside of the database.
#[derive(Clone, Default)]
struct Effects(Arc<AtomicUsize>);

/// Writes in several ways, and announces it.
#[route("/renovations", methods = [POST])]
async fn renovate(mut cx: Context) -> Result<Reply> {
    let effects = cx.state::<Effects>().unwrap().clone();
    let late = cx.store_unchecked().clone();
    cx.begin().await?;
    let room = cx
        .store_unchecked()
        .create(Draft::new().with(Room::NAME, "first".to_owned()))
        .await?;
    let counted = effects.clone();
    cx.after_commit(async move {
        counted.0.fetch_add(1, Ordering::SeqCst);
    });
    cx.commit().await?;
    let counted = effects.clone();
    cx.after_commit(async move {
        counted.0.fetch_add(1, Ordering::SeqCst);
    });
    if !cx.is_dry_run() {
        effects.0.fetch_add(1, Ordering::SeqCst);
    }
    let name = format!("{} again", room.name);
    let again = cx
        .store_unchecked()
        .create(Draft::new().with(Room::NAME, name))
        .await?;
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let draft = Draft::new().with(Room::NAME, "late".to_owned());
        late.create(draft).await.ok();
    });
    let reply = Reply::json(&json!({"name": again.name}))?;
    Ok(reply.with_header(header::SET_COOKIE, HeaderValue::from_static("session=1")))
}

fn api(effects: &Effects) -> Api {
    Api::new("hotel")
        .anonymous_write_rate(None)
        .authenticator(HeaderAuthenticator)
        .model_resource::<RoomResource>()
        .model_resource::<StayResource>()
        .policy::<StayPolicy>()
        .route(renovate)
        .with_state(effects.clone())
}

/// Starts the api with four rooms and a stay of the caller 7.
async fn hotel() -> (TestApp, Effects) {
    let effects = Effects::default();
    let app = TestApp::with_api(api(&effects)).await;
    let rooms = json!([{"name": "red", "beds": 2}, {"name": "blue"}, {"name": "white"}, {"name": "black"}]);
    app.post("/rooms", rooms).await.expect(201);
    let stay = keyed(&app, "stay").as_caller("7");
    let stay = stay.post("/rooms/1/stays", json!({"guest": "7"})).await;
    stay.expect(201);
    (app, effects)
}

fn keyed(client: &Client, key: &str) -> Client {
    client.with_header("idempotency-key", key)
}

fn dry(client: &Client) -> Client {
    client.with_header("prefer", "dry-run")
}

/// DRY-1: the answer is that of the write, which comes afterwards.
#[tokio::test]
async fn a_dry_run_is_answered_like_the_write_and_writes_nothing() {
    let (app, _) = hotel().await;
    let csv = |text: &'static str| Some(("text/csv", Bytes::from_static(text.as_bytes())));
    let object = |value: Value| Some(("application/json", Bytes::from(value.to_string())));
    let requests = [
        (Method::POST, "/rooms", object(json!({"name": "green"})), 201),
        (
            Method::PUT,
            "/rooms/2",
            object(json!({"name": "navy", "beds": 3})),
            200,
        ),
        (Method::PATCH, "/rooms/2", object(json!({"beds": 4})), 200),
        (
            Method::POST,
            "/rooms",
            object(json!([{"name": "a"}, {"name": "b"}])),
            201,
        ),
        (Method::POST, "/rooms", csv("name,beds\nc,1\nd,2\n"), 201),
        (
            Method::PATCH,
            "/rooms",
            object(json!([{"id": 1, "beds": 5}, {"id": 2, "beds": 6}])),
            200,
        ),
        (Method::DELETE, "/rooms?id=2&id=3", None, 204),
        (Method::DELETE, "/rooms/4", None, 204),
        (Method::POST, "/rooms", object(json!({"name": "red"})), 400),
        (
            Method::POST,
            "/rooms",
            object(json!({"name": "", "beds": 0})),
            400,
        ),
        (
            Method::PATCH,
            "/rooms",
            object(json!([{"id": 1, "beds": 5}, {"id": 99, "beds": 6}])),
            404,
        ),
        (Method::DELETE, "/rooms/1", None, 409),
        (Method::DELETE, "/rooms/99", None, 404),
        (Method::POST, "/rooms", object(json!("text")), 400),
    ];
    for (method, url, body, status) in requests {
        let before = app.database().rows();
        let rehearsed = dry(&app)
            .send(method.clone(), url, body.clone())
            .await
            .expect(status);
        assert_eq!(app.database().rows(), before, "{method} {url}");
        assert_eq!(rehearsed.header("preference-applied"), "dry-run");
        for absent in ["location", "etag"] {
            assert!(!rehearsed.headers.contains_key(absent), "{method} {url} {absent}");
        }
        let written = app.send(method.clone(), url, body).await.expect(status);
        let (mut rehearsed, mut written) = (rehearsed.text(), written.text());
        if app.database().is_postgres() {
            // PostgreSQL does not give a number twice.
            (rehearsed, written) = (without_ids(&rehearsed), without_ids(&written));
        }
        assert_eq!(rehearsed, written, "{method} {url}");
    }
}

fn without_ids(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap_or_default();
    let objects = match &mut value {
        Value::Array(objects) => objects.iter_mut().collect(),
        object => vec![object],
    };
    for object in objects {
        if let Some(object) = object.as_object_mut() {
            object.remove("id");
        }
    }
    value.to_string()
}

/// DRY-1: other preferences still count, and reads ignore this one.
#[tokio::test]
async fn a_dry_run_honours_other_preferences() {
    let (app, _) = hotel().await;
    let before = app.database().rows();
    let minimal = app
        .client
        .with_header("prefer", "dry-run, return=minimal, wait=5");
    let patched = minimal.patch("/rooms/1", json!({"beds": 3})).await.expect(204);
    let applied = patched.headers.get_all("preference-applied").iter();
    let mut applied: Vec<&str> = applied.map(|value| value.to_str().unwrap()).collect();
    applied.sort_unstable();
    assert_eq!(applied, ["dry-run", "return=minimal", "wait=5"]);
    let strict = app.client.with_header("prefer", "handling=strict, dry-run");
    strict
        .post("/rooms", json!({"id": 5, "name": "x"}))
        .await
        .expect(400);
    let few = app.client.with_header("prefer", "max-affected=1, dry-run");
    let two = json!([{"id": 1, "beds": 5}, {"id": 2, "beds": 6}]);
    few.patch("/rooms", two).await.expect(400);
    let stale = dry(&app).with_header("if-match", "\"0\"");
    stale.patch("/rooms/1", json!({"beds": 3})).await.expect(412);
    let read = dry(&app).get("/rooms/1").await.expect(200);
    assert!(!read.headers.contains_key("preference-applied"));
    assert!(read.headers.contains_key("etag"));
    assert_eq!(app.database().rows(), before);
}

/// DRY-2: everything that a handler writes through its context is undone, and nothing is announced.
#[tokio::test]
async fn the_writes_of_a_handler_are_undone() {
    let (app, effects) = hotel().await;
    let before = app.database().rows();
    let rehearsed = dry(&app).post("/renovations", json!({})).await.expect(200);
    assert_eq!(rehearsed.json(), json!({"name": "first again"}));
    assert_eq!(rehearsed.header("preference-applied"), "dry-run");
    assert!(!rehearsed.headers.contains_key("set-cookie"));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(app.database().rows(), before);
    assert_eq!(effects.0.load(Ordering::SeqCst), 0);

    let written = app.post("/renovations", json!({})).await.expect(200);
    assert!(written.headers.contains_key("set-cookie"));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(effects.0.load(Ordering::SeqCst), 3);
    let late: i64 = app
        .database()
        .value("SELECT count(*) FROM rooms WHERE name = 'late'");
    assert_eq!(late, 1);
    // A dry run that the write would make impossible.
    dry(&app).post("/renovations", json!({})).await.expect(400);
}

/// DRY-3: no response is stored with the key.
#[tokio::test]
async fn a_dry_run_leaves_its_idempotency_key_unused() {
    let (app, _) = hotel().await;
    let guest = app.client.as_caller("7");
    let stay = json!({"guest": "7"});
    dry(&guest).post("/rooms/1/stays", stay.clone()).await.expect(400);
    let before = app.database().rows();
    for _ in 0..2 {
        let rehearsed = dry(&keyed(&guest, "k"))
            .post("/rooms/1/stays", stay.clone())
            .await;
        assert!(!rehearsed.expect(201).headers.contains_key("idempotency-replayed"));
    }
    dry(&keyed(&guest, "two words"))
        .post("/rooms/1/stays", stay.clone())
        .await
        .expect(400);
    assert_eq!(app.database().rows(), before);
    let written = keyed(&guest, "k")
        .post("/rooms/1/stays", stay.clone())
        .await
        .expect(201);
    assert!(!written.headers.contains_key("idempotency-replayed"));
    let rehearsed = dry(&keyed(&guest, "k"))
        .post("/rooms/1/stays", stay.clone())
        .await;
    assert!(!rehearsed.expect(201).headers.contains_key("idempotency-replayed"));
    let again = keyed(&guest, "k").post("/rooms/1/stays", stay).await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.text(), written.text());
}

/// DRY-4: a dry run shows and allows what the write does, and not more.
#[tokio::test]
async fn the_policies_and_limits_of_the_write_apply() {
    let (app, _) = hotel().await;
    let before = app.database().rows();
    let (guest, other) = (keyed(&app, "1").as_caller("7"), keyed(&app, "2").as_caller("8"));
    for (client, url, body, status) in [
        (&other, "/stays/1", json!({"guest": "8"}), 404),
        (&guest, "/stays/1", json!({"guest": "8"}), 403),
        (&guest, "/stays/1", json!({"roomId": 99}), 429),
    ] {
        dry(client).patch(url, body).await.expect(status);
    }
    let anonymous = dry(&keyed(&app, "3"));
    anonymous
        .post("/rooms/1/stays", json!({"guest": "7"}))
        .await
        .expect(401);
    assert_eq!(app.database().rows(), before);
}

/// DRY-1: constraints that the schema defers to the commit are checked, where the database can do that.
#[tokio::test]
async fn deferred_constraints_are_checked() {
    let (app, _) = hotel().await;
    let database = app.database();
    if !database.is_postgres() {
        return;
    }
    database.execute(
        "ALTER TABLE rooms ADD CONSTRAINT deferred_beds FOREIGN KEY (beds) REFERENCES rooms (id) DEFERRABLE INITIALLY DEFERRED NOT VALID",
    );
    let before = database.rows();
    for client in [dry(&app), app.client.clone()] {
        let refused = client.patch("/rooms/1", json!({"beds": 9})).await;
        assert!(refused.status.is_client_error(), "{}", refused.text());
        assert_eq!(database.rows(), before);
    }
}

/// DRY-5: dry runs and writes at the same time do not disturb each other.
#[tokio::test]
async fn dry_runs_and_writes_run_side_by_side() {
    let (app, _) = hotel().await;
    let mut tasks = Vec::new();
    for number in 0..40 {
        let (rehearsing, writing) = (dry(&app), app.client.clone());
        tasks.push(tokio::spawn(async move {
            let name = format!("room {number}");
            rehearsing
                .post("/rooms", json!({"name": "same"}))
                .await
                .expect(201);
            writing.post("/rooms", json!({"name": name})).await.expect(201);
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let rooms: i64 = app.database().value("SELECT count(*) FROM rooms");
    assert_eq!(rooms, 44);
}

#[route("/pings", methods = [POST])]
async fn ping() -> Value {
    json!("pong")
}

/// DRY-2: without a database nothing can be undone.
#[tokio::test]
async fn a_dry_run_needs_a_database() {
    let app = TestApp::with_router(&[], |_| Api::new("pings").route(ping).into_router()).await;
    app.post("/pings", json!({})).await.expect(200);
    let refused = dry(&app).post("/pings", json!({})).await.expect(400);
    assert!(refused.text().contains("dry-run"));
}
