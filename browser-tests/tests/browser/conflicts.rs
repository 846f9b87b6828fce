//! Changes of one object by two people at a time.

use serde_json::json;

use crate::site::{ARTICLES, Person, Site};

/// PAGE-49
#[tokio::test]
async fn a_form_asks_before_it_overwrites_what_somebody_else_has_stored() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "conflicts").await;
    let path = format!("{ARTICLES}/1");
    let summary = async || site.object(&path).await["summary"].clone();
    browser.open(&format!("{path}?_view=edit")).await;
    let other = json!({"summary": "Theirs."});
    site.admin.patch(&path, other).await.expect(200);
    browser.field("Summary").await.fill("Mine.").await;
    browser.button("Save").await.click().await;
    browser
        .wait_for_text("Changed by someone else in the meantime")
        .await;
    browser
        .wait_for_text("Summary: stored is Theirs., yours is Mine.")
        .await;
    browser.step("both-values").await;
    browser.button("Cancel").await.click().await;
    assert_eq!(summary().await, "Theirs.");
    browser.button("Save").await.click().await;
    browser.button("Overwrite").await.click().await;
    browser.wait_for_text("was changed.").await;
    assert_eq!(summary().await, "Mine.");
}

/// PAGE-49
#[tokio::test]
async fn changes_of_other_fields_are_both_kept_without_a_question() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "conflicts-others").await;
    let path = format!("{ARTICLES}/1");
    browser.open(&format!("{path}?_view=edit")).await;
    let other = json!({"title": "Theirs", "rating": 2.5});
    site.admin.patch(&path, other).await.expect(200);
    browser.field("Summary").await.fill("Mine.").await;
    browser.field("Rating").await.fill("2.5").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("was changed.").await;
    let article = site.object(&path).await;
    assert_eq!(
        (&article["title"], &article["summary"], &article["rating"]),
        (&json!("Theirs"), &json!("Mine."), &json!(2.5))
    );
}

/// PAGE-49: what is stored after the comparison is not overwritten without a question either.
#[tokio::test]
async fn what_is_stored_during_the_question_is_asked_about_too() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "conflicts-again").await;
    let path = format!("{ARTICLES}/1");
    browser.open(&format!("{path}?_view=edit")).await;
    let (first, second) = (json!({"summary": "First."}), json!({"summary": "Second."}));
    site.admin.patch(&path, first).await.expect(200);
    browser.field("Summary").await.fill("Mine.").await;
    browser.button("Save").await.click().await;
    browser.wait_for_text("stored is First., yours is Mine.").await;
    site.admin.patch(&path, second).await.expect(200);
    browser.button("Overwrite").await.click().await;
    browser.wait_for_text("stored is Second., yours is Mine.").await;
    assert_eq!(site.object(&path).await["summary"], "Second.");
    browser.button("Overwrite").await.click().await;
    browser.wait_for_text("was changed.").await;
    assert_eq!(site.object(&path).await["summary"], "Mine.");
}

/// PAGE-77
#[tokio::test]
async fn an_article_that_somebody_else_has_changed_is_deleted_only_after_a_question() {
    let site = Site::start().await;
    let browser = site.browser(Person::Admin, "conflicts-delete").await;
    let path = format!("{ARTICLES}/1");
    browser.open(&format!("{path}?_view=delete")).await;
    let other = json!({"summary": "Theirs."});
    site.admin.patch(&path, other).await.expect(200);
    browser.button("Delete").await.click().await;
    browser
        .wait_for_text("Changed by someone else in the meantime")
        .await;
    browser.expect_refusal(412);
    browser.step("question").await;
    browser.button("Cancel").await.click().await;
    assert_eq!(site.object(&path).await["summary"], "Theirs.");
    browser.button("Delete").await.click().await;
    browser.button("Delete anyway").await.click().await;
    browser.wait_for_text("was deleted.").await;
    site.admin.get(&path).await.expect(404);
}
