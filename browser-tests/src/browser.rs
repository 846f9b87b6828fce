//! A person's window.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::checks::{axe_findings, outside_resources, too_wide};
use crate::console::ExpectedRefusals;
use crate::element::{Element, labelled, with_text};
use crate::look::Look;
use crate::session::Session;

/// Environment variable with the folder of the screenshots.
const SCREENSHOTS: &str = "SCREENSHOTS";

/// Time within which a page must reach an expected state.
const PATIENCE: Duration = Duration::from_secs(8);

/// Expression of JavaScript that is true if the page is loaded.
const LOADED: &str = "document.readyState === 'complete'";

/// Whether pages may run scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scripts {
    /// JavaScript runs.
    On,
    /// JavaScript is switched off by the person.
    Off,
}

/// A browser of one person, with cookies of its own.
pub struct Browser {
    session: Session,
    origin: String,
    scenario: &'static str,
    look: Look,
    steps: AtomicUsize,
    refusals: Mutex<ExpectedRefusals>,
}

impl Browser {
    /// Starts a browser for the server at an address. The scenario names the folder of its screenshots.
    pub async fn start(server: SocketAddr, scenario: &'static str) -> Self {
        Self::start_with(server, scenario, Look::Desktop, Scripts::On).await
    }

    /// Starts a browser with a look in which the scenario is run, and with or without JavaScript.
    pub async fn start_with(
        server: SocketAddr,
        scenario: &'static str,
        look: Look,
        scripts: Scripts,
    ) -> Self {
        let preferences = match scripts {
            Scripts::On => json!({}),
            Scripts::Off => json!({"profile.managed_default_content_settings.javascript": 2}),
        };
        let browser = Self {
            session: Session::start(preferences).await,
            origin: format!("http://{server}"),
            scenario,
            look,
            steps: AtomicUsize::new(0),
            refusals: Mutex::default(),
        };
        browser.set_look(look).await;
        browser
    }

    /// Opens a path of the server, and waits until its page is loaded. The driver may answer while the previous page is
    /// still shown, so that page is marked first.
    pub async fn open(&self, path: &str) {
        let url = format!("{}{path}", self.origin);
        self.script("window.isLeft = true", &[]).await;
        self.session.post("url", json!({ "url": url })).await;
        self.wait_until(&format!("!window.isLeft && {LOADED}")).await;
    }

    /// Returns the path and the query of the page.
    pub async fn path(&self) -> String {
        let url = self.session.get("url").await;
        let url = url.as_str().unwrap();
        url.strip_prefix(&self.origin).unwrap_or(url).to_owned()
    }

    /// Returns the title of the page.
    pub async fn title(&self) -> String {
        self.session.get("title").await.as_str().unwrap().to_owned()
    }

    /// Returns the first element that a CSS selector matches.
    pub async fn css(&self, selector: &str) -> Element<'_> {
        Element::find(&self.session, "css selector", selector).await
    }

    /// Returns the form control with a label.
    pub async fn field(&self, label: &str) -> Element<'_> {
        Element::find(&self.session, "xpath", &labelled(label)).await
    }

    /// Returns the link with a text.
    pub async fn link(&self, text: &str) -> Element<'_> {
        Element::find(&self.session, "xpath", &with_text(&["a"], text)).await
    }

    /// Returns the button or the summary of details with a text.
    pub async fn button(&self, text: &str) -> Element<'_> {
        Element::find(
            &self.session,
            "xpath",
            &with_text(&["button", "summary", "input"], text),
        )
        .await
    }

    /// Returns the visible text of the page.
    pub async fn text(&self) -> String {
        self.css("body").await.text().await
    }

    /// Waits until the page shows a text.
    pub async fn wait_for_text(&self, text: &str) {
        let start = Instant::now();
        let mut shown = self.text_now().await;
        while !shown.contains(text) {
            assert!(start.elapsed() < PATIENCE, "{text:?} is not shown in: {shown}");
            tokio::time::sleep(Duration::from_millis(50)).await;
            shown = self.text_now().await;
        }
    }

    /// Waits until the URL contains a text and its page is loaded.
    pub async fn wait_for_path(&self, part: &str) {
        let start = Instant::now();
        let mut path = self.path().await;
        while !path.contains(part) {
            assert!(start.elapsed() < PATIENCE, "{part:?} is not in {path:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
            path = self.path().await;
        }
        self.wait_until(LOADED).await;
    }

    /// Waits until an expression of JavaScript is true.
    pub async fn wait_until(&self, expression: &str) {
        let start = Instant::now();
        while self.script(&format!("return !!({expression})"), &[]).await != true {
            assert!(start.elapsed() < PATIENCE, "{expression} does not become true");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Runs a script with arguments and returns its result.
    ///
    /// # Panics
    /// If the script throws: the message has the text of the page.
    pub async fn script(&self, script: &str, arguments: &[Value]) -> Value {
        let call = json!({"script": script, "args": arguments});
        match self.session.attempt("execute/sync", call).await {
            Ok(result) => result,
            Err(error) => panic!(
                "{script}: {error}\nat {}:\n{}",
                self.path().await,
                self.text().await
            ),
        }
    }

    /// Deletes all cookies, as the end of a session does.
    pub async fn forget_cookies(&self) {
        self.session.cdp("Network.clearBrowserCookies", json!({})).await;
    }

    /// Sends additional headers with every request.
    pub async fn send_headers(&self, headers: Value) {
        self.session.cdp("Network.enable", json!({})).await;
        self.session
            .cdp("Network.setExtraHTTPHeaders", json!({ "headers": headers }))
            .await;
    }

    /// Opens another tab of the same browser, which shares the cookies, and returns to the present one afterwards.
    pub async fn in_other_tab(&self, path: &str, act: impl AsyncFnOnce()) {
        let first = self.session.get("window").await;
        let other = self.session.post("window/new", json!({"type": "tab"})).await;
        self.session
            .post("window", json!({"handle": other["handle"]}))
            .await;
        self.set_look(self.look).await;
        self.open(path).await;
        act().await;
        self.session.post("window", json!({ "handle": first })).await;
    }

    /// Clicks a link that opens another tab, in which `act` runs, and returns to the present one. The other tab must be
    /// closed by then.
    pub async fn in_tab_of(&self, link: &Element<'_>, act: impl AsyncFnOnce()) {
        let first = self.session.get("window").await;
        link.click().await;
        let other = self.other_tabs(&first, 1).await;
        self.session.post("window", json!({ "handle": other[0] })).await;
        self.set_look(self.look).await;
        act().await;
        self.session.post("window", json!({ "handle": first })).await;
        self.other_tabs(&first, 0).await;
    }

    /// Waits until the browser has this number of other tabs, and returns them.
    async fn other_tabs(&self, own: &Value, count: usize) -> Vec<Value> {
        let start = Instant::now();
        loop {
            let tabs = self.session.get("window/handles").await;
            let mut tabs = tabs.as_array().cloned().unwrap_or_default();
            tabs.retain(|tab| tab != own);
            if tabs.len() == count {
                return tabs;
            }
            assert!(start.elapsed() < PATIENCE, "{} other tabs are open", tabs.len());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Expects that one request is refused with a status before the next step, for which Chromium prints a message.
    pub fn expect_refusal(&self, status: u16) {
        self.refusals.lock().unwrap().add(status);
    }

    /// Checks the page in every look, and keeps screenshots.
    pub async fn step(&self, name: &str) {
        let number = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let mut problems = self.console_problems().await;
        for look in Look::CHECKED {
            self.set_look(look).await;
            self.screenshot(&format!("{number:02}-{name}-{}", look.name()))
                .await;
            problems.extend(self.look_problems(look).await);
        }
        self.set_look(self.look).await;
        problems.extend(outside_resources(&self.session).await);
        problems.extend(self.console_problems().await);
        assert!(
            problems.is_empty(),
            "step {number} ({name}) of {} at {}:\n{}",
            self.scenario,
            self.path().await,
            problems.join("\n")
        );
    }

    /// Writes a screenshot to the scenario's folder.
    pub async fn screenshot(&self, name: &str) {
        let image = self.session.get("screenshot").await;
        let image = BASE64_STANDARD.decode(image.as_str().unwrap()).unwrap();
        let folder = artifacts().join(self.scenario);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{name}.png")), image).unwrap();
    }

    /// Changes the screen and the color scheme.
    pub async fn set_look(&self, look: Look) {
        self.session
            .cdp("Emulation.setDeviceMetricsOverride", look.metrics())
            .await;
        self.session.cdp("Emulation.setEmulatedMedia", look.media()).await;
    }

    /// Returns the messages of the console since the last call, without expected refusals.
    pub async fn console_problems(&self) -> Vec<String> {
        let entries = self.session.post("se/log", json!({"type": "browser"})).await;
        self.refusals.lock().unwrap().compare(&entries)
    }

    /// Returns the findings of axe-core, and elements wider than the screen.
    pub async fn look_problems(&self, look: Look) -> Vec<String> {
        let mut problems = too_wide(&self.session, look.width()).await;
        problems.extend(axe_findings(&self.session).await);
        let named = |problem: String| format!("{}: {problem}", look.name());
        problems.into_iter().map(named).collect()
    }

    async fn text_now(&self) -> String {
        let text = self
            .script("return document.body ? document.body.innerText : ''", &[])
            .await;
        text.as_str().unwrap_or_default().to_owned()
    }
}

/// Returns the folder of the screenshots.
fn artifacts() -> PathBuf {
    let folder = std::env::var_os(SCREENSHOTS);
    folder.map_or_else(
        || panic!("{SCREENSHOTS} is not set: call `cargo xtask browser`"),
        PathBuf::from,
    )
}
