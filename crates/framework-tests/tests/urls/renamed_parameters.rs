//! Rows whose column in the URL changes between the read and the write.

use model_resource::{
    Api, Caller, Columns, Context, Draft, Model, ModelPolicy, ModelResource, Operations, Query, Reply,
    Result, Where, model_resource,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "members")]
struct Member {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
    email: Option<String>,
}

#[model_resource(Member, "/members", "/members/<name>")]
struct MemberResource;

struct RenamedResource;

/// Renames the row between the read and the write, as a concurrent request might.
#[model_resource(Member, "/renamed/<name>")]
impl ModelResource for RenamedResource {
    const INCLUDE_METHODS: Operations = Operations::NONE;

    async fn patch(cx: Context, member: Draft<Member>) -> Result<Reply> {
        rename_all(&cx).await?;
        cx.updated(member).await
    }

    async fn put(cx: Context, member: Draft<Member>) -> Result<Reply> {
        rename_all(&cx).await?;
        cx.updated(member).await
    }

    async fn delete(cx: Context, member: Member) -> Result<Reply> {
        rename_all(&cx).await?;
        cx.deleted(member).await
    }
}

async fn rename_all(cx: &Context) -> Result<()> {
    let all: Vec<Member> = cx.store_unchecked().all(&Query::new()).await?;
    for member in all {
        let mut draft = Draft::of(&member);
        draft.set(Member::NAME, format!("{}-old", member.name));
        cx.store_unchecked().save(draft).await?;
    }
    Ok(())
}

/// Members see their own e-mail address, and every caller changes every member.
struct MemberPolicy;

impl ModelPolicy for MemberPolicy {
    type Model = Member;

    fn updatable(_: &Caller) -> Where<Member> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn private() -> Columns<Member> {
        Columns::of(Member::EMAIL)
    }

    fn shows_private(caller: &Caller) -> Where<Member> {
        caller.owned_by(Member::ID)
    }
}

async fn club() -> TestApp {
    let api = Api::new("club")
        .authenticator(HeaderAuthenticator)
        .model_resource::<MemberResource>()
        .model_resource::<RenamedResource>()
        .policy::<MemberPolicy>();
    TestApp::with_api(api).await
}

/// Returns the name and the address of the only member.
fn stored(app: &TestApp) -> String {
    app.database().value("SELECT name || ' ' || email FROM members")
}

/// URL-18: the old name is then a 404, also if the write would change a column that the caller sees on some rows only.
#[tokio::test]
async fn a_concurrently_renamed_row_is_not_found() {
    let app = club().await;
    app.post("/members", json!({"name": "ann", "email": "a@x.example"}))
        .await
        .expect(201);
    let ann = app.as_caller("1");
    let body = json!({"name": "ann", "email": "new@x.example"});
    ann.patch("/renamed/ann", json!({"email": "new@x.example"}))
        .await
        .expect(404);
    ann.put("/renamed/ann-old", body).await.expect(404);
    ann.delete("/renamed/ann-old-old").await.expect(404);
    assert_eq!(stored(&app), "ann-old-old-old a@x.example");
    // A caller who may not write the column gets that error while the row has its name.
    app.as_caller("2")
        .patch("/members/ann-old-old-old", json!({"email": "new@x.example"}))
        .await
        .expect(403);
}

/// URL-18: a case-insensitive database finds the row by another spelling, and writes it only while the URL still
/// identifies it.
#[tokio::test]
async fn a_row_that_was_found_by_another_spelling_is_not_written_under_another_name() {
    let app = club().await;
    let ignoring_case = if app.database().is_postgres() {
        "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
             ALTER TABLE members ALTER name TYPE text COLLATE any_case"
    } else {
        "DROP TABLE members;
             CREATE TABLE members (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE UNIQUE, email TEXT)"
    };
    app.database().execute(ignoring_case);
    app.post("/members", json!({"name": "Ann", "email": "a@x.example"}))
        .await
        .expect(201);
    let ann = app.as_caller("1");
    ann.patch("/members/ANN", json!({"email": "b@x.example"}))
        .await
        .expect(200);
    ann.patch("/renamed/ANN", json!({"email": "c@x.example"}))
        .await
        .expect(404);
    ann.put("/renamed/ANN-OLD", json!({"name": "x", "email": "c@x.example"}))
        .await
        .expect(404);
    ann.delete("/renamed/ANN-OLD-OLD").await.expect(404);
    assert_eq!(stored(&app), "Ann-old-old-old b@x.example");
}
