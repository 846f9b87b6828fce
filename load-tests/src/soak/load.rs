//! Clients of the load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::Client;
use crate::failure::Failure;
use crate::seed::{PASSWORD, Seed, USERS};
use crate::soak::answers::Recorder;
use crate::soak::broken_clients;

/// Kind of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Get,
    List,
    Comments,
    Filter,
    Export,
    /// Creates, changes and deletes a row, so that their number stays the same.
    Write,
    /// Creates, changes and deletes several rows, each in one request.
    BulkWrite,
    /// Logs in and out.
    Login,
    FailedLogin,
    SlowReader,
    Aborted,
}

impl Work {
    /// Clients of each kind, and the pause of each between two requests. Together they take about half of a processor.
    const CLIENTS: [(Self, u64, Duration); 11] = [
        (Self::Get, 2, Duration::from_millis(20)),
        (Self::List, 1, Duration::from_millis(50)),
        (Self::Comments, 1, Duration::from_millis(50)),
        (Self::Filter, 2, Duration::from_millis(200)),
        (Self::Export, 1, Duration::from_millis(500)),
        (Self::Write, 2, Duration::from_millis(30)),
        (Self::BulkWrite, 1, Duration::from_millis(200)),
        (Self::Login, 1, Duration::from_millis(700)),
        (Self::FailedLogin, 1, Duration::from_millis(700)),
        (Self::SlowReader, 4, Duration::from_millis(500)),
        (Self::Aborted, 2, Duration::from_millis(200)),
    ];
}

/// A client of the load.
#[derive(Clone)]
struct LoadClient {
    /// Client with the rights of an admin.
    admin: Client,
    articles: u64,
    recorder: Arc<Recorder>,
    /// Number of the request, for its key, its names and its address.
    number: Arc<AtomicU64>,
}

/// Running clients.
pub(crate) struct Load {
    clients: JoinSet<()>,
    is_over: Arc<AtomicBool>,
}

impl Load {
    pub(crate) fn start(client: &Client, seed: &Seed, recorder: &Arc<Recorder>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let number = Arc::new(AtomicU64::new(0));
        let mut clients = JoinSet::new();
        for (work, count, pause) in Work::CLIENTS {
            for _ in 0..count {
                let client = LoadClient {
                    admin: client.apart().with_token(&seed.token),
                    articles: seed.articles,
                    recorder: Arc::clone(recorder),
                    number: Arc::clone(&number),
                };
                let is_over = Arc::clone(&is_over);
                clients.spawn(async move {
                    while !is_over.load(Ordering::Relaxed) {
                        client.run(work).await;
                        tokio::time::sleep(pause).await;
                    }
                });
            }
        }
        Self { clients, is_over }
    }

    /// Ends the load when the running requests have ended.
    pub(crate) async fn end(self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.clients.join_all().await;
    }
}

impl LoadClient {
    async fn run(&self, work: Work) {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        // Spread over all rows.
        let key = number * 7919 % self.articles + 1;
        match work {
            Work::Get => self.get("get", &format!("/api/v1/articles/{key}")).await,
            Work::List => self.get("list", "/api/v1/articles?limit=20").await,
            Work::Comments => {
                let path = format!("/api/v1/articles/{key}/comments");
                self.get("list of comments", &path).await;
            }
            Work::Filter => {
                let path = format!("/api/v1/articles?body[contains]=about {key}&sort=-rating&limit=20");
                self.get("filter", &path.replace(' ', "%20")).await;
            }
            Work::Export => self.get("export", "/api/v1/articles?format=csv").await,
            Work::Write => self.write(number).await,
            Work::BulkWrite => self.write_several(number).await,
            Work::Login => self.log_in(number).await,
            Work::FailedLogin => {
                let anyone = self.admin.clone().at_address(number);
                let body = json!({"email": format!("nobody{number}"), "password": "a wrong one"});
                let path = "/api/v1/auth/login";
                self.record("failed login", anyone.send_json(Method::POST, path, body))
                    .await;
            }
            Work::SlowReader => {
                broken_clients::read_slowly(self.admin.address()).await.ok();
            }
            Work::Aborted => {
                broken_clients::abort(self.admin.address(), number).await.ok();
            }
        }
    }

    async fn get(&self, work: &'static str, path: &str) {
        self.record(work, self.admin.get(path)).await;
    }

    async fn write(&self, number: u64) {
        let body = json!({"title": format!("Soak {number}"), "body": "A text.", "published": true});
        let created = self.send("create", Method::POST, "/api/v1/articles", body).await;
        let Some(id) = created["id"].as_i64() else { return };
        let path = format!("/api/v1/articles/{id}");
        let body = json!({"summary": format!("Summary {number}")});
        self.send("patch", Method::PATCH, &path, body).await;
        self.record("delete", self.admin.delete(&path)).await;
    }

    async fn write_several(&self, number: u64) {
        let names = (0..10).map(|tag| json!({"name": format!("soak-{number}-{tag}")}));
        let body = json!({"tags": names.collect::<Vec<_>>()});
        let created = self.send("bulk create", Method::POST, "/api/v1/tags", body).await;
        let tags = created["tags"].as_array().map_or(&[][..], Vec::as_slice);
        let keys: Vec<String> = tags.iter().map(|tag| format!("id={}", tag["id"])).collect();
        if !keys.is_empty() {
            let path = format!("/api/v1/tags?{}", keys.join("&"));
            self.record("bulk delete", self.admin.delete(&path)).await;
        }
    }

    async fn log_in(&self, number: u64) {
        let anyone = Client::new(self.admin.address()).at_address(number);
        let name = format!("user{}", number % USERS);
        let body = json!({"email": name, "password": PASSWORD, "credential": "token"});
        let response = anyone.send_json(Method::POST, "/api/v1/auth/login", body);
        let response = self.record("login", response).await;
        if let Some(token) = response["token"].as_str() {
            let user = anyone.with_token(token);
            let path = "/api/v1/auth/logout";
            self.record("logout", user.send_json(Method::POST, path, json!({})))
                .await;
        }
    }

    async fn send(&self, work: &'static str, method: Method, path: &str, body: Value) -> Value {
        self.record(work, self.admin.send_json(method, path, body)).await
    }

    /// Records the response to a request and returns its body, null if it is not JSON.
    async fn record(
        &self,
        work: &'static str,
        request: impl Future<Output = Result<(u16, Bytes), Failure>>,
    ) -> Value {
        let sent = Instant::now();
        let response = request.await;
        self.recorder.add(work, sent, &response);
        let body = response.map(|(_, body)| body).unwrap_or_default();
        serde_json::from_slice(&body).unwrap_or_default()
    }
}
