//! Routes that an application leaves out, replaces or puts elsewhere.

use model_resource::Field;
use model_resource::{
    Api, Context, Model, ModelResource, Operations, PATCH, Pages, Reply, Result, model_resource, route,
};
use model_resource::{Draft, GET, MethodDecorators};
use model_resource_security::{
    Account, AccountLimits, AccountRoute, AccountRoutes, AccountSerializer, Roles, Security, auth_required,
};
use serde_json::json;
use test_support::TestApp;

use crate::readers::{Library, PASSWORD, Reader, ReaderSecurity};

/// The name alone.
#[route("/status", decorators = [auth_required()])]
async fn own_status(cx: Context) -> Result<Reply> {
    Reply::json(&cx.caller().name())
}

/// SEC-54: each route can be left out or replaced by a view, below a prefix of the application's choice.
#[tokio::test]
async fn routes_are_left_out_replaced_and_moved() {
    let left_out = [
        AccountRoute::Register,
        AccountRoute::Disable,
        AccountRoute::Enable,
        AccountRoute::Logout,
        AccountRoute::Password,
        AccountRoute::Tokens,
        AccountRoute::Sessions,
    ];
    let routes = left_out
        .into_iter()
        .fold(ReaderSecurity::routes(), |routes, route| routes.without(route));
    let routes = routes
        .prefix("/library/account")
        .replace(AccountRoute::Status, own_status);
    let app = Library::with_routes(routes).await;
    let reader = app.add("a-17").await;
    for url in ["/register", "/logout", "/password", "/tokens", "/sessions"] {
        app.post(&format!("/library/account{url}"), json!({}))
            .await
            .expect(404);
    }
    for action in ["disable", "enable"] {
        let url = format!("/library/account/users/{}/{action}", reader.id);
        app.post(&url, json!({})).await.expect(404);
    }
    app.post("/auth/login", json!({})).await.expect(404);
    let login = json!({"cardNumber": "a-17", "password": PASSWORD});
    let login = app.post("/library/account/login", login).await.expect(200).json();
    let ann = app.with_token(login["token"].as_str().unwrap());
    ann.get("/library/account/status")
        .await
        .expect_json(200, json!("a-17"));
    app.get("/library/account/status").await.expect(401);
}

/// An account that can neither be disabled nor have a role.
#[derive(Debug, Clone, Model)]
#[model(table = "guests")]
struct Guest {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(hidden)]
    hash: String,
}

impl Account for Guest {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Guest::NAME];
    const PASSWORD_HASH: Field<Self, String> = Guest::HASH;
}

/// SEC-54: an account without a column of disabled accounts has no routes for it, and one without roles has none.
#[tokio::test]
async fn an_account_without_such_a_column_cannot_be_disabled() {
    let api = Api::new("hotel")
        .authenticator(Security::<Guest>::new())
        .register(Security::<Guest>::routes());
    assert!(!Roles::<Guest>::none().is_stored());
    let app = TestApp::with_api(api).await;
    let new = json!({"name": "Ann", "password": PASSWORD});
    let ann = app.post("/auth/register", new.clone()).await.expect(201).json();
    assert_eq!(ann, json!({"id": 1, "name": "ann"}));
    app.post("/auth/users/1/disable", json!({})).await.expect(404);
    let login = app.post("/auth/login", new).await.expect(200).json();
    let ann = app.with_token(login["token"].as_str().unwrap());
    let status = ann.get("/auth/status").await.expect(200).json();
    assert_eq!(status["roles"], json!([]));
}

/// A resource of accounts beside the routes.
struct ReaderResource;

#[model_resource(Reader, "/readers/<uuid:id>", serializer = AccountSerializer<Reader>)]
impl ModelResource for ReaderResource {
    const INCLUDE_METHODS: Operations = Operations::of([GET, PATCH]);

    fn method_decorators() -> MethodDecorators {
        AccountLimits::new().method_decorators()
    }

    async fn patch(cx: Context, security: ReaderSecurity, reader: Draft<Reader>) -> Result<Reply> {
        security.change(cx, reader).await
    }
}

/// SEC-54: a resource of accounts changes the password with the old one beside it, which ends all credentials.
#[tokio::test]
async fn a_resource_of_accounts_changes_columns_and_passwords() {
    let api = Api::new("library")
        .authenticator(ReaderSecurity::new())
        .register(ReaderSecurity::routes())
        .model_resource::<ReaderResource>();
    let app = Library::with_api(api).await;
    let (reader, ann) = app.reader("a-17").await;
    let (_, bob) = app.reader("b-1").await;
    let url = format!("/readers/{}", reader.id);
    let changed = ann
        .patch(&url, json!({"cardNumber": "A-18"}))
        .await
        .expect(200)
        .json();
    assert_eq!(changed["cardNumber"], "a-18");
    let before = app.database().rows();
    bob.patch(&url, json!({"cardNumber": "x-1"})).await.expect(403);
    ann.patch(&url, json!({"cardNumber": "x 1"})).await.expect(400);
    ann.patch(&url, json!({"password": "battery staple"}))
        .await
        .expect(400);
    let wrong = json!({"password": "battery staple", "oldPassword": "incorrect horse"});
    ann.patch(&url, wrong).await.expect_json(
        400,
        json!({"errors": {"oldPassword": ["This is not your password."]}}),
    );
    assert_eq!(app.database().rows(), before);
    let right = json!({"password": "battery staple", "oldPassword": PASSWORD});
    ann.patch(&url, right).await.expect(200);
    ann.get("/auth/status").await.expect(401);
    app.log_in("a-18", "battery staple").await.expect(200);
}

/// PAGE-74: the pages use the views of the account routes, unless the application names others or leaves them out.
#[tokio::test]
async fn the_pages_use_the_routes() {
    let routes = || ReaderSecurity::routes().prefix("/account");
    let page = async |routes: AccountRoutes<Reader>, pages: Pages| {
        let api = Api::new("library")
            .register(routes)
            .authenticator(ReaderSecurity::new())
            .pages(pages);
        let app = TestApp::with_api(api).await;
        let browser = app.with_header("accept", "text/html");
        browser.get("/").await.expect(200).text()
    };
    let shown = page(routes(), Pages::new()).await;
    assert!(
        shown.contains("<meta name=\"login\" content=\"/account/login"),
        "{shown}"
    );
    let without = page(routes().without(AccountRoute::Login), Pages::new()).await;
    assert!(!without.contains("<meta name=\"login\""), "{without}");
    let other = page(routes(), Pages::new().login("/account/logout")).await;
    assert!(
        other.contains("<meta name=\"login\" content=\"/account/logout"),
        "{other}"
    );
}
