//! A small application with a policy, a soft deletion, UUID keys, accounts and a rate limit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use model_resource::{
    Api, Caller, Context, Draft, Field, Model, ModelPolicy, ModelResource, Rate, Reply, Result, Timestamp,
    Uuid, Where, model_resource, route, throttle,
};
use model_resource_security::{Account, CurrentUser, Security, auth_required};

#[derive(Debug, Clone, PartialEq, Model)]
#[model(table = "books")]
pub(crate) struct Book {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(min_length = 1)]
    pub(crate) title: String,
    #[column(created)]
    pub(crate) created_at: Timestamp,
    #[column(updated)]
    pub(crate) updated_at: Timestamp,
    #[column(hidden, soft_delete)]
    pub(crate) deleted_at: Option<Timestamp>,
}

pub(crate) struct BookPolicy;

impl ModelPolicy for BookPolicy {
    type Model = Book;

    fn may_create(caller: &Caller) -> bool {
        caller.has_role("librarian")
    }

    fn updatable(caller: &Caller) -> Where<Book> {
        Where::all_if(caller.has_role("librarian"))
    }

    fn deletable(caller: &Caller) -> Where<Book> {
        Self::updatable(caller)
    }
}

#[model_resource(Book, "/books", "/books/<int:id>", policy = BookPolicy)]
pub(crate) struct BookResource;

#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
pub(crate) struct Note {
    #[column(primary_key)]
    pub(crate) id: Uuid,
    pub(crate) text: String,
}

pub(crate) struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<uuid:id>")]
impl ModelResource for NoteResource {
    const PUBLIC: bool = true;
}

#[derive(Debug, Clone, Model)]
#[model(table = "members")]
pub(crate) struct Member {
    #[column(primary_key)]
    pub(crate) id: i64,
    pub(crate) name: String,
    #[column(hidden)]
    pub(crate) secret: String,
}

impl Account for Member {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
    const PASSWORD_HASH: Field<Self, String> = Member::SECRET;

    fn roles(&self) -> Vec<String> {
        vec!["librarian".to_owned()]
    }
}

#[route("/me", methods = [GET, POST], decorators = [auth_required()])]
async fn me(CurrentUser(member): CurrentUser<Member>) -> Result<Reply> {
    Reply::json(&member.map(|member| member.name))
}

#[route("/knock", methods = [POST], decorators = [throttle(Rate::per_minute(1))])]
async fn knock(cx: Context) -> Result<Reply> {
    Reply::json(&cx.now().to_string())
}

/// The api without an authenticator.
pub(crate) fn open_api() -> Api {
    Api::new("library")
        .model_resource::<BookResource>()
        .model_resource::<NoteResource>()
        .route(knock)
}

/// The api with accounts.
pub(crate) fn api() -> Api {
    open_api().route(me).authenticator(Security::<Member>::new())
}

pub(crate) fn book(title: &str) -> Draft<Book> {
    Draft::new().with(Book::TITLE, title.to_owned())
}

pub(crate) fn member(name: &str) -> Draft<Member> {
    let draft = Draft::new().with(Member::NAME, name.to_owned());
    draft.with(Member::SECRET, "none".to_owned())
}

/// Returns the message with which a check fails.
#[track_caller]
pub(crate) fn failure<T>(check: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(check)) else {
        panic!("the check does not fail");
    };
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}
