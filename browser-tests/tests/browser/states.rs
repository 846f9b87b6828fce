//! States of an object as buttons.

use browser_tests::Browser;
use serde_json::json;

use crate::library_site::LibrarySite;

async fn offered(browser: &Browser) -> String {
    let script = "return [...document.querySelectorAll('[data-state]')].map((button) => button.dataset.state).join(' ')";
    let offered = browser.script(script, &[]).await;
    offered.as_str().unwrap().to_owned()
}

/// PAGE-72
#[tokio::test]
async fn an_invoice_is_sent_and_paid_by_buttons() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("states").await;
    browser.open("/invoices/1").await;
    assert_eq!(offered(&browser).await, "sent void");
    browser.step("draft").await;
    browser.button("Change State to sent").await.click().await;
    browser
        .wait_for_text("State cannot be changed back afterwards.")
        .await;
    browser.step("question").await;
    browser.button("Cancel").await.click().await;
    assert_eq!(site.object("/invoices/1").await["state"], "draft");
    browser.button("Change State to sent").await.click().await;
    browser.button("Change").await.click().await;
    browser.wait_for_text("was changed to sent.").await;
    browser.step("sent").await;
    assert_eq!(site.object("/invoices/1").await["state"], "sent");
    assert_eq!(offered(&browser).await, "paid void");

    browser.open("/invoices/1?_view=edit").await;
    let options = "return [...document.querySelectorAll('[name=state] option')].map((option) => option.value).join(' ')";
    assert_eq!(browser.script(options, &[]).await, "sent paid void");
    browser.open("/invoices?_view=new").await;
    assert_eq!(browser.script(options, &[]).await, "draft");
}

/// PAGE-72
#[tokio::test]
async fn a_refused_change_of_state_is_explained() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("states-refused").await;
    browser.open("/invoices/1").await;
    site.desk
        .patch("/invoices/1", json!({"state": "void"}))
        .await
        .expect(200);
    browser.button("Change State to sent").await.click().await;
    browser.button("Change").await.click().await;
    browser.wait_for_text("Cannot change from void.").await;
    browser.expect_refusal(400);
    browser.step("refused").await;
    assert_eq!(site.object("/invoices/1").await["state"], "void");
}

/// PAGE-72
#[tokio::test]
async fn a_member_sees_the_state_and_no_buttons() {
    let site = LibrarySite::start().await;
    site.desk
        .patch("/invoices/1", json!({"state": "sent"}))
        .await
        .expect(200);
    let browser = site.member_browser("1", "states-member").await;
    browser.open("/invoices/1").await;
    browser.wait_for_text("sent").await;
    browser.step("invoice").await;
    assert_eq!(offered(&browser).await, "");
}
