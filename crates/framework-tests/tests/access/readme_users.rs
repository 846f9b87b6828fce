//! The resource with a decorator and a custom operation in the README, which has no room for its model and imports.

use model_resource::{
    Api, Blueprint, CREATE, Context, Draft, Field, GET, MethodDecorators, Model, ModelResource, Operations,
    PATCH, PUT, Reply, Result, model_resource,
};
use model_resource_security::{Account, Security, anonymous_user_required, auth_required_same_user};
use serde_json::json;
use test_support::kit::TestApp;

const SECURITY: Blueprint = Blueprint::new("security", "/auth");

#[derive(Debug, Clone, Model)]
struct User {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(hidden, default = "")]
    password_hash: String,
}

impl Account for User {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[User::NAME];
    const PASSWORD_HASH: Field<Self, String> = User::PASSWORD_HASH;
}

struct UserResource;

#[model_resource(SECURITY, User, "/users", "/users/<int:id>")]
impl ModelResource for UserResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, GET, PATCH, PUT]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(CREATE, anonymous_user_required())
            .on([PATCH, PUT], auth_required_same_user())
    }

    /// Only called for a valid body; take `errors: Errors` as well to handle errors.
    async fn create(cx: Context, user: Draft<User>) -> Result<Reply> {
        tracing::info!("a user registers");
        cx.created(user).await
    }
}

/// DOC-1: the resource of the README compiles, and does what the text says.
#[tokio::test]
async fn the_resource_of_the_readme_lets_strangers_register_and_users_change_themselves() {
    let api = Api::new("club")
        .authenticator(Security::<User>::new())
        .model_resource::<UserResource>();
    let app = TestApp::builder(api).accounts::<User>().start().await;
    for name in ["ann", "bob"] {
        app.post("/auth/users", json!({"name": name}))
            .await
            .assert_status(201);
    }
    let users = app.all::<User>().await;
    let ann = app.as_user(&users[0]).await;
    ann.post("/auth/users", json!({"name": "eve"}))
        .await
        .assert_status(403);
    ann.patch("/auth/users/1", json!({"name": "anna"}))
        .await
        .assert_status(200);
    ann.patch("/auth/users/2", json!({"name": "rob"}))
        .await
        .assert_status(403);
    let names = app.all::<User>().await.into_iter().map(|user| user.name);
    assert_eq!(names.collect::<Vec<_>>(), ["anna", "bob"]);
}
