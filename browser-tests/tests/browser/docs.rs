//! The docs page: "try it" sends requests with the session of the browser.

use browser_tests::Browser;

use crate::site::{Person, Site};

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

/// Swagger UI has findings of axe-core that cannot be corrected here, so axe-core does not check the page.
#[tokio::test]
async fn operations_are_tried_on_the_docs_page_with_the_session() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "docs").await;
    browser.open("/api/v1/docs").await;
    for (tag, operation) in [("Tags", "listTags"), ("Auth", "logout")] {
        let section = browser.css(&format!("#operations-tag-{tag} button")).await;
        section.click().await;
        // The second one is a write, which needs the CSRF token of the session.
        try_it(&browser, &format!("-{operation}")).await;
        browser.screenshot(operation).await;
        let mut problems = browser.console_problems().await;
        // Swagger UI prints that it has no input of its own for a format, and takes the one of the type.
        problems.retain(|problem| !problem.contains("Could not find component:"));
        assert_eq!(problems, Vec::<String>::new());
    }
    browser.wait_for_text("cedar").await;
    let status = "return fetch('/api/v1/auth/status').then(response => response.json())";
    assert_eq!(browser.script(status, &[]).await["authenticated"], false);
}
