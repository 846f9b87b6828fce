//! Accounts and policies: members log in for a bearer token, see shared notes and their own, and write only their own.
//!
//! ```text
//! cargo run -p model-resource --example accounts
//!
//! curl localhost:8000/notes --json '{"text": "Buy snow"}'
//! # 401 {"message":"Authentication is required."}
//! TOKEN=$(curl localhost:8000/login --json '{"name": "ann", "password": "correct horse"}' | jq -r .token)
//! curl localhost:8000/notes --json '{"text": "Buy snow"}' -H "Authorization: Bearer $TOKEN"
//! # 201 {"id":1,"text":"Buy snow","isShared":false,"ownerId":1}
//! curl localhost:8000/notes/1
//! # 404 {"message":"Not found."}
//! curl localhost:8000/notes/1 -X PATCH --json '{"isShared": true, "ownerId": 2}' -H "Authorization: Bearer $TOKEN"
//! # 200 {"id":1,"text":"Buy snow","isShared":true,"ownerId":1}
//! curl localhost:8000/notes
//! # 200 [{"id":1,"text":"Buy snow","isShared":true}]
//! curl localhost:8000/notes?ownerId=1
//! # 400 {"message":"There is no field \"ownerId\"."}
//! curl localhost:8000/notes/1 -X DELETE
//! # 401 {"message":"Authentication is required."}
//! TOKEN=$(curl localhost:8000/login --json '{"name": "bob", "password": "correct horse"}' | jq -r .token)
//! curl localhost:8000/notes/1 -X DELETE -H "Authorization: Bearer $TOKEN"
//! # 403 {"message":"You may not do this."}
//! ```

use model_resource::{
    Api, Caller, Columns, Context, Draft, JsonBody, Model, ModelPolicy, ModelSerializer, Rate, Reply, Result,
    Store, Where, model_resource, route, run_cpu_bound, serializer, serve, throttle,
};
use model_resource_security::{Account, AuthToken, Security, hash_password, verify_password};
use serde::Deserialize;
use serde_json::json;

/// Account that can log in. No resource serves it.
#[derive(Debug, Clone, Model)]
struct Member {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    #[column(hidden)]
    password_hash: String,
}

impl Account for Member {
    fn password_hash(&self) -> &str {
        &self.password_hash
    }

    fn is_active(&self) -> bool {
        true
    }

    fn roles(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Note of a member.
#[derive(Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
    #[column(default = false)]
    is_shared: bool,
    #[column(references = Member)]
    owner_id: i64,
}

struct NoteSerializer;

#[serializer]
impl ModelSerializer for NoteSerializer {
    type Model = Note;
}

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct NoteResource;

/// Lets everyone see shared notes, and owners see and write their own.
struct NotePolicy;

impl ModelPolicy for NotePolicy {
    type Model = Note;

    fn visible(caller: &Caller) -> Where<Note> {
        Note::IS_SHARED.eq(true).or(Self::updatable(caller))
    }

    fn updatable(caller: &Caller) -> Where<Note> {
        caller.owned_by(Note::OWNER_ID)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Note> {
        let mut presets = Draft::new();
        if let Some(id) = caller.key() {
            presets.set(Note::OWNER_ID, id);
        }
        presets
    }

    fn hidden(caller: &Caller) -> Columns<Note> {
        if caller.is_authenticated() {
            Columns::none()
        } else {
            Columns::of(Note::OWNER_ID)
        }
    }
}

#[derive(Deserialize)]
struct Login {
    name: String,
    password: String,
}

#[route("/login", methods = [POST], decorators = [throttle(Rate::per_minute(10)).by_field("name").failures_only()])]
async fn login(cx: Context, security: Security<Member>, JsonBody(login): JsonBody<Login>) -> Result<Reply> {
    let named = Member::query().filter(Member::NAME.eq(login.name));
    let member = verify_password(login.password, cx.store_unchecked().first(&named).await?).await?;
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "login".to_owned());
    let (shown, _) = security.issue_token(cx.store_unchecked(), &member, token).await?;
    Reply::json(&json!({ "token": shown }))
}

/// Creates two members in a fresh database.
async fn create_members(store: &Store) -> Result<()> {
    for name in ["ann", "bob"] {
        let mut member = Draft::new();
        member.set(Member::NAME, name.to_owned());
        let hash = run_cpu_bound(|| hash_password("correct horse".to_owned())).await?;
        member.set(Member::PASSWORD_HASH, hash);
        store.create(member).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let api = Api::new("notes")
        .authenticator(Security::<Member>::new())
        .serializer::<NoteSerializer>()
        .policy::<NotePolicy>()
        .model_resource::<NoteResource>()
        .route(login);
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&[Member::table()]).await?;
    store.create_tables(&Security::<Member>::tables()).await?;
    store.create_tables(&api.tables()).await?;
    create_members(&store).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_shared_is_its_owners() {
        let note = Note {
            id: 1,
            text: "Buy snow".to_owned(),
            is_shared: false,
            owner_id: 7,
        };
        assert!(NotePolicy::visible(&Caller::of(7_i64)).matches(&note));
        assert!(!NotePolicy::visible(&Caller::of(8_i64)).matches(&note));
        assert!(!NotePolicy::visible(&Caller::anonymous()).matches(&note));
    }
}
