//! Tags of row versions, and preconditions on them.

mod bulk;
mod callers;
mod forbidden;
mod known_versions;
mod lists;
mod order;
mod preconditions;
mod representations;
mod tags;

use model_resource::{
    Api, CREATE, Context, DELETE, GET, LIST, MethodDecorators, Model, ModelResource, Next, Operations, PATCH,
    PUT, Query, Reply, Result, Sql, SqlDialect, Timestamp, model_resource,
};
use test_support::{Client, Response, TestApp};

/// Its version is a number.
#[derive(Debug, Clone, Model)]
#[model(table = "accounts")]
struct Account {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = 0)]
    balance: i64,
    #[column(version)]
    version: i64,
}

struct AccountResource;

#[model_resource(Account, "/accounts", "/accounts/<int:id>")]
impl ModelResource for AccountResource {
    const BULK_METHODS: Operations = Operations::of([PATCH]);
}

/// Its version is the time of the last change.
#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
    #[column(updated)]
    updated_at: Timestamp,
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {}

/// Its version is a digest.
#[derive(Debug, Clone, Model)]
#[model(table = "tags")]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(hidden, default = "")]
    secret: String,
}

struct TagResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>")]
impl ModelResource for TagResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

/// A second view of the tags, with a member that a decorator adds.
struct CountedTagResource;

#[model_resource(Tag, "/counted-tags", "/counted-tags/<int:id>")]
impl ModelResource for CountedTagResource {
    const INCLUDE_METHODS: Operations = Operations::of([GET, LIST]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(GET, counted)
    }
}

async fn counted(cx: Context, next: Next) -> Result<Reply> {
    let count = cx.store_unchecked().count(Query::<Tag>::new()).await?;
    let reply = next.run(cx).await?;
    Ok(reply.map_objects(move |tag| {
        tag.insert("tags".to_owned(), count.into());
    }))
}

/// A third view of the tags, whose changes need a version.
struct GuardedTagResource;

#[model_resource(Tag, "/guarded-tags", "/guarded-tags/<int:id>")]
impl ModelResource for GuardedTagResource {
    const REQUIRE_IF_MATCH: bool = true;
    const BULK_METHODS: Operations = Operations::of([PATCH, PUT]);
}

struct ContradictoryResource;

#[model_resource(Tag, "/contradictory", "/contradictory/<int:id>")]
impl ModelResource for ContradictoryResource {
    const REQUIRE_IF_MATCH: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, DELETE]);
}

/// URLs of a resource for each kind of version, with an object and a change of it.
const KINDS: [(&str, &str, &str); 3] = [
    ("/accounts", "name", "accounts"),
    ("/notes", "text", "notes"),
    ("/tags", "name", "tags"),
];

async fn served() -> TestApp {
    TestApp::with_api(
        Api::new("versions")
            .model_resource::<AccountResource>()
            .model_resource::<NoteResource>()
            .model_resource::<TagResource>()
            .model_resource::<CountedTagResource>()
            .model_resource::<GuardedTagResource>(),
    )
    .await
}

fn tag(response: &Response) -> String {
    let tag = response.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.len() > 2, "{tag}");
    tag
}

fn if_match(client: &Client, tag: &str) -> Client {
    client.with_header("if-match", tag)
}

fn if_none_match(client: &Client, tag: &str) -> Client {
    client.with_header("if-none-match", tag)
}

/// Sets the time of the notes' last change to 2001-09-09T01:46:40.5Z.
async fn set_change(app: &TestApp) {
    let time = match app.store.dialect() {
        SqlDialect::Sqlite => "1000000000500000",
        SqlDialect::Postgres => "to_timestamp(1000000000.5)",
    };
    let sql = format!("UPDATE notes SET updated_at = {time}");
    app.store.execute(Sql::new(sql)).await.unwrap();
}
