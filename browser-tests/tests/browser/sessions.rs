//! Log in, log out, and a session that ended in another tab.

use crate::site::{ARTICLES, Person, Site, log_in};

#[tokio::test]
async fn people_log_in_with_a_wrong_password_first_and_log_out() {
    let site = Site::start().await;
    let browser = site.browser(Person::Visitor, "sessions").await;
    browser.open(&format!("{ARTICLES}?sort=title")).await;
    assert!(!browser.text().await.contains("root"));
    browser.link("Log in").await.click().await;
    browser.step("login").await;
    browser.field("Email").await.fill("root").await;
    browser.field("Password").await.fill("wrong horse").await;
    browser.button("Log in").await.click().await;
    browser.wait_for_text("Wrong credentials.").await;
    browser.expect_refusal(401);
    browser.step("wrong").await;
    browser.field("Password").await.fill("correct horse").await;
    browser.button("Log in").await.click().await;
    browser.wait_for_text("root").await;
    browser.wait_for_path("sort=title").await;
    browser.step("logged-in").await;
    browser.button("Log out").await.click().await;
    browser.wait_for_text("Not logged in").await;
    browser.step("logged-out").await;
}

#[tokio::test]
async fn a_form_is_kept_when_the_session_ended_in_another_tab() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "ended-session").await;
    browser.open(&format!("{ARTICLES}?_view=new")).await;
    browser.field("Title").await.fill("Kept").await;
    browser.field("Body").await.fill("Kept as well.").await;
    browser
        .in_other_tab(ARTICLES, async || {
            browser.button("Log out").await.click().await;
            browser.wait_for_text("Not logged in").await;
        })
        .await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("Your session has ended.").await;
    browser.expect_refusal(401);
    browser.step("log-in-again").await;
    browser.css("dialog [name=email]").await.fill("ann").await;
    browser
        .css("dialog [name=password]")
        .await
        .fill("correct horse")
        .await;
    browser.css("dialog button[type=submit]").await.click().await;
    browser.wait_for_text("Article “Kept” was created.").await;
    browser.step("created").await;
    let created = site.object(&browser.path().await).await;
    assert_eq!(
        (created["title"].as_str(), created["authorId"].as_i64()),
        (Some("Kept"), Some(1))
    );
}

#[tokio::test]
async fn a_visitor_is_offered_no_writes_and_an_author_only_those_on_own_articles() {
    let site = Site::start().await;
    let browser = site.browser(Person::Visitor, "offers").await;
    browser.open(&format!("{ARTICLES}/3")).await;
    browser.step("visitor").await;
    let offers = "return [...document.querySelectorAll('main a.button')].map(link => link.innerText.trim())";
    let names = browser.script(offers, &[]).await.to_string();
    assert!(!names.contains("Edit") && !names.contains("Delete"), "{names}");
    log_in(&browser, Person::Author).await;
    browser.open(&format!("{ARTICLES}/3")).await;
    browser.step("author").await;
    let names = browser.script(offers, &[]).await.to_string();
    assert!(names.contains("Edit") && names.contains("Delete"), "{names}");
}

/// PAGE-48
#[tokio::test]
async fn the_secret_of_a_new_token_is_shown_once() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "sessions-token").await;
    browser.open("/api/v1/auth/tokens?_view=new").await;
    browser.field("Name").await.fill("laptop").await;
    let tomorrow = "new Date(Date.now() + 86400e3).toISOString().slice(0, 19)";
    let end = format!("document.querySelector('[name=expiresAt]').value = {tomorrow}");
    browser.script(&end, &[]).await;
    browser.button("Create").await.click().await;
    browser.wait_for_text("It is shown only now.").await;
    browser.step("shown").await;
    let token = browser.css("[aria-label='Shown once'] pre").await.text().await;
    let laptop = site.app.anonymous.with_token(&token);
    let status = laptop.get("/api/v1/auth/status").await.expect(200).json();
    assert_eq!(status["user"]["username"], "ann");
    let kept =
        "return JSON.stringify([location.href, document.cookie, {...sessionStorage}, {...localStorage}])";
    let is_kept = async || {
        let kept = browser.script(kept, &[]).await;
        kept.as_str().unwrap().contains(&token)
    };
    assert!(!is_kept().await);
    browser.link("Continue").await.click().await;
    browser.wait_for_text("laptop").await;
    assert!(!is_kept().await && !browser.text().await.contains(&token));
    browser.open("/api/v1/auth/tokens?_view=new").await;
    assert!(!browser.text().await.contains(&token));
}

/// PAGE-26
#[tokio::test]
async fn sessions_are_named_by_their_keys() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "sessions-list").await;
    browser.open("/api/v1/auth/sessions").await;
    let heading = browser.css("tbody th").await.text().await;
    assert!(heading.parse::<i64>().is_ok(), "{heading}");
    browser.step("list").await;
}

/// PAGE-54
#[tokio::test]
async fn the_password_is_changed_from_the_account() {
    let site = Site::start().await;
    let browser = site.browser(Person::Author, "sessions-password").await;
    browser.open(ARTICLES).await;
    browser.link("ann").await.click().await;
    browser.link("Change password").await.click().await;
    browser
        .field("Current password")
        .await
        .fill("correct horse")
        .await;
    browser.field("New password").await.fill("battery staple").await;
    browser
        .field("New password again")
        .await
        .fill("battery stable")
        .await;
    browser.button("Change password").await.click().await;
    browser.wait_for_text("It is not the same.").await;
    browser.step("not-the-same").await;
    browser
        .field("New password again")
        .await
        .fill("battery staple")
        .await;
    browser.button("Change password").await.click().await;
    browser.wait_for_text("Done.").await;
    let login = serde_json::json!({"email": "ann", "password": "battery staple", "credential": "token"});
    let login = site.app.anonymous.post("/api/v1/auth/login", login).await;
    login.expect(200);
}
