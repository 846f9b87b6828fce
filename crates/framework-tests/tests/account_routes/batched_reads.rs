//! Credentials of requests that arrive at the same time, which one statement reads on PostgreSQL.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use futures_util::future::join_all;
use http::{Request, StatusCode, header};
use model_resource::{Api, Draft, Model, Store, now};
use model_resource_security::AuthToken;
use serde_json::json;
use test_support::{Client, dedicated_server};
use tokio::sync::mpsc;
use tower::ServiceExt as _;

use crate::readers::{Library, Reader, ReaderSecurity};

const STATUS: &str = "/auth/status";

/// Adds a reader, whose password is not hashed, since that takes long.
async fn add(store: &Store, card: &str) -> Reader {
    let draft = Draft::new()
        .with(Reader::CARD_NUMBER, card)
        .with(Reader::MAIL, format!("{card}@example.com"))
        .with(Reader::SECRET, "a hash");
    store.create(draft).await.unwrap()
}

/// Issues a token of a reader.
async fn issue(store: &Store, reader: &Reader) -> (String, AuthToken) {
    let draft = Draft::new().with(AuthToken::NAME, "script");
    let security = ReaderSecurity::new();
    security.issue_token(store, reader, draft).await.unwrap()
}

/// A client, and the role that it must have; none if its token must be refused.
type Expected = (Client, Option<String>);

/// Clients with the tokens of a reader: a valid one, a wrong one, and one that was revoked or has expired.
async fn clients(app: &Library, number: usize) -> Vec<Expected> {
    let (reader, role) = (
        add(&app.store, &format!("a-{number}")).await,
        format!("role-{number}"),
    );
    ReaderSecurity::grant_role(&app.store, &reader, &role)
        .await
        .unwrap();
    let (token, _) = issue(&app.store, &reader).await;
    let wrong = token.replace('.', ".x");
    let (invalid, issued) = issue(&app.store, &reader).await;
    if number.is_multiple_of(2) {
        app.store.remove(&issued).await.unwrap();
    } else {
        let expired = Draft::of(&issued).with(AuthToken::EXPIRES_AT, now());
        app.store.save(expired).await.unwrap();
    }
    let client = |token: &str| app.anonymous.with_token(token);
    vec![
        (client(&token), Some(role.clone())),
        (client(&token), Some(role)),
        (client(&wrong), None),
        (client(&invalid), None),
    ]
}

/// LOAD-100: each of many concurrent requests is answered by its own credential, account and roles.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_are_answered_by_their_own_credentials() {
    let app = Library::start().await;
    let mut expected = vec![(app.anonymous.with_token("987654321.x"), None)];
    for number in 0..8 {
        expected.extend(clients(&app, number).await);
    }
    let disabled = add(&app.store, "disabled").await;
    let (token, _) = issue(&app.store, &disabled).await;
    // Without revoking the token.
    let draft = Draft::of(&disabled).with(Reader::MAY_ENTER, false);
    app.store.save(draft).await.unwrap();
    expected.push((app.anonymous.with_token(&token), None));
    let other = add(&app.store, "password").await;
    let (token, _) = issue(&app.store, &other).await;
    let draft = Draft::of(&other).with(Reader::SECRET, "another hash");
    app.store.save(draft).await.unwrap();
    expected.push((app.anonymous.with_token(&token), None));

    for _ in 0..10 {
        let requests = expected.iter().map(async |(client, role)| match role {
            Some(role) => {
                let status = client.get(STATUS).await.expect(200).json();
                assert_eq!(status["roles"], json!([role]));
            }
            None => {
                client.get(STATUS).await.expect(401);
            }
        });
        join_all(requests).await;
    }
}

/// LOAD-100: concurrent requests need fewer statements than one after the other. On SQLite there is a cache instead.
#[tokio::test]
async fn concurrent_requests_share_statements() {
    const ROUNDS: u64 = 10;
    const CLIENTS: u64 = 32;
    let app = Library::start().await;
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let reader = add(&app.store, &format!("a-{number}")).await;
        let (token, _) = issue(&app.store, &reader).await;
        clients.push(app.anonymous.with_token(&token));
    }
    let mut statements = Vec::new();
    for _ in 0..ROUNDS {
        let before = settled_read_count(&app.store).await;
        for status in join_all(clients.iter().map(|client| client.get(STATUS))).await {
            status.expect(200);
        }
        statements.push(settled_read_count(&app.store).await - before);
    }
    // On a busy machine the requests of a round may not be concurrent.
    let fewest = statements.iter().min().unwrap();
    assert!(*fewest < CLIENTS, "{statements:?}");
    if app.database().is_postgres() {
        let before = settled_read_count(&app.store).await;
        clients[0].get(STATUS).await.expect(200);
        // The credential, the account and its roles.
        assert_eq!(settled_read_count(&app.store).await - before, 3);
    }
}

/// Returns the number of reads when it no longer grows. A batch may go on after the responses to its requests.
async fn settled_read_count(store: &Store) -> u64 {
    let mut count = store.read_count();
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let before = std::mem::replace(&mut count, store.read_count());
        if count == before {
            return count;
        }
    }
}

/// Whether a client is known. An invalid token is refused, and an invalid session ignored.
async fn is_known(client: &Client) -> bool {
    let status = client.get(STATUS).await;
    if status.status == 401 {
        return false;
    }
    let status = status.expect(200).json();
    status["authenticated"].as_bool().unwrap()
}

/// Sends requests until one is refused, which each must be that begins after the revocation. Reports the first one that
/// is accepted.
async fn until_refused(client: Client, is_revoked: Arc<AtomicBool>, accepted: mpsc::Sender<()>) {
    loop {
        let must_fail = is_revoked.load(Ordering::SeqCst);
        let is_known = is_known(&client).await;
        assert!(!(must_fail && is_known), "a revoked credential was accepted");
        if !is_known {
            return;
        }
        // Only the first report is awaited.
        accepted.try_send(()).ok();
    }
}

/// LOAD-100: a token or a session that another process revokes is refused at the next request, although many requests
/// with it are running.
#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_by_another_process_holds_for_concurrent_requests() {
    let app = Library::start().await;
    let other_process = Store::open(&app.database().url()).await.unwrap();
    let reader = add(&app.store, "a-17").await;
    for round in 0..20 {
        let client = if round % 2 == 0 {
            let (token, _) = issue(&app.store, &reader).await;
            app.anonymous.with_token(&token)
        } else {
            let security = ReaderSecurity::new();
            let session = security.issue_session(&app.store, &reader, None).await.unwrap();
            let cookie = session.cookie.to_str().unwrap().split(';').next().unwrap();
            app.anonymous.with_header("cookie", cookie)
        };
        assert!(is_known(&client).await);
        let is_revoked = Arc::new(AtomicBool::new(false));
        let mut senders = Vec::new();
        let mut accepted = Vec::new();
        for _ in 0..8 {
            let (report, reported) = mpsc::channel(1);
            let sender = until_refused(client.clone(), Arc::clone(&is_revoked), report);
            senders.push(tokio::spawn(sender));
            accepted.push(reported);
        }
        for mut sender in accepted {
            sender.recv().await.expect("a request is accepted");
        }
        ReaderSecurity::revoke_all(&other_process, &reader).await.unwrap();
        is_revoked.store(true, Ordering::SeqCst);
        for sender in senders {
            sender.await.unwrap();
        }
    }
}

/// LOAD-100: while the database is away, concurrent requests with credentials are 503; they succeed when it is back.
#[tokio::test]
async fn concurrent_requests_are_503_while_the_database_is_away() {
    // SQLite has no server to stop.
    let Some(server) = dedicated_server(Path::new(env!("CARGO_TARGET_TMPDIR"))) else {
        return;
    };
    // All requests connect at once, which takes long on a busy machine.
    let url = format!("{}?connect_timeout=30", server.url());
    let store = Store::open(&url).await.unwrap();
    let mut tables = vec![Reader::table()];
    tables.extend(ReaderSecurity::tables());
    store.create_tables(&tables).await.unwrap();
    let reader = add(&store, "a-17").await;
    let (token, _) = issue(&store, &reader).await;
    let security = Api::new("library").authenticator(ReaderSecurity::new());
    let api = security.register(ReaderSecurity::routes());
    let app = api.store(store).init_app(axum::Router::new());
    let status = async || {
        let request = Request::get(STATUS)
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, format!("Bearer {token}"));
        let reply = app.clone().oneshot(request.body(Body::empty()).unwrap());
        reply.await.unwrap().status()
    };
    let all_are = async |expected: StatusCode| {
        let replies = join_all((0..32).map(|_| status())).await;
        assert_eq!(replies, [expected; 32]);
    };
    for _ in 0..2 {
        all_are(StatusCode::OK).await;
        server.stop().unwrap();
        all_are(StatusCode::SERVICE_UNAVAILABLE).await;
        server.resume().unwrap();
    }
    all_are(StatusCode::OK).await;
}
