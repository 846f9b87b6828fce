//! Checks of the page that a browser shows.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::session::Session;

/// Environment variable with the path of axe-core's script.
const VARIABLE: &str = "AXE_SCRIPT";

/// Runs axe-core, and returns its findings as text. The driver evaluates the script as the developer tools do, which a
/// content security policy permits.
pub(crate) async fn axe_findings(session: &Session) -> Vec<String> {
    let present = session.post(
        "execute/sync",
        json!({"script": "return typeof axe === 'object'", "args": []}),
    );
    if present.await != true {
        session
            .post("execute/sync", json!({"script": axe_script(), "args": []}))
            .await;
    }
    let script = "
        const done = arguments[0];
        axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(
            results => done(results.violations.map(rule =>
                `${rule.id}: ${rule.help}, in ${rule.nodes.length} elements: ${rule.nodes[0].html} (${rule.nodes[0].failureSummary})`)),
            error => done([`axe failed: ${error}`]),
        );";
    let findings = session
        .post("execute/async", json!({"script": script, "args": []}))
        .await;
    strings(&findings)
}

/// Returns the addresses outside the page's origin that the page has loaded.
pub(crate) async fn outside_resources(session: &Session) -> Vec<String> {
    let script = "
        return performance.getEntriesByType('resource').map(entry => entry.name)
            .filter(name => !name.startsWith(location.origin + '/') && !name.startsWith('data:'));";
    strings(
        &session
            .post("execute/sync", json!({"script": script, "args": []}))
            .await,
    )
}

/// Returns the elements that are wider than the screen, if the page scrolls sideways.
pub(crate) async fn too_wide(session: &Session, width: u64) -> Vec<String> {
    let script = "
        const width = arguments[0];
        if (document.documentElement.scrollWidth <= width) return [];
        const wide = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > width + 0.5);
        return [`the page is ${document.documentElement.scrollWidth} pixels wide, the screen ${width}`,
            ...wide.slice(0, 8).map(e => e.outerHTML.slice(0, 120))];";
    strings(
        &session
            .post("execute/sync", json!({"script": script, "args": [width]}))
            .await,
    )
}

fn strings(values: &Value) -> Vec<String> {
    let values = values.as_array().into_iter().flatten();
    values
        .map(|value| value.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn axe_script() -> &'static str {
    static SCRIPT: OnceLock<String> = OnceLock::new();
    SCRIPT.get_or_init(|| {
        let path = std::env::var(VARIABLE)
            .unwrap_or_else(|_| panic!("{VARIABLE} is not set: call `cargo xtask browser`"));
        std::fs::read_to_string(path).unwrap()
    })
}
