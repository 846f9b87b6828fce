//! Logins and requests with credentials while searches fill their lane.

use model_resource::{Api, Context, Draft, Field, Model, Reply, Result, Table, route};
use model_resource_security::{
    Account, AccountRoutes, AuthToken, Roles, Security, auth_required, hash_password,
};
use serde_json::json;
use test_support::{EndlessSearches, TestApp};

use crate::readers::text;

const PASSWORD: &str = "correct horse";

/// Defines a model of accounts with two names of one kind.
macro_rules! account {
    ($model:ident, $table:literal, $roles:expr) => {
        #[derive(Debug, Clone, Model)]
        #[model(table = $table)]
        struct $model {
            #[column(primary_key)]
            id: i64,
            #[column(unique)]
            name: String,
            #[column(unique)]
            nickname: String,
            #[column(hidden)]
            hash: String,
        }

        impl Account for $model {
            const LOGIN_NAMES: &'static [Field<Self, String>] = &[Self::NAME, Self::NICKNAME];
            const PASSWORD_HASH: Field<Self, String> = Self::HASH;
            const ROLES: Roles<Self> = $roles;
        }

        impl TwoNames for $model {
            const NICKNAME: Field<Self, String> = Self::NICKNAME;
        }
    };
}

/// Account with a second name.
trait TwoNames: Account {
    const NICKNAME: Field<Self, String>;
}

account!(
    Member,
    "members",
    Roles::through(MemberOffice::MEMBER_ID, MemberOffice::OFFICE_ID, Office::TITLE)
);
account!(Guest, "guests", Roles::rows(GuestRole::GUEST_ID, GuestRole::ROLE));

#[derive(Debug, Clone, Model)]
#[model(table = "offices")]
struct Office {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "member_offices", unique(member_id, office_id))]
struct MemberOffice {
    #[column(primary_key)]
    id: i64,
    #[column(references = Member)]
    member_id: i64,
    #[column(references = Office)]
    office_id: i64,
}

#[derive(Debug, Clone, Model)]
#[model(table = "guest_roles")]
struct GuestRole {
    #[column(primary_key)]
    id: i64,
    #[column(references = Guest)]
    guest_id: i64,
    role: String,
}

#[route("/edit", decorators = [auth_required().role("editor")])]
async fn edit(cx: Context) -> Result<Reply> {
    Reply::json(&cx.caller().roles())
}

/// Logs an account in by each of its names, and sends requests with new tokens, which no cache has.
async fn check<A: TwoNames>(routes: AccountRoutes<A>) {
    let security = Security::<A>::new();
    let api = Api::new("club").authenticator(security.clone());
    let api = api.register(routes).route(edit);
    let mut tables: Vec<&'static Table> = vec![A::table()];
    tables.extend(Security::<A>::tables());
    let app = TestApp::with_router(&tables, |store| api.store(store).init_app(axum::Router::new())).await;
    let name = *A::LOGIN_NAMES.first().unwrap();
    let new = Draft::new().with(name, "ann").with(A::NICKNAME, "annie");
    let new = new.with(A::PASSWORD_HASH, hash_password(PASSWORD.to_owned()));
    let account = Security::create_account(&app.store, new, ["author", "editor"]);
    let account: A = account.await.unwrap();

    let _searches = EndlessSearches::fill(&app.store).await;
    for name in ["ann", "ANNIE"] {
        let login = json!({"name": name, "password": PASSWORD});
        let login = app.anonymous.post("/auth/login", login).await.expect(200).json();
        let client = app.with_token(text(&login, "token"));
        client
            .get("/edit")
            .await
            .expect_json(200, json!(["author", "editor"]));
    }
    for round in 0..20 {
        let token = Draft::new().with(AuthToken::NAME, format!("round {round}"));
        let (token, _) = security.issue_token(&app.store, &account, token).await.unwrap();
        app.with_token(&token).get("/edit").await.expect(200);
    }
}

/// LOAD-67: roles behind a join table, and accounts by several names, are found by short reads.
#[tokio::test(flavor = "multi_thread")]
async fn roles_through_a_join_table_are_read_while_searches_fill_their_lane() {
    check(Security::<Member>::routes()).await;
}

/// LOAD-67: and so are roles in a table of rows.
#[tokio::test(flavor = "multi_thread")]
async fn roles_in_rows_are_read_while_searches_fill_their_lane() {
    check(Security::<Guest>::routes()).await;
}
