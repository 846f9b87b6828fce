//! Checks of new accounts and passwords, and concurrent changes of accounts.

use std::sync::OnceLock;

use model_resource::{
    Api, Caller, Change, Context, Draft, Error, Field, Model, ModelPolicy, Result, Store, Table, Uuid, Where,
    model_resource,
};
use model_resource_security::{Account, Roles, Security, hash_password};
use serde_json::json;
use test_support::TestApp;

use crate::readers::ReaderSecurity;

const PASSWORD: &str = "correct horse";

#[derive(Debug, Clone, Model)]
#[model(table = "guests")]
struct Guest {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(hidden)]
    hash: String,
    #[column(hidden, default = "")]
    words: String,
}

impl Account for Guest {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Self::NAME];
    const PASSWORD_HASH: Field<Self, String> = Self::HASH;
    const ROLES: Roles<Self> = Roles::words(Self::WORDS);

    fn check_password(password: &str) -> Result<(), String> {
        if password.contains("password") {
            return Err("This password is easy to guess.".to_owned());
        }
        Ok(())
    }
}

/// Reserves the name `root`.
struct GuestPolicy;

impl ModelPolicy for GuestPolicy {
    type Model = Guest;

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn writable(_: &Caller) -> Where<Guest> {
        Guest::NAME.ne("root")
    }
}

/// Rejects a name, as a subscriber of new accounts.
async fn reject_name(_: Context, change: Change<Guest>) -> Result<()> {
    match change.row().name.as_str() {
        "mallory" => Err(Error::field("name", "Is banned.")),
        _ => Ok(()),
    }
}

async fn app(change: impl FnOnce(Api) -> Api) -> TestApp {
    let api = Api::new("hotel")
        .authenticator(Security::<Guest>::new())
        .register(Security::<Guest>::routes())
        .policy::<GuestPolicy>()
        .on_change(reject_name);
    let api = change(api);
    let mut tables: Vec<&'static Table> = vec![Guest::table()];
    tables.extend(Security::<Guest>::tables());
    let serve = |store: Store| api.store(store).init_app(axum::Router::new());
    TestApp::with_router(&tables, serve).await
}

async fn add(app: &TestApp, roles: &[&str]) -> Guest {
    let draft = Draft::new()
        .with(Guest::NAME, "ann")
        .with(Guest::HASH, hash_password(PASSWORD.to_owned()));
    let created = Security::<Guest>::create_account(&app.store, draft, roles.iter().copied());
    created.await.unwrap()
}

/// SEC-58
#[tokio::test]
async fn a_registration_is_subject_to_the_checks_of_passwords_and_to_the_policy_of_accounts() {
    let app = app(|api| api).await;
    let register = async |name: &str, password: &str| {
        let body = json!({"name": name, "password": password});
        app.post("/auth/register", body).await
    };
    let guessable = register("ann", "password1").await.expect(400).json();
    assert_eq!(
        guessable["errors"]["password"],
        json!(["This password is easy to guess."])
    );
    register("root", PASSWORD).await.expect(401);
    register("mallory", PASSWORD).await.expect(400);
    assert_eq!(app.store.count(&Guest::query()).await.unwrap(), 0);
    register("ann", PASSWORD).await.expect(201);
}

/// SEC-58
#[tokio::test]
async fn a_verified_password_that_was_replaced_meanwhile_changes_nothing() {
    static STALE: OnceLock<Caller> = OnceLock::new();
    let app = app(|api| api.known_callers(|_: &Context| STALE.get().cloned())).await;
    let guest = add(&app, &[]).await;
    let reset = hash_password("another secret".to_owned());
    Security::set_password(&app.store, &guest, reset.clone())
        .await
        .unwrap();
    // The caller was authenticated before the reset.
    let _ = STALE.set(Caller::of(guest.id).with_account(guest.clone()));
    let body = json!({"password": PASSWORD, "newPassword": "chosen by a thief"});
    let answer = app.post("/auth/password", body).await.expect(400).json();
    assert_eq!(
        answer["errors"]["password"],
        json!(["This is not your password."])
    );
    let stored: Guest = app.store.get(guest.id).await.unwrap().unwrap();
    assert_eq!(stored.hash, reset);
}

/// SEC-56: a change of roles is based on the stored account, so that an older copy of it undoes no other change.
#[tokio::test]
async fn a_change_of_roles_keeps_changes_made_meanwhile() {
    let app = app(|api| api).await;
    let read_earlier = add(&app, &["admin"]).await;
    let store = &app.store;
    Security::revoke_role(store, &read_earlier, "admin")
        .await
        .unwrap();
    Security::grant_role(store, &read_earlier, "author")
        .await
        .unwrap();
    let now = Security::grant_role(store, &read_earlier, "editor")
        .await
        .unwrap();
    assert_eq!(now.words, "author editor");
}

#[derive(Debug, Clone, Model)]
#[model(table = "wishes")]
struct Wish {
    #[column(primary_key)]
    id: i64,
    text: String,
    reader_id: Uuid,
}

struct WishPolicy;

impl ModelPolicy for WishPolicy {
    type Model = Wish;

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Wish> {
        caller.preset(Wish::READER_ID)
    }
}

#[model_resource(Wish, "/wishes", policy = WishPolicy)]
struct WishResource;

/// OAS-36: the document of a caller without roles needs no account, whichever key accounts have.
#[test]
fn a_sample_caller_has_a_key_of_the_type_of_accounts() {
    let api = Api::new("library")
        .authenticator(ReaderSecurity::new())
        .model_resource::<WishResource>()
        .compile();
    let document = api.openapi_document_for(&api.sample_caller());
    assert!(document["paths"]["/wishes"]["post"].is_object(), "{document}");
}
