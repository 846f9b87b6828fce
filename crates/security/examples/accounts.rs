//! Accounts and policies: members register, log in for a bearer token, see shared notes and their own, and write only their own.
//!
//! ```text
//! cargo run -p model-resource --example accounts
//!
//! curl localhost:8000/notes --json '{"text": "Buy snow"}'
//! # 401 {"message":"Authentication is required."}
//! TOKEN=$(curl localhost:8000/auth/login --json '{"name": "ann", "password": "correct horse"}' | jq -r .token)
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
//! TOKEN=$(curl localhost:8000/auth/login --json '{"name": "bob", "password": "correct horse"}' | jq -r .token)
//! curl localhost:8000/notes/1 -X DELETE -H "Authorization: Bearer $TOKEN"
//! # 403 {"message":"You may not do this."}
//! ```

use model_resource::{
    Api, Caller, Columns, Draft, Field, Model, ModelPolicy, ModelSerializer, Result, Store, Where,
    model_resource, run_cpu_bound, serializer, serve,
};
use model_resource_security::{Account, Security, hash_password};

/// Account that can log in. No resource serves it.
#[derive(Debug, Clone, Model)]
struct Member {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 2)]
    name: String,
    #[column(hidden)]
    password_hash: String,
}

impl Account for Member {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
    const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
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
        .register(Security::<Member>::routes());
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
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
