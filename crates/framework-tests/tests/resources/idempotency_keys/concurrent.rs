use std::time::Duration;

use axum::Router;
use futures_util::future::join_all;
use serde_json::{Value, json};
use test_support::{Client, Response, TestApp};

use super::{HELD, RELEASED, api, balance, keyed, served};

/// Sends a request again while others with its key take longer than it may wait, as on a busy machine.
async fn answered(client: &Client, url: &str, body: Value) -> Response {
    loop {
        let response = client.post(url, body.clone()).await;
        if response.status != 409 {
            return response;
        }
        assert_eq!(response.header("retry-after"), "1");
    }
}

/// IDM-7
#[tokio::test]
async fn of_a_hundred_parallel_requests_with_one_key_one_writes() {
    let app = served().await;
    let client = keyed(&app, "1");
    let created = join_all((0..100).map(|_| answered(&client, "/accounts", json!({"name": "Bob"})))).await;
    let client = keyed(&app, "2");
    let deposited = join_all((0..100).map(|_| answered(&client, "/deposit/plain", json!({})))).await;
    for (responses, status) in [(created, 201), (deposited, 200)] {
        let bodies: Vec<_> = responses.iter().map(|response| &response.body).collect();
        assert!(
            responses.iter().all(|response| response.status == status),
            "{responses:?}"
        );
        assert!(bodies.iter().all(|body| *body == bodies[0]));
        let replayed = |response: &&Response| response.headers.contains_key("idempotency-replayed");
        assert_eq!(responses.iter().filter(replayed).count(), 99);
    }
    assert_eq!(app.get("/accounts").await.json().as_array().unwrap().len(), 2);
    assert_eq!(balance(&app).await, 101);
}

/// IDM-7
#[tokio::test]
async fn two_processes_write_once() {
    let app = served().await;
    let store = model_resource::Store::open(&app.database().url()).await.unwrap();
    let service = api().store(store.clone()).init_app(Router::new());
    let other = TestApp::serve(app.database(), store, service, model_resource::Server::default()).await;
    for round in 0..20 {
        let (one, two) = (keyed(&app, &round.to_string()), keyed(&other, &round.to_string()));
        let responses = join_all((0..10).map(|number| {
            let client = if number % 2 == 0 { &one } else { &two };
            client.post("/deposit/plain", json!({}))
        }))
        .await;
        let expected = json!({ "balance": 101 + round });
        for response in responses {
            assert_eq!(response.expect(200).json(), expected);
        }
    }
}

/// IDM-7
#[tokio::test]
async fn a_repetition_waits_for_the_first_request_and_is_refused_if_that_takes_too_long() {
    let app = served().await;
    let client = keyed(&app, "1");
    let (first, second) = tokio::join!(
        client.post("/deposit/slow", json!({})),
        client.post("/deposit/slow", json!({})),
    );
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (200, 200));
    assert_eq!(first.body, second.body);
    assert_eq!(balance(&app).await, 101);

    let app = TestApp::with_api(api().timeout(Duration::from_secs(3))).await;
    app.post("/accounts", json!({"name": "Ann", "balance": 100}))
        .await
        .expect(201);
    let client = keyed(&app, "1");
    let (first, second) = tokio::join!(
        client.post("/deposit/stuck", json!({})),
        client.post("/deposit/stuck", json!({})),
    );
    let (refused, stuck) = if first.status == 409 {
        (first, second)
    } else {
        (second, first)
    };
    assert_eq!(refused.expect(409).header("retry-after"), "1");
    assert!(matches!(stuck.status.as_u16(), 408 | 503), "{stuck:?}");
    assert_eq!(balance(&app).await, 100);
}

/// IDM-7, END-14: a repetition is refused before the end of the time that its client waits.
#[tokio::test]
async fn a_repetition_waits_no_longer_than_its_client() {
    let app = TestApp::with_api(api().timeout(Duration::from_secs(3600))).await;
    app.post("/accounts", json!({"name": "Ann", "balance": 100}))
        .await
        .expect(201);
    let client = keyed(&app, "1");
    let first = {
        let client = client.clone();
        tokio::spawn(async move { client.post("/deposit/held", json!({})).await })
    };
    HELD.acquire().await.unwrap().forget();
    // Without the preference it would wait for ten seconds, and the answer after five would be a 408.
    let hurried = client.with_header("prefer", "wait=5");
    let refused = hurried.post("/deposit/held", json!({})).await.expect(409);
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(refused.header("preference-applied"), "wait=5");
    assert_eq!(balance(&app).await, 100);
    RELEASED.add_permits(1);
    let first = first.await.unwrap().expect(200);
    let replayed = hurried.post("/deposit/held", json!({})).await.expect(200);
    assert_eq!(replayed.header("idempotency-replayed"), "true");
    assert_eq!(replayed.body, first.body);
    assert_eq!(balance(&app).await, 101);
    // Of a first request, too, all is undone after the time.
    let hurried = keyed(&app, "2").with_header("prefer", "wait=1");
    let late = hurried.post("/deposit/stuck", json!({})).await.expect(408);
    assert_eq!(late.header("preference-applied"), "wait=1");
    assert_eq!(balance(&app).await, 101);
    keyed(&app, "2")
        .post("/deposit/plain", json!({}))
        .await
        .expect_json(200, json!({"balance": 102}));
}
