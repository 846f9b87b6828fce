//! Forms: create with an error first, correct it, edit and delete; children inline.

use browser_tests::{Browser, Look};
use serde_json::json;

use crate::site::{ARTICLES, Person, Site};

/// Creates an article with an error first, corrects it, changes it and deletes it.
async fn write_an_article(site: &Site, browser: &Browser) {
    browser.open(ARTICLES).await;
    browser.link("New").await.click().await;
    browser.field("Title").await.fill("Frost").await;
    browser.field("Rating").await.fill("4.5").await;
    browser.step("form").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("One thing needs to be corrected").await;
    browser.step("error").await;
    let focused = browser.script("return document.activeElement.name", &[]).await;
    assert_eq!(focused, "body", "the first field with an error has the focus");

    browser.field("Body").await.fill("White and cold.").await;
    browser.field("Category").await.fill("Gar").await;
    browser.css("[role=option]").await.click().await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("Article “Frost” was created.").await;
    browser.step("created").await;
    let path = browser.path().await;
    let created = site.object(&path).await;
    assert_eq!(created["title"], "Frost");
    assert_eq!(created["body"], "White and cold.");
    assert_eq!(created["rating"], 4.5);
    assert_eq!(created["categoryId"], 2);

    browser.link("Edit").await.click().await;
    browser.field("Title").await.fill("Hoarfrost").await;
    browser.field("Published").await.click().await;
    browser.step("edit").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Article “Hoarfrost” was changed.").await;
    browser.step("saved").await;
    let saved = site.object(&path).await;
    assert_eq!(
        (&saved["title"], &saved["published"]),
        (&json!("Hoarfrost"), &json!(true))
    );

    browser.link("Delete").await.click().await;
    browser.wait_for_text("This cannot be undone.").await;
    browser.step("delete").await;
    browser.button("Delete").await.click().await;
    browser.wait_for_text("Article “Hoarfrost” was deleted.").await;
    browser.step("deleted").await;
    site.admin.get(&path).await.expect(404);
}

#[tokio::test]
async fn an_author_creates_with_an_error_corrects_edits_and_deletes_an_article() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "forms-author").await;
    write_an_article(&site, &browser).await;
}

#[tokio::test]
async fn an_admin_writes_an_article_on_a_dark_phone() {
    let site = Site::start().await;
    let browser = site
        .browser_with(Person::Admin, "forms-admin-phone", Look::DarkPhone)
        .await;
    write_an_article(&site, &browser).await;
}

#[tokio::test]
async fn a_message_of_the_server_is_shown_beside_its_field() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "forms-server-error").await;
    browser.open("/api/v1/categories?_view=new").await;
    browser.field("Name").await.fill("Rust").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("Name is already taken.").await;
    browser.expect_refusal(400);
    browser.step("taken").await;
}

#[tokio::test]
async fn tags_and_comments_are_shown_and_added_inline() {
    let site = Site::start().await;
    let browser = site.browser(Person::Visitor, "children").await;
    browser.open(&format!("{ARTICLES}/1")).await;
    browser.wait_for_text("Ben").await;
    browser.wait_for_text("Eva").await;
    browser.step("article").await;
    browser.link("Add to Comments").await.click().await;
    browser.field("Name").await.fill("Zoe").await;
    browser.field("Body").await.fill("So do I.").await;
    browser.step("comment").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("Comment “Zoe” was created.").await;
    browser.step("commented").await;
    let comments = site.object(&format!("{ARTICLES}/1/comments")).await;
    assert_eq!(comments.as_array().map(Vec::len), Some(3));

    browser.open("/api/v1/tags").await;
    browser.wait_for_text("cedar").await;
    browser.step("tags").await;
    browser.link("New").await.click().await;
    browser.field("Name").await.fill("winter").await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("Tag “winter” was created.").await;
    browser.step("tag-created").await;
}

/// PAGE-35
#[tokio::test]
async fn a_form_is_saved_and_continued_or_begun_again() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "forms-continued").await;
    let status = "return document.querySelector('[role=status]').innerText";
    browser.open("/api/v1/categories?_view=new").await;
    browser.field("Name").await.fill("Bridges <b>").await;
    browser.button("Create and add another").await.click().await;
    browser.wait_for_text("Category “Bridges <b>” was created.").await;
    assert_eq!(browser.path().await, "/api/v1/categories?_view=new");
    assert_eq!(browser.field("Name").await.property("value").await, "");
    browser.step("another").await;
    browser.link("Bridges <b>").await.click().await;
    browser.wait_for_path("/api/v1/categories/3").await;
    assert_eq!(
        browser.script(status, &[]).await,
        "",
        "a message is shown only once"
    );

    browser.link("Edit").await.click().await;
    browser.field("Name").await.fill("Towers").await;
    browser.button("Save and continue editing").await.click().await;
    browser.wait_for_text("Category “Towers” was changed.").await;
    assert_eq!(browser.path().await, "/api/v1/categories/3?_view=edit");
    browser.step("continued").await;
    browser.button("Save and add another").await.click().await;
    browser.wait_for_text("Nothing was changed.").await;
    assert_eq!(browser.path().await, "/api/v1/categories?_view=new");
}

/// PAGE-35
#[tokio::test]
async fn the_way_back_from_an_object_leads_to_the_same_rows() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "forms-way-back").await;
    let list = format!("{ARTICLES}?published=false&pageSize=2&page=2");
    browser.open(&list).await;
    browser.css("tbody th a").await.click().await;
    browser.link("Edit").await;
    browser.css(".crumbs a").await.click().await;
    browser.wait_for_path("?").await;
    assert_eq!(browser.path().await, list, "by the path above the page");
    browser.css("tbody th a").await.click().await;
    browser.link("Delete").await.click().await;
    browser.button("Delete").await.click().await;
    browser.wait_for_text("was deleted.").await;
    assert_eq!(browser.path().await, list, "after a deletion");
}

/// PAGE-36
#[tokio::test]
async fn a_new_object_is_created_in_another_tab_and_chosen() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "forms-new-reference").await;
    let link = "return document.querySelector('[data-field=categoryId] [data-open]').getAttribute('href')";
    browser.open(&format!("{ARTICLES}/1?_view=edit")).await;
    assert_eq!(browser.script(link, &[]).await, "/api/v1/categories/2");
    browser.field("Summary").await.fill("Not saved yet.").await;
    browser
        .in_tab_of(
            &browser.css("[data-field=categoryId] [data-new]").await,
            async || {
                browser.field("Name").await.fill("Bridges").await;
                browser.step("new-category").await;
                browser.button("Create").await.click().await;
            },
        )
        .await;
    browser
        .wait_for_text("Category “Bridges” was created and chosen.")
        .await;
    assert_eq!(browser.field("Category").await.property("value").await, "Bridges");
    assert_eq!(browser.script(link, &[]).await, "/api/v1/categories/3");
    browser.step("chosen").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("was changed.").await;
    let article = site.object(&format!("{ARTICLES}/1")).await;
    assert_eq!(
        (&article["categoryId"], &article["summary"]),
        (&json!(3), &json!("Not saved yet."))
    );
}

/// PAGE-37
#[tokio::test]
async fn an_author_is_told_why_another_article_cannot_be_changed() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "forms-refused").await;
    browser.open(&format!("{ARTICLES}/1")).await;
    browser
        .wait_for_text("You may not change or delete this article.")
        .await;
    browser.step("refused").await;
    let offers = "return document.querySelectorAll('main .heading a.button.primary, main a.danger').length";
    assert_eq!(browser.script(offers, &[]).await, 0);
    browser.open(&format!("{ARTICLES}/1?_view=edit")).await;
    browser.wait_for_text("You may not change this.").await;
    browser.step("no-form").await;
}
