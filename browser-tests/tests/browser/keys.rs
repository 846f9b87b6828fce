//! Writes of pages to resources with `REQUIRE_IDEMPOTENCY_KEY`.

use browser_tests::Browser;
use serde_json::{Value, json};

use crate::ledger_site::{LedgerSite, lose_responses, open_watched, select_rows, set_field};

/// Keys of the writes that the page has sent.
async fn keys(browser: &Browser) -> Vec<String> {
    let keys = browser
        .script("return window.sent.map(([, key]) => key)", &[])
        .await;
    let text = |key: &Value| key.as_str().unwrap().to_owned();
    keys.as_array().unwrap().iter().map(text).collect()
}

/// Submits the form of the page, whose response is lost.
async fn submit_in_vain(browser: &Browser, button: &str) {
    let before = keys(browser).await.len();
    browser.button(button).await.click().await;
    let is_over = "!document.querySelector('[data-summary]').hidden && !document.querySelector('[type=submit]').disabled";
    browser
        .wait_until(&format!("window.sent.length > {before} && {is_over}"))
        .await;
    browser
        .wait_for_text("The server cannot be reached. What you have entered is kept; try again: it takes effect only once.")
        .await;
}

/// PAGE-76: a repetition has the key of the first request.
#[tokio::test]
async fn a_payment_whose_response_is_lost_is_made_once() {
    let site = LedgerSite::start().await;
    let browser = site.browser("keys-lost").await;
    open_watched(&browser, "/payments?_view=new").await;
    lose_responses(&browser, 2).await;
    browser.field("Payee").await.fill("Ann").await;
    browser.field("Cents").await.fill("500").await;
    submit_in_vain(&browser, "Create").await;
    browser.step("lost").await;
    submit_in_vain(&browser, "Create").await;
    let sent = keys(&browser).await;
    assert!(sent.len() == 2 && sent[0] == sent[1], "{sent:?}");
    let key: model_resource::Uuid = sent[0].parse().unwrap();
    assert_eq!(key.get_version_num(), 7);
    browser.button("Create").await.click().await;
    browser.wait_for_text("Payment “Ann” was created.").await;
    browser.step("created").await;
    let payments = site.object("/payments").await;
    assert_eq!(payments, json!([{"id": 1, "payee": "Ann", "cents": 500}]));
}

/// PAGE-76: other contents are another write, and so is a corrected one.
#[tokio::test]
async fn a_changed_form_has_another_key() {
    let site = LedgerSite::start().await;
    let browser = site.browser("keys-changed").await;
    open_watched(&browser, "/payments?_view=new").await;
    lose_responses(&browser, 1).await;
    browser.field("Payee").await.fill("Ann").await;
    submit_in_vain(&browser, "Create").await;
    browser.field("Cents").await.fill("7").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("Payee is already taken.").await;
    browser.expect_refusal(400);
    browser.step("taken").await;
    browser.field("Payee").await.fill("Bob").await;
    lose_responses(&browser, 1).await;
    submit_in_vain(&browser, "Create").await;
    let sent = keys(&browser).await;
    assert!(
        sent.len() == 3 && sent[0] != sent[1] && sent[1] != sent[2] && sent[0] != sent[2],
        "{sent:?}"
    );
    browser.button("Create").await.click().await;
    browser.wait_for_text("Payment “Bob” was created.").await;
    let payments = site.object("/payments?fields=payee,cents&sort=id").await;
    assert_eq!(
        payments,
        json!([{"payee": "Ann", "cents": 0}, {"payee": "Bob", "cents": 7}])
    );
}

/// PAGE-76: what was made by a request without an answer is no change of somebody else.
#[tokio::test]
async fn a_change_and_a_deletion_whose_responses_are_lost_are_repeated() {
    let site = LedgerSite::start().await;
    site.create("/payments", json!({"payee": "Ann"})).await;
    let browser = site.browser("keys-repeated").await;
    open_watched(&browser, "/payments/1?_view=edit").await;
    lose_responses(&browser, 1).await;
    browser.field("Cents").await.fill("90").await;
    submit_in_vain(&browser, "Save").await;
    assert_eq!(site.object("/payments/1").await["cents"], 90);
    browser.button("Save").await.click().await;
    browser.wait_for_text("Payment “Ann” was changed.").await;

    open_watched(&browser, "/payments/1?_view=delete").await;
    lose_responses(&browser, 1).await;
    submit_in_vain(&browser, "Delete").await;
    assert!(site.is_gone("/payments/1").await);
    browser.button("Delete").await.click().await;
    browser.wait_for_text("Payment “Ann” was deleted.").await;
    browser.step("deleted").await;
}

/// PAGE-76: a repetition is held against the version of the first request.
#[tokio::test]
async fn a_repeated_change_asks_before_it_overwrites_the_change_of_somebody_else() {
    let site = LedgerSite::start().await;
    site.create("/payments", json!({"payee": "Ann"})).await;
    let browser = site.browser("keys-conflict").await;
    open_watched(&browser, "/payments/1?_view=edit").await;
    let failing = "
        const watched = window.fetch;
        let fails = true;
        window.fetch = (url, options = {}) => {
            if (options.method !== 'PATCH' || !fails) return watched(url, options);
            fails = false;
            window.sent.push(['PATCH', options.headers['Idempotency-Key'], null]);
            return Promise.resolve(new Response('{\"message\": \"Try again.\"}', { status: 503 }));
        };";
    browser.script(failing, &[]).await;
    browser.field("Cents").await.fill("90").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Try again.").await;
    site.change("/payments/1", json!({"cents": 5})).await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Cents: stored is 5, yours is 90").await;
    browser.expect_refusal(412);
    browser.step("question").await;
    let sent = keys(&browser).await;
    assert!(sent.len() == 2 && sent[0] == sent[1], "{sent:?}");
    assert_eq!(site.object("/payments/1").await["cents"], 5);
    browser.button("Overwrite").await.click().await;
    browser.wait_for_text("Payment “Ann” was changed.").await;
    assert_eq!(site.object("/payments/1").await["cents"], 90);
}

/// PAGE-76
#[tokio::test]
async fn several_payments_are_imported_changed_and_deleted() {
    let site = LedgerSite::start().await;
    let browser = site.browser("keys-several").await;
    browser.open("/payments?_view=import").await;
    browser
        .field("Or paste the contents")
        .await
        .fill("payee,cents\nAnn,1\nBob,2\n")
        .await;
    browser.button("Import").await.click().await;
    browser.wait_for_text("2 rows imported.").await;
    select_rows(&browser, 2).await;
    set_field(&browser, "Cents", "cents", "40").await;
    browser.button("Change").await.click().await;
    browser.wait_for_text("2 rows changed.").await;
    let payments = site.object("/payments?fields=cents").await;
    assert_eq!(payments, json!([{"cents": 40}, {"cents": 40}]));
    select_rows(&browser, 2).await;
    browser.css("[data-several] [data-delete]").await.click().await;
    browser.wait_for_text("Delete 2 rows?").await;
    browser.css("dialog .danger").await.click().await;
    browser.wait_for_text("2 rows deleted.").await;
    browser.step("deleted").await;
    assert_eq!(site.object("/payments").await, json!([]));
}
