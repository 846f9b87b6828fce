//! Writes of pages to resources with `REQUIRE_IF_MATCH`.

use serde_json::{Value, json};

use crate::ledger_site::{LedgerSite, open_watched, select_rows, set_field};

/// An account or a note with a name.
fn row(list: &str, name: &str) -> Value {
    if list == "/accounts" {
        json!({ "name": name })
    } else {
        json!({ "title": name })
    }
}

/// PAGE-77
#[tokio::test]
async fn an_account_is_created_changed_blocked_and_deleted() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions").await;
    browser.open("/accounts?_view=new").await;
    browser.field("Name").await.fill("Savings").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("Account “Savings” was created.").await;
    browser.link("Edit").await.click().await;
    browser.field("Overdraft").await.fill("100").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Account “Savings” was changed.").await;
    browser.button("Change State to blocked").await.click().await;
    browser.wait_for_text("was changed to blocked.").await;
    let account = site.object("/accounts/1").await;
    assert_eq!(
        (&account["overdraft"], &account["state"], &account["version"]),
        (&json!(100), &json!("blocked"), &json!(3))
    );
    browser.link("Delete").await.click().await;
    browser.button("Delete").await.click().await;
    browser.wait_for_text("Account “Savings” was deleted.").await;
    browser.step("deleted").await;
    assert!(site.is_gone("/accounts/1").await);
}

/// PAGE-77
#[tokio::test]
async fn what_somebody_else_has_changed_is_not_deleted_silently() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions-delete").await;
    for (list, change) in [
        ("/accounts", json!({"overdraft": 9})),
        ("/notes", json!({"rank": 9})),
    ] {
        let path = format!("{list}/1");
        site.create(list, row(list, "Savings")).await;
        browser.open(&format!("{path}?_view=delete")).await;
        site.change(&path, change.clone()).await;
        browser.button("Delete").await.click().await;
        browser
            .wait_for_text("It was changed after you opened this page, and was not deleted.")
            .await;
        browser.expect_refusal(412);
        browser.step("question").await;
        browser.button("Cancel").await.click().await;
        assert!(!site.is_gone(&path).await);
        browser.button("Delete").await.click().await;
        browser.link("Show it as it is now").await.click().await;
        browser.wait_for_path(&path).await;
        browser.expect_refusal(412);
        browser.link("Delete").await.click().await;
        browser.button("Delete").await.click().await;
        browser.wait_for_text("was deleted.").await;
        assert!(site.is_gone(&path).await);
    }
}

/// PAGE-77: a change during the question is noticed, too.
#[tokio::test]
async fn an_account_is_deleted_in_the_version_of_the_question() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions-question").await;
    site.create("/accounts", json!({"name": "Savings"})).await;
    open_watched(&browser, "/accounts/1?_view=delete").await;
    for overdraft in [1, 2] {
        site.change("/accounts/1", json!({"overdraft": overdraft})).await;
        let button = if overdraft == 1 { "Delete" } else { "Delete anyway" };
        browser.button(button).await.click().await;
        browser
            .wait_until(&format!("window.sent.length === {overdraft}"))
            .await;
        browser.wait_for_text("and was not deleted.").await;
        browser.expect_refusal(412);
        assert!(!site.is_gone("/accounts/1").await);
    }
    browser.button("Delete anyway").await.click().await;
    browser.wait_for_text("Account “Savings” was deleted.").await;
    browser.step("deleted").await;
    assert!(site.is_gone("/accounts/1").await);
}

/// PAGE-77
#[tokio::test]
async fn a_state_is_changed_only_in_the_version_of_the_page() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions-state").await;
    site.create("/accounts", json!({"name": "Savings"})).await;
    browser.open("/accounts/1").await;
    site.change("/accounts/1", json!({"overdraft": 9})).await;
    browser.button("Change State to blocked").await.click().await;
    browser
        .wait_for_text(
            "It was changed by someone else in the meantime, and stays as it is now. Load it again.",
        )
        .await;
    browser.expect_refusal(412);
    browser.step("refused").await;
    assert_eq!(site.object("/accounts/1").await["state"], "open");
}

/// PAGE-78: by bulk requests for accounts, and one by one for notes, which need a key as well.
#[tokio::test]
async fn several_rows_are_changed_and_deleted_with_their_versions() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions-several").await;
    for (list, label, name) in [
        ("/accounts", "Overdraft", "overdraft"),
        ("/notes", "Rank", "rank"),
    ] {
        for number in 1..=3 {
            let mut row = row(list, &format!("N{number}"));
            row[name] = json!(5);
            site.create(list, row).await;
        }
        let values = async || site.object(&format!("{list}?fields={name}&sort=id")).await;
        browser.open(&format!("{list}?sort=id")).await;
        select_rows(&browser, 2).await;
        set_field(&browser, label, name, "7").await;
        browser.button("Change").await.click().await;
        browser.wait_for_text("2 rows changed.").await;
        assert_eq!(values().await, json!([{ name: 7 }, { name: 7 }, { name: 5 }]));
        select_rows(&browser, 2).await;
        browser.css("[data-several] [data-delete]").await.click().await;
        browser.wait_for_text("Delete 2 rows?").await;
        browser.css("dialog .danger").await.click().await;
        browser.wait_for_text("2 rows deleted.").await;
        browser.step("deleted").await;
        assert_eq!(values().await, json!([{ name: 5 }]));
    }
}

/// PAGE-78
#[tokio::test]
async fn an_action_on_several_rows_has_their_versions() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions-action").await;
    for name in ["A", "B"] {
        site.create("/accounts", json!({"name": name, "overdraft": 5}))
            .await;
    }
    browser.open("/accounts").await;
    select_rows(&browser, 2).await;
    browser.button("Remove the overdraft").await.click().await;
    browser.css("dialog button[value=ok]").await.click().await;
    browser
        .wait_for_text("Remove the overdraft: 2 rows succeeded.")
        .await;
    let accounts = site.object("/accounts?fields=overdraft").await;
    assert_eq!(accounts, json!([{"overdraft": 0}, {"overdraft": 0}]));
}

/// PAGE-78: a bulk request changes nothing, and single ones change the other rows.
#[tokio::test]
async fn rows_that_somebody_else_changes_after_the_question_stay_as_they_are() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions-changed").await;
    let refused = "It was changed by someone else in the meantime, and stays as it is now.";
    for (list, label, name) in [
        ("/accounts", "Overdraft", "overdraft"),
        ("/notes", "Rank", "rank"),
    ] {
        for number in 1..=2 {
            site.create(list, row(list, &format!("N{number}"))).await;
        }
        open_watched(&browser, &format!("{list}?sort=id")).await;
        select_rows(&browser, 2).await;
        set_field(&browser, label, name, "7").await;
        browser.wait_until("window.heads === 2").await;
        site.change(&format!("{list}/1"), json!({ name: 3 })).await;
        browser.button("Change").await.click().await;
        browser.wait_for_text(refused).await;
        browser.expect_refusal(412);
        browser.step("changed").await;
        let second = if list == "/accounts" { 0 } else { 7 };
        let values = site.object(&format!("{list}?fields={name}&sort=id")).await;
        assert_eq!(values, json!([{ name: 3 }, { name: second }]));

        open_watched(&browser, &format!("{list}?sort=id")).await;
        select_rows(&browser, 2).await;
        browser.css("[data-several] [data-delete]").await.click().await;
        browser.wait_until("window.heads === 2").await;
        browser.wait_for_text("No related rows").await;
        site.change(&format!("{list}/1"), json!({ name: 4 })).await;
        browser.css("dialog .danger").await.click().await;
        browser.wait_for_text("Delete: 1 row succeeded, 1 failed").await;
        browser.wait_for_text(refused).await;
        browser.expect_refusal(412);
        assert!(!site.is_gone(&format!("{list}/1")).await);
        assert!(site.is_gone(&format!("{list}/2")).await);
    }
}

/// PAGE-78
#[tokio::test]
async fn a_file_updates_the_versions_that_it_has() {
    let site = LedgerSite::start().await;
    let browser = site.browser("versions-import").await;
    for name in ["A", "B"] {
        site.create("/accounts", json!({ "name": name })).await;
    }
    let import = async |lines: &str| {
        browser.open("/accounts?_view=import").await;
        browser.field("Import mode").await.send_keys("Update").await;
        browser.field("Or paste the contents").await.fill(lines).await;
        browser.button("Import").await.click().await;
    };
    let values = async || site.object("/accounts?fields=overdraft&sort=id").await;
    import("id,overdraft\n1,5\n2,5\n").await;
    browser
        .wait_for_text("Nothing was imported: 2 lines have errors.")
        .await;
    browser
        .wait_for_text("It is changed only in a version that was read, and none was sent.")
        .await;
    browser.expect_refusal(428);
    browser.step("without-versions").await;
    site.change("/accounts/2", json!({"name": "C"})).await;
    import("id,overdraft,version\n1,5,1\n2,5,1\n").await;
    browser
        .wait_for_text("Nothing was imported: 1 line has errors.")
        .await;
    browser.expect_refusal(412);
    assert_eq!(values().await, json!([{"overdraft": 0}, {"overdraft": 0}]));
    import("id,overdraft,version\n1,5,1\n2,5,2\n").await;
    browser.wait_for_text("2 rows updated.").await;
    assert_eq!(values().await, json!([{"overdraft": 5}, {"overdraft": 5}]));
}
