//! The WebDriver protocol: JSON over HTTP to `chromedriver`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use http::Method;
use serde_json::{Value, json};
use test_support::Client;

/// Environment variable with the address of the driver.
const VARIABLE: &str = "WEBDRIVER_ADDRESS";

/// A session of the driver, which is one Chromium. Dropping it ends both.
pub(crate) struct Session {
    driver: SocketAddr,
    client: Client,
    id: String,
}

impl Session {
    /// Starts a Chromium with these preferences.
    pub(crate) async fn start(preferences: Value) -> Self {
        let driver = std::env::var(VARIABLE)
            .unwrap_or_else(|_| panic!("{VARIABLE} is not set: call `cargo xtask browser`"));
        let driver: SocketAddr = driver.parse().unwrap();
        let client = Client::new(driver);
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "timeouts": {"implicit": 4_000, "pageLoad": 30_000, "script": 30_000},
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": arguments(), "prefs": preferences},
        }}});
        let started = client.post("/session", capabilities).await.expect(200).json();
        let id = started["value"]["sessionId"].as_str().unwrap().to_owned();
        Self { driver, client, id }
    }

    /// Sends a command below the session's URL.
    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: Value) -> impl Future<Output = Value> {
        self.send(Method::POST, path, Some(body))
    }

    /// Reads a property below the session's URL.
    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> impl Future<Output = Value> {
        self.send(Method::GET, path, None)
    }

    /// Sends a command, and returns the driver's error instead of a panic.
    pub(crate) async fn attempt(&self, path: &str, body: Value) -> Result<Value, String> {
        let path = format!("/session/{}/{path}", self.id);
        let response = self.client.post(&path, body).await;
        let value = response.json()["value"].clone();
        if response.status.is_success() {
            Ok(value)
        } else {
            Err(format!("{}: {}", value["error"], value["message"]))
        }
    }

    /// Sends a command of the Chrome DevTools protocol.
    pub(crate) async fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({"cmd": command, "params": parameters}))
            .await
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let url = format!("/session/{}/{path}", self.id);
        let body = body.map(|body| ("application/json", body.to_string().into()));
        let response = self.client.send(method, &url, body).await;
        let value = response.json()["value"].clone();
        assert!(
            response.status.is_success(),
            "WebDriver {path}: {}: {}",
            value["error"],
            value["message"].as_str().unwrap_or_default()
        );
        value
    }
}

impl Drop for Session {
    /// Ends the session by a blocking request, since a destructor cannot wait for a future.
    fn drop(&mut self) {
        let Ok(mut stream) = TcpStream::connect(self.driver) else {
            return;
        };
        let request = format!(
            "DELETE /session/{} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
            self.id, self.driver
        );
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.read(&mut [0; 64]);
    }
}

/// Returns the arguments of a Chromium without a screen, which sends nothing to other hosts. The sandbox needs privileges
/// that containers lack.
fn arguments() -> [&'static str; 8] {
    [
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        "--hide-scrollbars",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]
}
