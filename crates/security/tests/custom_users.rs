//! An application with a custom user model.

use axum::Router;
use model_resource::{
    Api, Context, Draft, JsonBody, Model, ModelSerializer, Reply, Result, Store, Uuid, header, route,
    serializer,
};
use model_resource_security::{
    Account, AuthToken, CurrentUser, Security, auth_required_same_user, hash_password, verify_password,
};
use serde_json::{Value, json};
use test_support::TestApp;

/// A member of the library, identified by the number of the card.
#[derive(Debug, Clone, Model)]
#[model(table = "members")]
struct Member {
    #[column(primary_key)]
    id: Uuid,
    #[column(unique)]
    name: String,
    #[column(hidden)]
    secret: String,
    #[column(hidden)]
    is_librarian: bool,
}

struct MemberSerializer;

#[serializer]
impl ModelSerializer for MemberSerializer {
    type Model = Member;
}

impl Account for Member {
    fn password_hash(&self) -> &str {
        &self.secret
    }

    fn is_active(&self) -> bool {
        true
    }

    fn roles(&self) -> Vec<String> {
        self.is_librarian
            .then(|| "librarian".to_owned())
            .into_iter()
            .collect()
    }
}

#[route("/login/<name>", methods = [POST])]
async fn login(cx: Context, security: Security<Member>, JsonBody(body): JsonBody<Value>) -> Result<Reply> {
    let name = cx.params().get("name").unwrap_or_default().to_owned();
    let member = cx
        .store()
        .first(&Member::query().filter(Member::NAME.eq(name)))
        .await?;
    let member: Member = verify_password(body["password"].to_string(), member).await?;
    let session = security.begin_session(&cx, &member).await?;
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "card".to_owned());
    let (token, _) = security.issue_token(cx.store(), &member, token).await?;
    let reply = Reply::json(&json!({"token": token, "csrfToken": session.csrf_token}))?;
    Ok(reply.with_header(header::SET_COOKIE, session.cookie))
}

#[route("/members/<uuid:id>/card", methods = [GET, POST], decorators = [auth_required_same_user()])]
async fn card(cx: Context, CurrentUser(member): CurrentUser<Member>) -> Result<Reply> {
    Reply::json(&json!({"name": member.map(|member| member.name), "roles": cx.caller().roles()}))
}

/// SEC-25: sessions, tokens, roles and decorators work for any user model, with any type of key.
#[tokio::test]
async fn any_user_model_with_any_key_can_log_in() {
    let api = Api::new("library")
        .authenticator(Security::<Member>::new().role_includes("librarian", ["reader"]))
        .serializer::<MemberSerializer>()
        .route(login)
        .route(card);
    let mut tables = vec![Member::table()];
    tables.extend(Security::<Member>::tables());
    let serve = |store: Store| api.store(store).init_app(Router::new());
    let app = TestApp::with_router(&tables, serve).await;
    let mut ids = Vec::new();
    for name in ["ann", "bob"] {
        let mut draft = Draft::new();
        draft.set(Member::NAME, name.to_owned());
        draft.set(Member::SECRET, hash_password("\"open\"".to_owned()));
        draft.set(Member::IS_LIBRARIAN, name == "ann");
        ids.push(app.store.create(draft).await.unwrap().id.to_string());
    }
    app.post("/login/ann", json!({"password": "shut"}))
        .await
        .expect(401);
    app.post("/login/eve", json!({"password": "open"}))
        .await
        .expect(401);
    let answer = app
        .post("/login/ann", json!({"password": "open"}))
        .await
        .expect(200);
    let known = answer.json();
    let cookie = answer.header("set-cookie").split(';').next().unwrap();
    let text = |name: &str| known[name].as_str().unwrap().to_owned();
    let (browser, program) = (app.with_header("cookie", cookie), app.with_token(&text("token")));
    let page = browser.with_header("x-csrftoken", &text("csrfToken"));
    let url = |id: &str| format!("/members/{id}/card");
    for client in [&browser, &program] {
        for id in [ids[0].clone(), ids[0].to_uppercase()] {
            let expected = json!({"name": "ann", "roles": ["librarian", "reader"]});
            client.get(&url(&id)).await.expect_json(200, expected);
        }
        client.get(&url(&ids[1])).await.expect(403);
    }
    app.get(&url(&ids[0])).await.expect(401);
    browser.post(&url(&ids[0]), json!({})).await.expect(403);
    page.post(&url(&ids[0]), json!({})).await.expect(200);
}
