//! Objects that a form writes with their parent.

use browser_tests::{Browser, Look};
use serde_json::{Value, json};

use crate::library_site::LibrarySite;

/// Fills in a field of a line, counted from 1.
async fn fill(browser: &Browser, line: usize, name: &str, text: &str) {
    let selector = format!("tr[data-line]:nth-child({line}) [name={name}]");
    browser.css(&selector).await.fill(text).await;
}

async fn add_line(browser: &Browser) {
    browser.button("Add line to Lines").await.click().await;
}

/// Lines of an invoice, without their keys.
async fn texts_and_cents(site: &LibrarySite, path: &str) -> Value {
    let invoice = site.object(path).await;
    let lines = invoice["lines"].as_array().unwrap().iter();
    lines.map(|line| json!([line["text"], line["cents"]])).collect()
}

async fn write_an_invoice(site: &LibrarySite, browser: &Browser) {
    browser.open("/invoices?_view=new").await;
    browser.field("Member").await.fill("Bob").await;
    browser.css("[role=option]").await.click().await;
    browser.step("empty").await;
    for (line, text) in [(1, "Late"), (2, "Coffee")] {
        add_line(browser).await;
        fill(browser, line, "text", text).await;
    }
    fill(browser, 1, "cents", "40").await;
    fill(browser, 2, "cents", "0").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("One thing needs to be corrected").await;
    browser.wait_for_text("Lines, line 2: Cents").await;
    browser.step("error").await;
    fill(browser, 2, "cents", "250").await;
    add_line(browser).await;
    browser.button("Remove line 3").await.click().await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("was created.").await;
    browser.step("created").await;
    let path = browser.path().await;
    assert_eq!(
        texts_and_cents(site, &path).await,
        json!([["Late", 40], ["Coffee", 250]])
    );
}

/// PAGE-71
#[tokio::test]
async fn an_invoice_is_created_with_its_lines() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("lines-new").await;
    write_an_invoice(&site, &browser).await;
}

/// PAGE-71
#[tokio::test]
async fn an_invoice_is_created_on_a_dark_phone() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser_with("lines-dark-phone", Look::DarkPhone).await;
    write_an_invoice(&site, &browser).await;
}

/// PAGE-71
#[tokio::test]
async fn lines_are_changed_added_and_removed_and_the_others_keep_their_keys() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("lines-edit").await;
    browser.open("/invoices/1?_view=edit").await;
    browser.step("form").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Nothing was changed.").await;

    browser.open("/invoices/1?_view=edit").await;
    fill(&browser, 2, "cents", "450").await;
    browser.button("Remove line 3").await.click().await;
    browser.button("Remove line 1").await.click().await;
    browser.button("Keep line 1").await.click().await;
    add_line(&browser).await;
    fill(&browser, 4, "text", "Stamps").await;
    fill(&browser, 4, "cents", "80").await;
    browser.step("changed").await;
    let watch = "
        window.bodies = [];
        const send = window.fetch;
        window.fetch = (url, options) => { if (options.body) sessionStorage.setItem('body', options.body); return send(url, options); };";
    browser.script(watch, &[]).await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("was changed.").await;
    browser.step("saved").await;
    let body = browser
        .script("return JSON.parse(sessionStorage.getItem('body'))", &[])
        .await;
    let expected = json!({"lines": {
        "add": [{"text": "Stamps", "cents": 80}], "update": [{"id": 2, "cents": 450}], "remove": [3],
    }});
    assert_eq!(body, expected, "only what was changed is written");
    let invoice = site.object("/invoices/1").await;
    assert_eq!(
        invoice["lines"],
        json!([
            {"id": 1, "text": "3 days late", "cents": 60},
            {"id": 2, "text": "Lost card", "cents": 450},
            {"id": 4, "text": "Stamps", "cents": 80},
        ])
    );
}

/// PAGE-71: messages of the server are shown beside the field of their line.
#[tokio::test]
async fn an_error_of_the_server_is_shown_in_its_line() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("lines-server-error").await;
    browser.open("/invoices/1?_view=edit").await;
    // The browser would find it too.
    let unchecked =
        "for (const input of document.querySelectorAll('[name=cents]')) input.removeAttribute('min')";
    browser.script(unchecked, &[]).await;
    fill(&browser, 1, "text", "Two days late").await;
    fill(&browser, 3, "cents", "-5").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Lines, line 3: Cents").await;
    browser.expect_refusal(400);
    browser.step("error").await;
    let beside = "return document.querySelector('tr:nth-child(3) [name=cents]').closest('td').innerText";
    let message = browser.script(beside, &[]).await;
    assert!(message.as_str().unwrap().contains("least"), "{message}");
    let focused = "document.activeElement === document.querySelector('tr:nth-child(3) [name=cents]')";
    browser.wait_until(focused).await;
    assert_eq!(
        texts_and_cents(&site, "/invoices/1").await[0],
        json!(["3 days late", 60])
    );
}

/// PAGE-71, PAGE-49
#[tokio::test]
async fn a_line_that_somebody_else_has_changed_is_not_overwritten_silently() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("lines-conflict").await;
    browser.open("/invoices/1?_view=edit").await;
    fill(&browser, 2, "cents", "450").await;
    let change = json!({"lines": {"update": [{"id": 2, "cents": 700}, {"id": 3, "cents": 130}]}});
    site.desk.patch("/invoices/1", change).await.expect(200);
    browser.button("Save").await.click().await;
    browser
        .wait_for_text("Lines, line 2: Cents: stored is 700, yours is 450")
        .await;
    browser.step("conflict").await;
    browser.button("Overwrite").await.click().await;
    browser.wait_for_text("was changed.").await;
    let expected = json!([["3 days late", 60], ["Lost card", 450], ["Copies", 130]]);
    assert_eq!(texts_and_cents(&site, "/invoices/1").await, expected);
}

/// PAGE-71
#[tokio::test]
async fn a_duplicate_has_the_same_lines() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("lines-duplicate").await;
    browser.open("/invoices/1").await;
    browser.step("object").await;
    browser.link("Duplicate").await.click().await;
    fill(&browser, 1, "cents", "20").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("was created.").await;
    let expected = json!([["3 days late", 20], ["Lost card", 500], ["Copies", 120]]);
    assert_eq!(texts_and_cents(&site, "/invoices/2").await, expected);
}
