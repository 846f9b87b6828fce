//! Places of roles: a text, a document, a table of rows, and a table behind a join table.

use std::time::Duration;

use model_resource::{Api, Context, Draft, Field, Json, Model, Reply, Result, Store, Table, route};
use model_resource_security::{Account, AuthToken, Roles, Security, auth_required};
use serde_json::json;
use test_support::{Client, TestApp};

use crate::readers::{Duty, Library, Reader, ReaderSecurity};

/// Defines a model of accounts with a text as key.
macro_rules! account {
    ($model:ident, $table:literal, $roles:expr $(, $field:ident: $type:ty)?) => {
        #[derive(Debug, Clone, Model)]
        #[model(table = $table)]
        struct $model {
            #[column(primary_key)]
            id: i64,
            #[column(unique)]
            name: String,
            #[column(hidden)]
            hash: String,
            $(#[column(hidden)]
            $field: $type,)?
        }

        impl Account for $model {
            const LOGIN_NAMES: &'static [Field<Self, String>] = &[Self::NAME];
            const PASSWORD_HASH: Field<Self, String> = Self::HASH;
            const ROLES: Roles<Self> = $roles;
        }
    };
}

account!(Worded, "worded", Roles::words(Worded::WORDS), words: String);
account!(Listed, "listed", Roles::list(Listed::LIST), list: Json<Vec<String>>);
account!(Rowed, "rowed", Roles::rows(RowedRole::ROWED_ID, RowedRole::ROLE));

#[derive(Debug, Clone, Model)]
#[model(table = "rowed_roles")]
struct RowedRole {
    #[column(primary_key)]
    id: i64,
    #[column(references = Rowed)]
    rowed_id: i64,
    role: String,
}

#[route("/edit", decorators = [auth_required().role("editor")])]
async fn edit(cx: Context) -> Result<Reply> {
    Reply::json(&cx.caller().roles())
}

/// Starts an api with an account, and returns the account and a client with a token of it.
async fn account<A: Account>(new: Draft<A>, security: Security<A>) -> (TestApp, A, Client) {
    let api = Api::new("news").authenticator(security.clone()).route(edit);
    let mut tables: Vec<&'static Table> = vec![A::table()];
    tables.extend(Security::<A>::tables());
    let serve = |store: Store| api.store(store).init_app(axum::Router::new());
    let app = TestApp::with_router(&tables, serve).await;
    let name = *A::LOGIN_NAMES.first().unwrap();
    let new = new.with(name, "ann").with(A::PASSWORD_HASH, "a hash");
    let account = Security::create_account(&app.store, new, ["author", "editor"]);
    let account = account.await.unwrap();
    let token = Draft::new().with(AuthToken::NAME, "test");
    let (token, _) = security.issue_token(&app.store, &account, token).await.unwrap();
    let client = app.with_token(&token);
    (app, account, client)
}

/// Grants and revokes roles, and reads them as the caller.
async fn check<A: Account>(new: Draft<A>) {
    let security = Security::<A>::new().credential_cache(Duration::from_secs(60));
    let (app, account, client) = account(new, security).await;
    client
        .get("/edit")
        .await
        .expect_json(200, json!(["author", "editor"]));
    let (store, find) = (&app.store, || Security::<A>::find_account(&app.store, "ANN"));
    Security::revoke_role(store, &account, "editor").await.unwrap();
    client.get("/edit").await.expect(403);
    let account = find().await.unwrap().unwrap();
    Security::revoke_role(store, &account, "author").await.unwrap();
    let account = find().await.unwrap().unwrap();
    // Now the account is cached without a role.
    client.get("/edit").await.expect(403);
    for _ in 0..2 {
        Security::grant_role(store, &account, "editor").await.unwrap();
    }
    client.get("/edit").await.expect_json(200, json!(["editor"]));
}

/// SEC-56: roles are in a text, a JSON document, or rows of a table; changes take effect at the next request, also with a
/// cache of credentials.
#[tokio::test]
async fn roles_are_in_a_column_or_in_a_table() {
    check::<Worded>(Draft::new()).await;
    check::<Listed>(Draft::new()).await;
    check::<Rowed>(Draft::new()).await;
}

/// SEC-56: a role in a column costs no statement, one in a table one statement.
#[tokio::test]
async fn roles_in_a_column_cost_no_statement() {
    async fn reads<A: Account>(new: Draft<A>) -> u64 {
        let uncached = Security::<A>::new().credential_cache(Duration::ZERO);
        let (app, _, client) = account(new, uncached).await;
        client.get("/edit").await.expect(200);
        let before = app.store.read_count();
        client.get("/edit").await.expect(200);
        app.store.read_count() - before
    }
    assert_eq!(reads::<Worded>(Draft::new()).await, 2);
    assert_eq!(reads::<Listed>(Draft::new()).await, 2);
    assert_eq!(reads::<Rowed>(Draft::new()).await, 3);
}

/// SEC-56: roles behind a join table are those of the account alone; a role is created when it is granted first.
#[tokio::test]
async fn roles_are_assigned_through_a_join_table() {
    let app = Library::start().await;
    let (reader, ann) = app.librarian("a-17").await;
    let (other, bob) = app.reader("b-1").await;
    let roles =
        |client: Client| async move { client.get("/auth/status").await.expect(200).json()["roles"].clone() };
    assert_eq!(roles(ann.clone()).await, json!(["librarian", "helper"]));
    assert_eq!(roles(bob.clone()).await, json!([]));
    let store = &app.store;
    for role in ["porter", "librarian"] {
        ReaderSecurity::grant_role(store, &other, role).await.unwrap();
    }
    assert_eq!(roles(bob.clone()).await, json!(["librarian", "porter", "helper"]));
    ReaderSecurity::revoke_role(store, &reader, "librarian")
        .await
        .unwrap();
    ReaderSecurity::revoke_role(store, &reader, "unknown")
        .await
        .unwrap();
    assert_eq!(roles(ann).await, json!([]));
    assert_eq!(roles(bob).await, json!(["librarian", "porter", "helper"]));
    assert_eq!(store.count(&Duty::query()).await.unwrap(), 2);
    let tables = ReaderSecurity::tables();
    let names: Vec<_> = tables.iter().map(|table| table.name).collect();
    assert_eq!(names, ["auth_sessions", "auth_tokens", "duties", "reader_duties"]);
    assert_eq!(Reader::ROLES.known_names(), ["librarian"]);
}

/// SEC-56: words of a text cannot contain spaces, which would be two roles.
#[tokio::test]
async fn a_role_in_a_text_is_one_word() {
    let (app, account, client) = account::<Worded>(Draft::new(), Security::new()).await;
    let refused = Security::grant_role(&app.store, &account, "chief editor").await;
    assert!(refused.unwrap_err().errors().is_some());
    client
        .get("/edit")
        .await
        .expect_json(200, json!(["author", "editor"]));
}
