//! Accounts that a URL identifies.

use axum::Router;
use backend::api::{Api, ModelResource, Operations};
use backend::models::User;
use backend::security::{UserSecurity, auth_required_same_user};
use backend::{app, extensions, views};
use model_resource::{Draft, GET, MethodDecorators, Model, model_resource};
use serde_json::json;
use test_support::{TestApp, startup_errors};

use crate::support::BackendApp;

#[derive(Debug, Clone, Model)]
#[model(table = "profiles")]
struct Profile {
    #[column(primary_key)]
    id: i64,
    #[column(unique, references = User, on_delete = cascade)]
    user_id: i64,
    bio: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "memos")]
struct Memo {
    #[column(primary_key)]
    id: i64,
    #[column(references = User, on_delete = cascade)]
    owner_id: i64,
    text: String,
}

struct ProfileResource;

#[model_resource(Profile, "/profiles/<int:user_id>")]
impl ModelResource for ProfileResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required_same_user().by("user_id"))
    }
}

struct AccountResource;

#[model_resource(User, "/accounts/<username>")]
impl ModelResource for AccountResource {
    const INCLUDE_METHODS: Operations = Operations::of([GET]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required_same_user())
    }
}

struct MemoResource;

#[model_resource(Memo, "/of/<user_username>/memos", "/of/<user_username>/memos/<int:id>")]
impl ModelResource for MemoResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required_same_user().by("user_username"))
    }
}

fn accounts() -> Api {
    views::register(extensions::api::api()).authenticator(UserSecurity::new())
}

async fn serve_accounts(api: Api) -> BackendApp {
    let mut tables = app::APPLICATION.tables().to_vec();
    tables.extend([Profile::table(), Memo::table()]);
    BackendApp(TestApp::with_router(&tables, |store| api.store(store).init_app(Router::new())).await)
}

/// POL-17: the user in the URL is the owner of the row, regardless of the rows' keys.
#[tokio::test]
async fn the_same_user_is_the_owner_of_the_row() {
    let app = serve_accounts(accounts().model_resource::<ProfileResource>()).await;
    let (ann_id, ann) = app.user("ann").await;
    let (bob_id, bob) = app.user("bob").await;
    // Each user's profile has the other user's key.
    for user in [bob_id, ann_id] {
        let mut profile = Draft::<Profile>::new();
        profile.set(Profile::USER_ID, user);
        profile.set(Profile::BIO, format!("of {user}"));
        app.store.create(profile).await.unwrap();
    }
    let (anns, bobs) = (
        format!("/api/v1/profiles/{ann_id}"),
        format!("/api/v1/profiles/{bob_id}"),
    );
    for (client, own, other, id) in [(&ann, &anns, &bobs, ann_id), (&bob, &bobs, &anns, bob_id)] {
        let profile = client.get(own).await.expect(200).json();
        assert_eq!(
            (&profile["userId"], &profile["bio"]),
            (&json!(id), &json!(format!("of {id}")))
        );
        let before = app.database().rows();
        client.get(other).await.expect(403);
        client.patch(other, json!({"bio": "x"})).await.expect(403);
        client.delete(other).await.expect(403);
        app.anonymous.get(own).await.expect(401);
        assert_eq!(app.database().rows(), before);
        let patched = client.patch(own, json!({"bio": "mine"})).await.expect(200).json();
        assert_eq!(patched["userId"], id);
        client.patch(own, json!({"userId": 9})).await.expect(400);
        client
            .patch(own, json!({"bio": format!("of {id}")}))
            .await
            .expect(200);
    }
}

/// POL-17: another unique column may identify the user; a user whose name equals another's key is not confused with
/// them.
#[tokio::test]
async fn a_unique_column_may_identify_the_same_user() {
    let api = accounts()
        .model_resource::<AccountResource>()
        .model_resource::<MemoResource>();
    let app = serve_accounts(api).await;
    let (ann_id, ann) = app.user("ann").await;
    let (_, impostor) = app.user("impostor").await;
    let rename = format!("UPDATE users SET username = '{ann_id}' WHERE username = 'impostor'");
    app.database().execute(&rename);
    let named_like_ann = format!("/api/v1/accounts/{ann_id}");
    ann.get("/api/v1/accounts/ann").await.expect(200);
    ann.get(&named_like_ann).await.expect(403);
    ann.get("/api/v1/accounts/nobody").await.expect(403);
    impostor.get("/api/v1/accounts/ann").await.expect(403);
    impostor.get(&named_like_ann).await.expect(200);
    app.anonymous.get("/api/v1/accounts/ann").await.expect(401);
    let memos = "/api/v1/of/ann/memos";
    let made = ann.post(memos, json!({"text": "milk"})).await.expect(201).json();
    assert_eq!(made["ownerId"], ann_id);
    impostor.get(memos).await.expect(403);
    impostor.post(memos, json!({"text": "spam"})).await.expect(403);
    ann.get(&format!("/api/v1/of/{ann_id}/memos")).await.expect(403);
    let own = format!("/api/v1/of/{ann_id}/memos");
    impostor.get(&own).await.expect_json(200, json!([]));
    impostor.get(&format!("{own}/1")).await.expect(404);
}

/// POL-17: a guard that compares the caller with a row of another model is rejected at startup.
#[tokio::test]
async fn a_guard_that_compares_with_another_model_is_rejected() {
    struct WrongMemoResource;

    #[model_resource(Memo, "/users/<int:user_id>/memos/<int:id>")]
    impl ModelResource for WrongMemoResource {
        fn method_decorators() -> MethodDecorators {
            MethodDecorators::none().every(auth_required_same_user())
        }
    }
    let mistakes = startup_errors(accounts().model_resource::<WrongMemoResource>()).await;
    let remedy = "identifies a row of Memo and not of User: name the parameter that does by `.by(\"..\")`";
    assert!(
        matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
        "{mistakes:?}"
    );
}
