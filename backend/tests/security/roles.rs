//! Decorators that require roles, in every position.

use axum::Router;
use backend::api::{Api, DELETE, GET, LIST, MethodDecorators, ModelResource, ModelSerializer, PATCH};
use backend::models::User;
use backend::security::{
    CurrentUser, anonymous_user_required, auth_required, auth_required_same_user, roles_accepted,
    roles_required,
};
use backend::{app, extensions, views};
use model_resource::{Model, Reply, Result, Store, model_resource, route, serializer};
use model_resource_security::Security;
use serde_json::json;
use test_support::{Client, TestApp, startup_errors};

use crate::support::BackendApp;

#[derive(Debug, Clone, Model)]
#[model(table = "memos")]
struct Memo {
    #[column(primary_key)]
    id: i64,
    text: String,
}

struct MemoSerializer;

#[serializer]
impl ModelSerializer for MemoSerializer {
    type Model = Memo;
}

struct MemoResource;

#[model_resource(Memo, "/memos", "/memos/<int:id>")]
impl ModelResource for MemoResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on([LIST, GET], auth_required())
            .on(PATCH, auth_required().roles(["editor", "press"]))
            .on(DELETE, auth_required().role("admin"))
            .every(roles_accepted(["editor", "press", "reader"]))
    }
}

#[route("/known", decorators = [auth_required()])]
async fn known(CurrentUser(user): CurrentUser<User>) -> Result<Reply> {
    Reply::json(&user.map(|user| user.username))
}

#[route("/visitors", decorators = [anonymous_user_required()])]
async fn visitors(CurrentUser(user): CurrentUser<User>) -> Result<Reply> {
    Reply::json(&user.map(|user| user.username))
}

#[route("/editors", decorators = [auth_required().role("editor")])]
async fn editors() -> Result<Reply> {
    Reply::json(&"editors")
}

#[route("/both", decorators = [roles_required(["editor", "press"])])]
async fn both() -> Result<Reply> {
    Reply::json(&"both")
}

#[route("/either", decorators = [auth_required().one_of(["editor", "press"])])]
async fn either() -> Result<Reply> {
    Reply::json(&"either")
}

#[route("/nobody", decorators = [roles_accepted([""; 0])])]
async fn nobody() -> Result<Reply> {
    Reply::json(&"nobody")
}

#[route("/homes/<int:user_id>/rooms/<int:room>", decorators = [auth_required_same_user().by("user_id")])]
async fn rooms() -> Result<Reply> {
    Reply::json(&"rooms")
}

#[route("/rooms/<int:room>", decorators = [auth_required_same_user().by("user_id")])]
async fn homeless() -> Result<Reply> {
    Reply::json(&"rooms")
}

fn security() -> Security<User> {
    Security::new()
        .role_includes("admin", ["editor"])
        .role_includes("editor", ["reader"])
}

async fn start(change: impl FnOnce(Api) -> Api) -> BackendApp {
    let api = views::register(extensions::api::api())
        .authenticator(security())
        .serializer::<MemoSerializer>()
        .model_resource::<MemoResource>()
        .route(known)
        .route(visitors)
        .route(editors)
        .route(both)
        .route(either)
        .route(nobody)
        .route(rooms);
    let mut tables = app::APPLICATION.tables().to_vec();
    tables.push(Memo::table());
    let serve = |store: Store| change(api).store(store).init_app(Router::new());
    BackendApp(TestApp::with_router(&tables, serve).await)
}

async fn statuses(client: &Client, urls: &[&str]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for url in urls {
        statuses.push(client.get(&format!("/api/v1{url}")).await.status.as_u16());
    }
    statuses
}

/// SEC-19: with and without arguments, 401 for anonymous callers and 403 for a missing role; roles may include others.
#[tokio::test]
async fn decorators_require_authentication_one_role_all_roles_or_any_role() {
    let app = start(|api| api).await;
    let urls = ["/known", "/visitors", "/editors", "/both", "/either", "/nobody"];
    assert_eq!(statuses(&app, &urls).await, [401, 200, 401, 401, 401, 401]);
    let (_, ann) = app.user("ann").await;
    for (roles, expected) in [
        ("", [200, 403, 403, 403, 403, 403]),
        ("reader", [200, 403, 403, 403, 403, 403]),
        ("press", [200, 403, 403, 403, 200, 403]),
        ("editor", [200, 403, 200, 403, 200, 403]),
        ("editor press", [200, 403, 200, 200, 200, 403]),
        ("admin", [200, 403, 200, 403, 200, 403]),
        ("admin press", [200, 403, 200, 200, 200, 403]),
        ("Editor", [200, 403, 403, 403, 403, 403]),
        ("editors", [200, 403, 403, 403, 403, 403]),
    ] {
        app.grant("ann", roles);
        assert_eq!(statuses(&ann, &urls).await, expected, "{roles:?}");
    }
}

/// SEC-19: roles work in `method_decorators`; a rejected request does not change the row.
#[tokio::test]
async fn roles_guard_the_operations_of_a_resource() {
    let app = start(|api| api).await;
    let (_, ann) = app.user("ann").await;
    app.database()
        .execute("INSERT INTO memos (text) VALUES ('old'), ('other')");
    let (url, other) = ("/api/v1/memos/1", "/api/v1/memos/2");
    for (roles, list, patch, delete) in [
        ("", 403, 403, 403),
        ("reader", 200, 403, 403),
        ("editor", 200, 403, 403),
        ("press", 200, 403, 403),
        ("editor press", 200, 200, 403),
        ("admin", 200, 403, 204),
    ] {
        app.grant("ann", roles);
        let before = app.database().rows();
        ann.get("/api/v1/memos").await.expect(list);
        app.get("/api/v1/memos").await.expect(401);
        app.patch(url, json!({"text": "new"})).await.expect(401);
        app.delete(other).await.expect(401);
        ann.patch(url, json!({"text": "new"})).await.expect(patch);
        let patched = app.database().rows();
        assert_eq!(patched == before, patch == 403, "{roles:?}");
        ann.delete(other).await.expect(delete);
        assert_eq!(app.database().rows() == patched, delete == 403, "{roles:?}");
    }
    ann.delete(other).await.expect(404);
}

/// SEC-19: roles work around a whole api.
#[tokio::test]
async fn a_decorator_of_the_api_guards_every_resource() {
    let app = start(|api| api.decorator(auth_required().role("press"))).await;
    let urls = ["/articles", "/tags", "/tags/1", "/known"];
    assert_eq!(statuses(&app, &urls).await, [401, 401, 401, 401]);
    // Registration is an operation too, so the account is inserted directly.
    let hash = backend::security::hash_password("correct horse".to_owned());
    let moment = if app.database().is_postgres() {
        "now()"
    } else {
        "0"
    };
    app.database().execute(&format!(
        "INSERT INTO users (email, username, password_hash, is_active, roles, created_at, updated_at) \
             VALUES ('ann@example.com', 'ann', '{hash}', TRUE, '', {moment}, {moment})"
    ));
    let ann = app.with_token(&crate::browser::token(&app, "ann").await);
    assert_eq!(statuses(&ann, &urls).await, [403, 403, 403, 200]);
    app.grant("ann", "press");
    assert_eq!(statuses(&ann, &urls).await, [200, 200, 404, 200]);
}

/// SEC-20: a revoked role is missing at the next request.
#[tokio::test]
async fn a_revoked_role_is_rejected_at_the_next_request() {
    let app = start(|api| api).await;
    let (_, ann) = app.user("ann").await;
    app.grant("ann", "admin");
    assert_eq!(statuses(&ann, &["/editors", "/auth/users"]).await, [200, 200]);
    app.grant("ann", "");
    assert_eq!(statuses(&ann, &["/editors", "/auth/users"]).await, [403, 403]);
}

/// SEC-6, SEC-19: on a view the parameter with the user's key may be any, and must exist.
#[tokio::test]
async fn a_view_is_restricted_to_the_user_in_its_url() {
    let app = start(|api| api).await;
    let (id, ann) = app.user("ann").await;
    let (other, _) = app.user("bob").await;
    let url = |user: i64, room: i64| format!("/homes/{user}/rooms/{room}");
    assert_eq!(
        statuses(&ann, &[&url(id, other), &url(other, id), &url(99, id)]).await,
        [200, 403, 403]
    );
    assert_eq!(statuses(&app, &[&url(id, id)]).await, [401]);
    let refused = startup_errors(Api::new("api").route(homeless)).await;
    assert!(refused[0].contains("has no parameter `user_id`"), "{refused:?}");
}

/// SEC-7, SEC-19: a view takes the current user as an optional argument.
#[tokio::test]
async fn the_current_user_is_an_argument_of_a_view() {
    let app = start(|api| api).await;
    let (_, ann) = app.user("ann").await;
    ann.get("/api/v1/known").await.expect_json(200, json!("ann"));
    app.get("/api/v1/visitors").await.expect_json(200, json!(null));
}
