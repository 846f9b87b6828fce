//! The docs page: "try it" sends requests with the session of the browser.

use browser_tests::{Browser, Look};

use crate::site::{Person, Site};

/// Findings of axe-core in the markup that Swagger UI makes. Neither its options nor a stylesheet change them.
const FINDINGS_OF_SWAGGER_UI: [(&str, &str); 5] = [
    (
        "heading-order",
        "the title is a heading of level 1, and the tags are of level 3",
    ),
    (
        "landmark-unique",
        "the tables of responses are regions with one name",
    ),
    (
        "nested-interactive",
        "the button of an operation contains a link to it",
    ),
    ("region", "the title and the servers are outside the main element"),
    ("select-name", "the inputs of parameters have no labels"),
];

/// Checks the page in each look, and returns the ids of the findings that are those of Swagger UI.
async fn check(browser: &Browser, state: &str) -> Vec<String> {
    let mut known = Vec::new();
    for (name, look) in [
        ("phone", Look::Phone),
        ("dark", Look::Dark),
        ("desktop", Look::Desktop),
    ] {
        browser.set_look(look).await;
        browser.screenshot(&format!("{state}-{name}")).await;
        let mut problems = browser.look_problems(look).await;
        for (rule, _) in FINDINGS_OF_SWAGGER_UI {
            let start = format!("{name}: {rule}: ");
            if problems.iter().any(|problem| problem.starts_with(&start)) {
                known.push(rule.to_owned());
            }
            problems.retain(|problem| !problem.starts_with(&start));
        }
        assert_eq!(problems, Vec::<String>::new(), "{state}");
    }
    known
}

/// Opens an operation of the docs page and executes it.
async fn try_it(browser: &Browser, operation: &str) {
    for control in [".opblock-summary-control", ".try-out__btn", ".execute"] {
        let control = browser.css(&format!("[id$={operation}] {control}")).await;
        browser
            .script(
                "arguments[0].scrollIntoView({ block: 'center' })",
                &[control.argument()],
            )
            .await;
        control.click().await;
    }
    browser
        .css(&format!("[id$={operation}] .live-responses-table"))
        .await;
}

#[tokio::test]
async fn operations_are_tried_on_the_docs_page_with_the_session() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "docs").await;
    browser.open("/api/v1/docs").await;
    browser.css(".opblock-tag").await;
    let mut known = check(&browser, "start").await;
    for (tag, operation) in [("Tags", "listTags"), ("Auth", "logout")] {
        let section = browser.css(&format!("#operations-tag-{tag} button")).await;
        section.click().await;
        // The second one is a write, which needs the CSRF token of the session.
        try_it(&browser, &format!("-{operation}")).await;
        known.extend(check(&browser, operation).await);
        let mut problems = browser.console_problems().await;
        // Swagger UI prints that it has no input of its own for a format, and takes the one of the type.
        problems.retain(|problem| !problem.contains("Could not find component:"));
        assert_eq!(problems, Vec::<String>::new());
    }
    browser.wait_for_text("cedar").await;
    for (rule, reason) in FINDINGS_OF_SWAGGER_UI {
        assert!(
            known.iter().any(|known| known == rule),
            "no longer found: {rule}, because {reason}"
        );
    }
    let status = "return fetch('/api/v1/auth/status').then(response => response.json())";
    assert_eq!(browser.script(status, &[]).await["authenticated"], false);
}
