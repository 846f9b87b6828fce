//! Load and faults.

use std::sync::Arc;
use std::time::{Duration, Instant};

use backend::api::{
    Api, Context, Draft, Errors, GET, MethodDecorators, ModelResource, ModelSerializer, Next, Reply, Result,
};
use model_resource::{Declare, Model, Onto, Server, model_resource, serializer};
use serde_json::json;

use crate::support::{Client, Database, Log, Process, Raw, TestApp, rows};

/// Makes a list of articles that no socket buffers whole.
async fn long_list(client: &Client) {
    let body = "x".repeat(100_000);
    for number in 0..120 {
        let article = json!({"title": format!("Article {number}"), "body": body});
        client.post("/api/v1/articles", article).await.expect(201);
    }
}

/// Of many who want the same unique value at once, one gets it and the others are told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_creates_of_one_unique_value_at_once_make_one_row() {
    let app = Arc::new(TestApp::start().await);
    for (url, body, field) in [
        ("/api/v1/tags", json!({"tag": {"name": "one"}}), "name"),
        ("/api/v1/categories", json!({"name": "One"}), "name"),
        (
            "/api/v1/auth/users",
            json!({"email": "one@example.com", "password": "correct horse"}),
            "email",
        ),
    ] {
        let tasks: Vec<_> = (0..50)
            .map(|number| {
                let (app, mut body) = (Arc::clone(&app), body.clone());
                if field == "email" {
                    body["username"] = format!("user{number}").into();
                }
                tokio::spawn(async move { app.post(url, body).await })
            })
            .collect();
        let mut created = 0;
        for task in tasks {
            let answer = task.await.unwrap();
            if answer.status == 201 {
                created += 1;
            } else {
                let errors = answer.expect(400).json();
                assert!(errors["errors"][field].is_array(), "{errors}");
            }
        }
        assert_eq!(created, 1, "{url}");
    }
    assert_eq!(
        app.get("/api/v1/categories")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

/// A client that hardly reads is cut off, and others do not notice.
#[tokio::test]
async fn a_reader_of_one_byte_at_a_time_is_cut_off_and_others_are_unaffected() {
    let app = TestApp::start_on(Server::default().write_limit(Duration::from_secs(1))).await;
    long_list(&app).await;
    let whole = app.get("/api/v1/articles").await.expect(200).body.len();
    let mut slow = Raw::connect_narrow(app.address).await;
    slow.send("GET /api/v1/articles HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    for _ in 0..20 {
        slow.read(1).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        let started = Instant::now();
        app.get("/api/v1/articles/1").await.expect(200);
        assert!(
            started.elapsed() < Duration::from_secs(2),
            "{:?}",
            started.elapsed()
        );
    }
    let received = slow.read_to_end().await;
    assert!(received.len() < whole, "the list was sent to its end");
    assert!(
        !received.ends_with("0\r\n\r\n"),
        "the list must not look complete"
    );
}

/// Clients that go away in the middle of a list take nothing with them, and what they wrote is not half there.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_go_away_in_the_middle_leave_everything_usable() {
    let app = TestApp::start().await;
    long_list(&app).await;
    let whole = app.get("/api/v1/articles").await.expect(200).body;
    for round in 0..5 {
        // More than there are connections to the database, or threads that read.
        for _ in 0..20 {
            let mut gone = Raw::connect_narrow(app.address).await;
            gone.send("GET /api/v1/articles HTTP/1.1\r\nHost: x\r\n\r\n")
                .await
                .unwrap();
            assert!(gone.read_head().await.starts_with("HTTP/1.1 200 "));
            gone.read(1000).await;
        }
        for number in 0..20 {
            let mut gone = Raw::connect(app.address).await;
            let body = format!(r#"{{"name": "Gone {round} {number}"}}"#);
            let head = "POST /api/v1/categories HTTP/1.1\r\nHost: x\r\nContent-Type: application/json";
            gone.send(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()))
                .await
                .unwrap();
        }
        assert_eq!(app.get("/api/v1/articles").await.expect(200).body, whole);
        let name = format!("Category {round}");
        app.post("/api/v1/categories", json!({"name": name}))
            .await
            .expect(201);
    }
    let categories = app.get("/api/v1/categories").await.expect(200).json();
    for category in categories.as_array().unwrap() {
        let url = format!("/api/v1/categories/{}", category["id"]);
        app.get(&url).await.expect_json(200, category.clone());
    }
}

/// Clients that begin a request and do not go on hold up nobody, and are ended.
#[tokio::test]
async fn slow_headers_are_timed_out_and_others_are_unaffected() {
    let app = TestApp::start_on(Server::default().header_limit(Duration::from_secs(1))).await;
    let mut slow = Vec::new();
    for _ in 0..200 {
        let mut raw = Raw::connect(app.address).await;
        raw.send("GET /api/v1/categories HTTP/1.1\r\nHos").await.unwrap();
        slow.push(raw);
    }
    let started = Instant::now();
    app.get("/api/v1/categories").await.expect(200);
    assert!(started.elapsed() < Duration::from_secs(2));
    for raw in &mut slow {
        let answer = raw.read_to_end().await;
        assert!(!answer.contains(" 200 "), "{answer}");
    }
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "{:?}",
        started.elapsed()
    );
}

/// A signal does not cut off a response that is on its way.
#[tokio::test]
async fn sigterm_during_a_slow_response_lets_it_finish_and_exits_with_0() {
    let database = Database::fresh();
    let mut process = Process::start(&database);
    long_list(&process.client).await;
    let mut slow = Raw::connect_narrow(process.address).await;
    slow.send("GET /api/v1/articles HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    assert!(slow.read_head().await.starts_with("HTTP/1.1 200 "));
    process.signal("TERM");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(
        process.child.try_wait().unwrap().is_none(),
        "the response is not waited for"
    );
    let rest = slow.read_to_end().await;
    assert!(rest.ends_with("]\r\n0\r\n\r\n"), "the list was cut off");
    let (status, log) = process.wait();
    assert_eq!(status.code(), Some(0), "{log}");
}

/// Rows that make every part of the application's own code panic.
#[derive(Debug, Clone, Model)]
#[model(table = "bombs")]
struct Bomb {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct BombSerializer;

#[serializer]
impl ModelSerializer for BombSerializer {
    type Model = Bomb;

    fn declare(fields: Declare<Bomb>) -> Declare<Bomb> {
        fields.computed("length", |bomb: &Bomb| {
            assert!(bomb.name != "computed", "a computed field panics");
            bomb.name.len()
        })
    }

    fn validate(draft: &Draft<Bomb>, _: Onto, _: &mut Errors) {
        assert!(
            draft.get(Bomb::NAME).as_deref() != Some("validate"),
            "a check panics"
        );
    }
}

struct BombResource;

#[model_resource(Bomb, "/bombs", "/bombs/<int:id>")]
impl ModelResource for BombResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(GET, panic_on_request)
    }

    async fn put(_cx: Context, bomb: Draft<Bomb>, _errors: Errors) -> Result<Reply> {
        panic!("an operation panics at {:?}", bomb.get(Bomb::NAME))
    }
}

async fn panic_on_request(cx: Context, next: Next) -> Result<Reply> {
    assert!(cx.query("panic").is_none(), "a decorator panics");
    next.run(cx).await
}

/// Wherever the application's own code panics, one request is a 500 and the process lives.
#[tokio::test]
async fn a_panic_in_a_handler_is_a_500_and_the_process_lives() {
    let api = Api::new("bombs")
        .serializer::<BombSerializer>()
        .model_resource::<BombResource>();
    let app = TestApp::with_api(api).await;
    let fine = json!({"id": 1, "name": "fine", "length": 4});
    app.post("/bombs", json!({"name": "fine"})).await.expect(201);
    for _ in 0..10 {
        let before = rows(&app.database());
        for answer in [
            app.get("/bombs/1?panic=1").await,
            app.put("/bombs/1", json!({"name": "x"})).await,
            app.patch("/bombs/1", json!({"name": "validate"})).await,
            app.post("/bombs", json!({"name": "validate"})).await,
        ] {
            let answer = answer.expect(500);
            assert_eq!(answer.json()["message"], "Internal Server Error");
            assert!(!answer.text().contains("panic"), "{}", answer.text());
        }
        assert_eq!(rows(&app.database()), before);
        app.get("/bombs/1").await.expect_json(200, fine.clone());
    }
    crate::support::execute(&app.database(), "INSERT INTO bombs (name) VALUES ('computed')");
    for _ in 0..10 {
        app.get("/bombs").await.expect(500);
        app.get("/bombs/2").await.expect(500);
        app.get("/bombs/1").await.expect_json(200, fine.clone());
    }
    app.delete("/bombs/2").await.expect(204);
    app.get("/bombs").await.expect_json(200, json!([fine]));
}

/// While another program holds the database, all who wait are told so together, and then it works again by itself.
#[tokio::test]
async fn a_database_that_is_gone_in_the_middle_is_a_503_and_recovers_by_itself() {
    let app = Arc::new(TestApp::start().await);
    let before = rows(&app.database());
    let lock = app.database().lock(&["categories"]);
    let started = Instant::now();
    let tasks: Vec<_> = (0..30)
        .map(|number| {
            let app = Arc::clone(&app);
            let body = json!({"name": format!("Category {number}")});
            tokio::spawn(async move { app.post("/api/v1/categories", body).await })
        })
        .collect();
    for task in tasks {
        let answer = task.await.unwrap().expect(503);
        assert_eq!(answer.header("retry-after"), "1");
    }
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "they wait one after the other"
    );
    lock.release();
    assert_eq!(rows(&app.database()), before);
    app.post("/api/v1/categories", json!({"name": "Rust"}))
        .await
        .expect(201);
    app.get("/healthz").await.expect(200);
}

/// Does everything that has to do with secrets, and gives those secrets.
async fn use_secrets(client: &Client) -> Vec<String> {
    let passwords = ["secret-horse-4715", "secret-horse-4716", "secret-horse-4717"];
    let account = json!({"email": "ann@example.com", "username": "ann", "password": passwords[0]});
    client
        .post("/api/v1/auth/users", account.clone())
        .await
        .expect(201);
    client.post("/api/v1/auth/users", account).await.expect(400);
    let login = |password: &str| json!({"email": "ann", "password": password});
    let answer = client
        .post("/api/v1/auth/login", login(passwords[0]))
        .await
        .expect(200);
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    client
        .post("/api/v1/auth/login", login(passwords[1]))
        .await
        .expect(401);
    client
        .post("/api/v1/auth/login", json!({"email": passwords[1]}))
        .await
        .expect(400);
    let own = client.with_token(&token);
    own.get("/api/v1/auth/status").await.expect(200);
    own.patch("/api/v1/auth/users/1", json!({"passwordHash": passwords[1]}))
        .await
        .expect(400);
    own.patch("/api/v1/auth/users/1", json!({"password": passwords[2]}))
        .await
        .expect(200);
    own.get("/api/v1/auth/status").await.expect(401);
    client
        .with_header("authentication-token", &token)
        .get("/api/v1/auth/status")
        .await
        .expect(401);
    let mut secrets: Vec<String> = passwords.map(str::to_owned).to_vec();
    secrets.push(token.split_once('.').unwrap().1.to_owned());
    secrets.push("$argon2".to_owned());
    secrets
}

/// However much is logged, no secret is.
#[tokio::test]
async fn logs_hold_no_password_token_or_hash() {
    let log = Log::start();
    let app = TestApp::start().await;
    let mut secrets = use_secrets(&app).await;
    assert!(log.text().contains("/api/v1/auth/login"), "the log is kept");

    let database = Database::fresh();
    let mut process = Process::start_logging(&database, "trace");
    secrets.extend(use_secrets(&process.client).await);
    process.signal("TERM");
    let (_, written) = process.wait();
    assert!(written.contains("/api/v1/auth/login"), "{written}");
    for secret in secrets {
        assert!(!log.text().contains(&secret), "the log shows {secret}");
        assert!(!written.contains(&secret), "the log shows {secret}");
    }
}
