//! Many-to-many relations in forms.

use browser_tests::{Browser, Look};
use serde_json::json;

use crate::library_site::LibrarySite;

const DOWN_AND_ENTER: &str = "\u{e015}\u{e007}";
const OPTION: &str = "document.querySelector('[data-field=authors] [role=option]')";

/// Names on the chips.
async fn chosen(browser: &Browser) -> Vec<String> {
    let script = "return [...document.querySelectorAll('.chips > li')].map((chip) => chip.dataset.label)";
    let names = browser.script(script, &[]).await;
    let names = names.as_array().unwrap().iter();
    names.map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Searches for an author and chooses the first one by keyboard.
async fn choose(browser: &Browser, text: &str) {
    let search = browser.field("Authors").await;
    search.fill(text).await;
    browser.wait_until(OPTION).await;
    search.send_keys(DOWN_AND_ENTER).await;
}

async fn write_a_book(site: &LibrarySite, browser: &Browser) {
    browser.open("/books?_view=new").await;
    browser
        .field("Title")
        .await
        .fill("The C Programming Language")
        .await;
    choose(browser, "kern").await;
    choose(browser, "ritchie").await;
    assert_eq!(chosen(browser).await, ["Brian Kernighan", "Dennis Ritchie"]);
    browser.field("Authors").await.fill("e").await;
    browser.wait_for_text("✓ chosen").await;
    browser.step("search").await;
    browser.field("Authors").await.fill("").await;
    browser.step("new").await;
    browser.button("Create").await.click().await;
    browser
        .wait_for_text("Book “The C Programming Language” was created.")
        .await;
    browser.step("created").await;
    let path = browser.path().await;
    assert_eq!(
        site.object(&path).await["authors"],
        json!(["Brian Kernighan", "Dennis Ritchie"])
    );

    browser.link("Edit").await.click().await;
    browser.button("×Remove Brian Kernighan").await.click().await;
    let focused = browser
        .script("return document.activeElement.innerText", &[])
        .await;
    assert!(focused.as_str().unwrap().contains("Dennis Ritchie"), "{focused}");
    choose(browser, "thompson").await;
    browser.step("edit").await;
    // Somebody else adds an author meanwhile, who stays.
    let change = json!({"authors": {"add": ["Donald Knuth"]}});
    site.desk.patch(&path, change).await.expect(200);
    browser.button("Save").await.click().await;
    browser.wait_for_text("was changed.").await;
    assert_eq!(
        site.object(&path).await["authors"],
        json!(["Dennis Ritchie", "Ken Thompson", "Donald Knuth"])
    );
}

/// PAGE-70
#[tokio::test]
async fn authors_of_a_book_are_chosen_and_removed_by_keyboard() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("links").await;
    write_a_book(&site, &browser).await;
}

/// PAGE-70
#[tokio::test]
async fn authors_are_chosen_on_a_dark_phone() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser_with("links-dark-phone", Look::DarkPhone).await;
    write_a_book(&site, &browser).await;
}

/// PAGE-70
#[tokio::test]
async fn an_author_is_created_in_another_tab_and_an_unknown_one_is_reported() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("links-new-author").await;
    browser.open("/books/1?_view=edit").await;
    let link = browser.css("[data-field=authors] [data-new]").await;
    browser
        .in_tab_of(&link, async || {
            // The headers of the desk are those of one tab.
            browser.send_headers(json!({"desk-key": "secret"})).await;
            browser.script("location.reload()", &[]).await;
            browser.field("Name").await.fill("Grace Hopper").await;
            browser.button("Create").await.click().await;
        })
        .await;
    browser
        .wait_for_text("Author “Grace Hopper” was created and chosen.")
        .await;
    browser.field("Authors").await.fill("Nobody").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Choose one from the list.").await;
    browser.step("unknown").await;
    assert_eq!(
        site.object("/books/1").await["authors"],
        json!(["Brian Kernighan", "Rob Pike"])
    );
    browser.field("Authors").await.fill("").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("was changed.").await;
    assert_eq!(
        site.object("/books/1").await["authors"],
        json!(["Brian Kernighan", "Rob Pike", "Grace Hopper"])
    );
}

/// PAGE-70: an author who is deleted meanwhile is reported beside the chips.
#[tokio::test]
async fn an_author_who_is_gone_is_named() {
    let site = LibrarySite::start().await;
    let browser = site.desk_browser("links-gone").await;
    browser.open("/books/1?_view=edit").await;
    choose(&browser, "knuth").await;
    choose(&browser, "liskov").await;
    let change = json!({"name": "Barbara Jane Liskov"});
    site.desk.patch("/authors/5", change).await.expect(200);
    browser.button("Save").await.click().await;
    browser.wait_for_text("Barbara Liskov: ").await;
    browser.expect_refusal(400);
    browser.step("gone").await;
    assert_eq!(
        site.object("/books/1").await["authors"],
        json!(["Brian Kernighan", "Rob Pike"])
    );
}
