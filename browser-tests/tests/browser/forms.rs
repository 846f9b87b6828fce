//! Forms: create with an error first, correct it, edit and delete; children inline.

use browser_tests::{Browser, Look};
use serde_json::json;

use crate::site::{ARTICLES, Person, Site};

/// Creates an article with an error first, corrects it, changes it and deletes it.
async fn write_an_article(site: &Site, browser: &Browser) {
    browser.open(ARTICLES).await;
    browser.link("New").await.click().await;
    browser
        .wait_until("document.activeElement.name === 'title'")
        .await;
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

/// PAGE-79: neither while its request is under way, nor between the answer and the next page.
#[tokio::test]
async fn a_form_that_is_submitted_several_times_is_sent_once() {
    let site = Site::start().await;
    let browser = site.browser(Person::Visitor, "forms-once").await;
    browser
        .open(&format!("{ARTICLES}/1/comments?_view=new&_next={ARTICLES}/1"))
        .await;
    browser.field("Name").await.fill("Zoe").await;
    browser.field("Body").await.fill("So do I.").await;
    let submit = "
        const form = document.querySelector('form[data-submit]');
        form.addEventListener('saved', () => setTimeout(() => form.requestSubmit(), 0));
        form.requestSubmit();
        form.requestSubmit();";
    browser.script(submit, &[]).await;
    browser.wait_for_text("Comment “Zoe” was created.").await;
    let comments = site.object(&format!("{ARTICLES}/1/comments?name=Zoe")).await;
    assert_eq!(comments.as_array().map(Vec::len), Some(1));
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
    let focused = browser.script("return document.activeElement.name", &[]).await;
    assert_eq!(focused, "name", "the first field has the focus");
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

/// PAGE-36
#[tokio::test]
async fn a_key_that_a_number_of_javascript_would_round_is_chosen_exactly() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "forms-large-key").await;
    browser.open(&format!("{ARTICLES}/1?_view=edit")).await;
    let large = "[{\"id\": 9007199254740993, \"name\": \"Large, \\\"9007199254740993\\\"\"}]";
    let reply = "const text = arguments[0]; window.fetch = async () => new Response(text);";
    browser.script(reply, &[json!(large)]).await;
    browser.field("Category").await.fill("Large").await;
    browser
        .wait_until("document.querySelector('[data-field=categoryId] [role=option]')")
        .await;
    browser
        .field("Category")
        .await
        .send_keys("\u{e015}\u{e007}")
        .await;
    let chosen = "return [...document.querySelectorAll('[data-field=categoryId] input')].map((input) => input.value).sort()";
    assert_eq!(
        browser.script(chosen, &[]).await,
        json!(["9007199254740993", "Large, \"9007199254740993\""])
    );
}

/// PAGE-36
#[tokio::test]
async fn a_text_that_names_no_object_is_kept_and_reported() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "forms-unmatched").await;
    let path = format!("{ARTICLES}/1");
    let before = site.object(&path).await;
    browser.open(&format!("{path}?_view=edit")).await;
    browser.field("Category").await.fill("zzz").await;
    browser.wait_for_text("Nothing found.").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Choose one from the list.").await;
    browser.step("unmatched").await;
    assert_eq!(browser.field("Category").await.property("value").await, "zzz");
    assert_eq!(site.object(&path).await, before);
    browser.field("Category").await.fill("rust").await;
    browser
        .wait_until("document.querySelector('[data-field=categoryId] [role=option]')")
        .await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("was changed.").await;
    assert_eq!(
        site.object(&path).await["categoryId"],
        1,
        "the only object of this name"
    );
    browser.open(ARTICLES).await;
    browser.css(".filters summary").await.click().await;
    browser
        .css("[data-filter=categoryId] [role=combobox]")
        .await
        .fill("zzz")
        .await;
    browser.button("Apply").await.click().await;
    let invalid =
        "document.querySelector('[data-filter=categoryId] [role=combobox]:invalid')?.value === 'zzz'";
    browser.wait_until(invalid).await;
    assert_eq!(browser.path().await, ARTICLES);
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

/// PAGE-38
#[tokio::test]
async fn only_changed_fields_of_any_type_are_written() {
    let site = Site::start().await;
    let sample = json!({
        "flag": true, "small": -7, "number": 70_000, "big": 9_007_199_254_740_993_i64, "single": 0.5, "ratio": 0.1,
        "text": "two\nlines", "blob": "AAECAw==", "amount": "12.5000", "day": "2024-02-29", "clock": "23:59:59",
        "moment": "2024-05-06T07:08:09.123456Z", "token": "0191d5f0-c0de-7000-8000-00000000abcd",
        "extra": {"a": [1, 2.50]}, "color": "red", "maybeMoment": "2024-05-06T07:08:00Z",
    });
    let created = site.create("/api/v1/samples", sample).await;
    let path = format!("/api/v1/samples/{}", created["id"].as_str().unwrap());
    let before = site.object(&path).await;
    let browser = site.browser(Person::Admin, "forms-types").await;
    browser.open(&format!("{path}?_view=edit")).await;
    browser.step("sample").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("Nothing was changed.").await;
    assert_eq!(site.object(&path).await, before);

    browser.open(&format!("{path}?_view=edit")).await;
    browser.field("Amount").await.fill("12,5").await;
    browser.button("Save").await.click().await;
    browser
        .wait_for_text("Enter a number with at most 4 decimals")
        .await;
    browser.field("Amount").await.fill("13.25").await;
    browser
        .css("[data-field=maybeDay] [data-now]")
        .await
        .click()
        .await;
    browser
        .css("[data-field=maybeMoment] [data-now]")
        .await
        .click()
        .await;
    browser.step("changed").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("was changed.").await;
    let mut after = site.object(&path).await;
    let today = model_resource::Timestamp::now().to_string();
    for (field, length) in [("maybeDay", 10), ("maybeMoment", 13)] {
        let set = after[field].as_str().unwrap().to_owned();
        assert_eq!(set[..length], today[..length], "{field}");
        after[field] = before[field].clone();
    }
    assert_eq!(after["amount"], "13.2500");
    after["amount"] = before["amount"].clone();
    assert_eq!(after, before);
}

/// PAGE-38
#[tokio::test]
async fn bytes_of_an_object_are_saved_to_a_file() {
    let site = Site::start().await;
    let sample = json!({
        "flag": true, "small": 1, "number": 1, "big": 1, "single": 0.5, "ratio": 0.1, "text": "picture",
        "blob": "iVBORw0KGgo=", "amount": "1", "day": "2024-02-29", "clock": "23:59:59",
        "moment": "2024-05-06T07:08:09Z", "token": "0191d5f0-c0de-7000-8000-00000000abcd", "extra": {}, "color": "red",
    });
    let created = site.create("/api/v1/samples", sample).await;
    let browser = site.browser(Person::Admin, "forms-bytes").await;
    let id = created["id"].as_str().unwrap();
    browser.open(&format!("/api/v1/samples/{id}")).await;
    browser.step("object").await;
    let watch = "
        window.files = [];
        HTMLAnchorElement.prototype.click = function () {
            window.files.push(this.download);
        };
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then((text) => window.files.push(text)); return make(blob); };";
    browser.script(watch, &[]).await;
    browser.button("Download Blob").await.click().await;
    browser.wait_until("window.files.length === 2").await;
    let files = browser.script("return window.files", &[]).await.to_string();
    assert!(
        files.contains("picture-blob.png") && files.contains("PNG\\r\\n"),
        "{files}"
    );
}
