//! The caller's account: a link to it, and the form of a new password.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{Api, JsonBody, Model, Pages, model_resource, route};
use serde::Deserialize;
use test_support::{Client, HeaderAuthenticator, TestApp};

/// A member of the club.
#[derive(Debug, Clone, Model)]
struct Member {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Member, "/members", "/members/<int:id>")]
struct MemberResource;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the test sends no body")]
struct Passwords {
    password: String,
    #[schemars(length(min = 8))]
    new_password: String,
}

#[route("/password", methods = [POST])]
async fn change_password(JsonBody(_passwords): JsonBody<Passwords>) {}

async fn app() -> TestApp {
    let api = Api::new("club")
        .prefix("/api")
        .authenticator(HeaderAuthenticator)
        .model_resource::<MemberResource>()
        .route(change_password)
        .pages(Pages::new().account("/members/<int:id>").password("/password"));
    let app = TestApp::with_api(api).await;
    app.database()
        .execute("INSERT INTO members (id, name) VALUES (7, 'Ann'), (8, 'Ben')");
    app
}

async fn page(caller: &Client, path: &str) -> String {
    let page = caller.with_header("accept", "text/html").get(path).await;
    page.expect(200).text()
}

/// PAGE-54
#[tokio::test]
async fn the_name_of_the_caller_links_to_their_account() {
    let app = app().await;
    let ann = app.as_caller("7");
    let link = "<a href=\"/api/members/7\">User 7</a>";
    assert!(page(&ann, "/api").await.contains(link));
    assert!(!page(&app.anonymous, "/api").await.contains("/api/members/7"));
    let password = "href=\"/api/password\">Change password</a>";
    assert!(page(&ann, "/api/members/7").await.contains(password));
    assert!(!page(&ann, "/api/members/8").await.contains(password));
}

/// PAGE-54
#[tokio::test]
async fn a_new_password_is_repeated_in_its_form() {
    let app = app().await;
    let form = page(&app.as_caller("7"), "/api/password").await;
    for part in [
        "<h1>Change password</h1>",
        "for=\"field-password\">Current password ",
        "data-repeats=\"newPassword\"",
        ">New password again ",
        ">At least 8 characters.<",
        "data-next=\"/api/members/7\"",
        "class=\"primary\">Change password</button>",
    ] {
        assert!(form.contains(part), "{part}: {form}");
    }
}
