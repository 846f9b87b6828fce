//! URL parameters under policies: key columns, parents and accounts.

use axum::Router;
use backend::api::{Api, Context, ModelResource, ModelSerializer, Operations, operations};
use backend::models::{self, User};
use backend::security::{Security, auth_required_same_user};
use backend::{extensions, views};
use http::Method;
use model_resource::{
    Blueprint, CREATE, Caller, Columns, DELETE, Draft, GET, MethodDecorators, Model, ModelPolicy, Next,
    PATCH, PUT, Reply, Result, Where, guard, model_resource, param_converter, route, serializer,
};
use serde_json::{Value, json};

use crate::support::{ByHeader, TestApp, execute, refusal, rows};

macro_rules! serializers {
    ($($serializer:ident($model:ident)),*) => { $(
        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = $model;
        }
    )* };
}

#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
struct Branch {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    slug: String,
    #[column(default = true)]
    is_open: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "copies")]
struct Copy {
    #[column(primary_key)]
    id: i64,
    #[column(references = Branch)]
    branch_id: i64,
    #[column(unique)]
    code: String,
    title: String,
}

serializers!(BranchSerializer(Branch), CopySerializer(Copy));

/// Everybody sees the open branches, and everybody of a branch their own.
struct BranchPolicy;

impl ModelPolicy for BranchPolicy {
    type Model = Branch;

    fn visible(caller: &Caller) -> Where<Branch> {
        match caller.has_role("head") {
            true => Where::all(),
            false => Where::is(Branch::IS_OPEN, true),
        }
    }

    fn changeable(caller: &Caller) -> Where<Branch> {
        Self::visible(caller)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }
}

/// The key of a caller is that of their branch; the head office has none.
struct CopyPolicy;

impl ModelPolicy for CopyPolicy {
    type Model = Copy;

    fn changeable(_: &Caller) -> Where<Copy> {
        Where::all()
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn given(caller: &Caller) -> Draft<Copy> {
        let mut given = Draft::new();
        if let Some(branch) = caller.key().filter(|_| !caller.has_role("head")) {
            given.set(Copy::BRANCH_ID, branch);
        }
        given
    }

    fn hidden(caller: &Caller) -> Columns<Copy> {
        match caller.has_role("blind") {
            true => Columns::of(Copy::CODE),
            false => Columns::none(),
        }
    }
}

#[model_resource(Branch, "/branches", "/branches/<int:id>")]
struct BranchResource;

struct CopyResource;

#[model_resource(
    Copy,
    "/copies",
    "/copies/<code>",
    "/copies/by-id/<int:id>",
    "/branches/<int:branch_id>/copies",
    "/branches/<int:branch_id>/copies/<int:id>",
    "/at/<branch_slug>/copies"
)]
impl ModelResource for CopyResource {
    const BULK_METHODS: Operations = operations![CREATE, PATCH, DELETE];
}

struct OwnCopyResource;

/// With an operation of its own that sets nothing.
#[model_resource(Copy, "/own/<int:branch_id>/copies")]
impl ModelResource for OwnCopyResource {
    const INCLUDE_METHODS: Operations = Operations::NONE;
    const EXCLUDE_DECORATORS: Operations = Operations::ALL;

    async fn create(cx: Context) -> Result<Reply> {
        let mut copy = Draft::<Copy>::new();
        copy.set(Copy::CODE, "own".to_owned());
        copy.set(Copy::TITLE, "own".to_owned());
        cx.created(copy).await
    }
}

/// A view that finds its copy by a column that is hidden from some callers.
#[route(
    "/copies/<code>/lend",
    methods = [POST],
    decorators = [param_converter().model::<Copy>("code")]
)]
async fn lend(cx: Context) -> Value {
    json!({"lent": cx.loaded::<Copy>().map(|copy| copy.id)})
}

/// Branches 1, 2 and 3, of which the last is closed, with a copy each.
async fn library() -> TestApp {
    let api = Api::new("library")
        .serializer::<BranchSerializer>()
        .serializer::<CopySerializer>()
        .policy::<BranchPolicy>()
        .policy::<CopyPolicy>()
        .model_resource::<BranchResource>()
        .model_resource::<CopyResource>()
        .model_resource::<OwnCopyResource>()
        .route(lend)
        .security(ByHeader);
    let app = TestApp::with_api(api).await;
    let head = app.as_caller("99 head");
    for (id, is_open) in [(1, true), (2, true), (3, false)] {
        let branch = json!({"slug": format!("b{id}"), "isOpen": is_open});
        head.post("/branches", branch).await.expect(201);
        let copy = json!({"code": format!("c{id}"), "title": "t"});
        let made = head
            .post(&format!("/branches/{id}/copies"), copy)
            .await
            .expect(201);
        assert_eq!(made.json()["branchId"], id);
    }
    app
}

/// POL-15: who is given one branch makes no copy at another's URL, one by one, among many or from a file.
#[tokio::test]
async fn a_parent_in_the_url_that_contradicts_what_is_given_is_refused() {
    let app = library().await;
    let of_first = app.as_caller("1");
    let before = rows(&app.database());
    let copy = json!({"code": "x", "title": "x"});
    for url in ["/branches/2/copies", "/at/b2/copies", "/own/2/copies"] {
        of_first.post(url, copy.clone()).await.expect(403);
    }
    let with_branch = json!({"code": "x", "title": "x", "branchId": 2});
    of_first.post("/branches/2/copies", with_branch).await.expect(403);
    of_first
        .post("/branches/2/copies", json!([copy]))
        .await
        .expect(403);
    for (media, file) in [
        ("text/csv", "code,title\nx,x\n"),
        ("application/x-ndjson", "{\"code\": \"x\", \"title\": \"x\"}\n"),
    ] {
        for url in ["/branches/2/copies", "/at/b2/copies"] {
            let file = Some((media, file.into()));
            of_first.send(Method::POST, url, file).await.expect(403);
        }
    }
    assert_eq!(rows(&app.database()), before);

    let made = of_first
        .post("/branches/1/copies", copy.clone())
        .await
        .expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let made = of_first
        .post("/at/b1/copies", json!({"code": "y", "title": "y"}))
        .await
        .expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let made = of_first
        .post("/copies", json!({"code": "z", "title": "z"}))
        .await
        .expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let made = of_first.post("/own/1/copies", json!({})).await.expect(201);
    assert_eq!(made.json()["branchId"], 1);
    let head = app.as_caller("99 head");
    let file = Some(("text/csv", "code,title\nf,f\n".into()));
    let made = head.send(Method::POST, "/branches/2/copies", file).await;
    assert_eq!(made.expect(201).json()[0]["branchId"], 2);
}

/// POL-14: a column that is hidden from the caller finds nothing, is in no `Location`, and is another's business as before.
#[tokio::test]
async fn a_hidden_column_in_the_url_finds_nothing() {
    let app = library().await;
    let blind = app.as_caller("1 blind");
    let before = rows(&app.database());
    let missing = blind.get("/copies/nothing").await.expect(404).body;
    for answer in [
        blind.get("/copies/c1").await,
        blind.patch("/copies/c1", json!({"title": "x"})).await,
        blind.put("/copies/c1", json!({"title": "x"})).await,
        blind.delete("/copies/c1").await,
    ] {
        assert_eq!(answer.expect(404).body, missing);
    }
    assert_eq!(rows(&app.database()), before);
    app.get("/copies/c1").await.expect(200);
    blind.get("/copies/by-id/1").await.expect(200);
    blind.post("/copies/c1/lend", json!({})).await.expect(404);
    let seeing = app.as_caller("1");
    seeing.post("/copies/c1/lend", json!({})).await.expect(200);
    let made = seeing
        .post("/copies", json!({"code": "new", "title": "t"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/copies/new");
}

/// POL-16: a foreign key that keeps its value is no write, though the caller cannot see the row that it names.
#[tokio::test]
async fn an_unchanged_foreign_key_is_no_write() {
    let app = library().await;
    let head = app.as_caller("99 head");
    let of_first = app.as_caller("1");
    let anyone = app.client.clone();
    head.get("/branches/3").await.expect(200);
    anyone.get("/branches/3").await.expect(404);
    for url in ["/copies/by-id/3", "/copies/c3"] {
        let title = format!("by {url}");
        anyone
            .patch(url, json!({"branchId": 3, "title": title}))
            .await
            .expect_json(200, json!({"id": 3, "branchId": 3, "code": "c3", "title": title}));
        anyone
            .put(url, json!({"branchId": 3, "code": "c3", "title": "put"}))
            .await
            .expect(200);
    }
    anyone
        .patch("/copies", json!([{"id": 3, "branchId": 3, "title": "many"}]))
        .await
        .expect(200);
    let before = rows(&app.database());
    let hidden = json!({"errors": {"branchId": ["Branch Id does not exist."]}});
    for url in ["/copies/by-id/1", "/copies/c1"] {
        anyone
            .patch(url, json!({"branchId": 3}))
            .await
            .expect_json(400, hidden.clone());
    }
    anyone
        .patch("/copies/by-id/9", json!({"branchId": 3}))
        .await
        .expect(404);
    assert_eq!(rows(&app.database()), before);
    // What a caller was given stays what it is, as before.
    let kept = of_first.patch("/copies/c2", json!({"branchId": 1})).await;
    assert_eq!(kept.expect(200).json()["branchId"], 2);
}

/// POL-16: the ordinary patch reads nothing before it writes, but what its foreign key names.
#[tokio::test]
async fn an_ordinary_patch_does_not_read_its_row() {
    let app = library().await;
    let before = app.store.reads();
    app.patch("/copies/by-id/1", json!({"title": "x"}))
        .await
        .expect(200);
    assert_eq!(app.store.reads() - before, 0);
    app.patch("/copies/by-id/1", json!({"branchId": 2}))
        .await
        .expect(200);
    assert_eq!(app.store.reads() - before, 1);
}

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

serializers!(ProfileSerializer(Profile), MemoSerializer(Memo));

struct ProfileResource;

#[model_resource(Profile, "/profiles/<int:user_id>")]
impl ModelResource for ProfileResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required_same_user.by("user_id"))
    }
}

struct AccountResource;

#[model_resource(User, "/accounts/<username>")]
impl ModelResource for AccountResource {
    const INCLUDE_METHODS: Operations = operations![GET];

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required_same_user)
    }
}

struct MemoResource;

#[model_resource(Memo, "/of/<user_username>/memos", "/of/<user_username>/memos/<int:id>")]
impl ModelResource for MemoResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required_same_user.by("user_username"))
    }
}

fn accounts() -> Api {
    views::register(extensions::api::api())
        .security(Security::new())
        .serializer::<ProfileSerializer>()
        .serializer::<MemoSerializer>()
}

async fn serve_accounts(api: Api) -> TestApp {
    let mut tables = models::tables();
    tables.extend([Profile::table(), Memo::table()]);
    TestApp::with_router(&tables, |store| api.store(store).init_app(Router::new())).await
}

/// POL-17: whom the URL names is whose row it is, whatever the keys of the rows.
#[tokio::test]
async fn the_same_user_is_the_one_whose_row_it_is() {
    let app = serve_accounts(accounts().model_resource::<ProfileResource>()).await;
    let (ann_id, ann) = app.user("ann").await;
    let (bob_id, bob) = app.user("bob").await;
    // The profile of each has the key of the other.
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
        let before = rows(&app.database());
        client.get(other).await.expect(403);
        client.patch(other, json!({"bio": "x"})).await.expect(403);
        client.delete(other).await.expect(403);
        app.anonymous.get(own).await.expect(401);
        assert_eq!(rows(&app.database()), before);
        let patched = client.patch(own, json!({"bio": "mine"})).await.expect(200).json();
        assert_eq!(patched["userId"], id);
        client.patch(own, json!({"userId": 9})).await.expect(400);
        client
            .patch(own, json!({"bio": format!("of {id}")}))
            .await
            .expect(200);
    }
}

/// POL-17: users may be named by another unique column of theirs; one who is named like another's key is not the other.
#[tokio::test]
async fn the_same_user_may_be_named_by_a_unique_column() {
    let api = accounts()
        .model_resource::<AccountResource>()
        .model_resource::<MemoResource>();
    let app = serve_accounts(api).await;
    let (ann_id, ann) = app.user("ann").await;
    let (_, impostor) = app.user("impostor").await;
    let rename = format!("UPDATE users SET username = '{ann_id}' WHERE username = 'impostor'");
    execute(&app.database(), &rename);
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

/// POL-17: a guard that compares the caller with a row of another model is refused at start.
#[tokio::test]
async fn a_guard_by_what_is_no_account_is_refused() {
    struct WrongMemoResource;

    #[model_resource(Memo, "/users/<int:user_id>/memos/<int:id>")]
    impl ModelResource for WrongMemoResource {
        fn method_decorators() -> MethodDecorators {
            MethodDecorators::none().every(auth_required_same_user)
        }
    }
    let mistakes = refusal(accounts().model_resource::<WrongMemoResource>()).await;
    let remedy = "identifies a row of Memo and not of User: name the parameter that does by `.by(\"..\")`";
    assert!(
        matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
        "{mistakes:?}"
    );
}

#[derive(Debug, Clone, Model)]
#[model(table = "papers")]
struct Paper {
    #[column(primary_key)]
    id: i64,
    tenant: String,
    title: String,
}

serializers!(PaperSerializer(Paper));

/// Only what belongs to the tenant in the URL is there.
struct PaperPolicy;

impl ModelPolicy for PaperPolicy {
    type Model = Paper;

    fn visible(caller: &Caller) -> Where<Paper> {
        match caller.url_param("tenant") {
            Some(tenant) => Where::is(Paper::TENANT, tenant.to_owned()),
            None => Where::none(),
        }
    }

    fn changeable(caller: &Caller) -> Where<Paper> {
        Self::visible(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.url_param("tenant").is_some()
    }

    fn given(caller: &Caller) -> Draft<Paper> {
        let mut given = Draft::new();
        if let Some(tenant) = caller.url_param("tenant") {
            given.set(Paper::TENANT, tenant.to_owned());
        }
        given
    }
}

const TENANT: Blueprint = Blueprint::new("tenant", "/t/<tenant>").unscoped(&["tenant"]);

struct PaperResource;

#[model_resource(Paper, "/papers", "/papers/<int:id>")]
impl ModelResource for PaperResource {
    const BULK_METHODS: Operations = operations![CREATE, PUT, PATCH, DELETE];
}

#[model_resource(TENANT, Paper, "/papers", "/papers/<int:id>", endpoint = "tenant_papers")]
struct TenantPaperResource;

#[route(TENANT, "/titles", endpoint = "titles")]
async fn titles(cx: Context) -> Result<Reply> {
    Reply::json(&json!([
        cx.caller().url_param("tenant"),
        cx.params().get("tenant")
    ]))
}

async fn no_guests(cx: Context, next: Next) -> Result<Reply> {
    match cx.params().get("tenant") {
        Some("guests") => Err(cx.denied()),
        _ => next.run(cx).await,
    }
}

fn papers() -> Api {
    Api::new("papers")
        .serializer::<PaperSerializer>()
        .policy::<PaperPolicy>()
        .decorator(guard(no_guests))
        .security(ByHeader)
}

/// POL-18: a tenant in a prefix or a blueprint reaches policies, decorators and handlers, and limits nothing by itself.
#[tokio::test]
async fn a_tenant_in_a_prefix_or_a_blueprint_reaches_policies() {
    let in_prefix = papers()
        .prefix("/t/<tenant>")
        .unscoped("tenant")
        .model_resource::<PaperResource>();
    let in_blueprint = papers().model_resource::<TenantPaperResource>().route(titles);
    for api in [in_prefix, in_blueprint] {
        let app = TestApp::with_api(api).await;
        let somebody = app.as_caller("1");
        for (id, tenant) in [(1, "acme"), (2, "other")] {
            let made = somebody
                .post(&format!("/t/{tenant}/papers"), json!({"title": "t"}))
                .await
                .expect(201);
            assert_eq!(made.json(), json!({"id": id, "tenant": tenant, "title": "t"}));
            assert_eq!(made.header("location"), format!("/t/{tenant}/papers/{id}"));
        }
        let before = rows(&app.database());
        let own = json!({"id": 1, "tenant": "acme", "title": "t"});
        app.get("/t/acme/papers").await.expect_json(200, json!([own]));
        app.get("/t/acme/papers/1").await.expect_json(200, own);
        app.get("/t/acme/papers/2").await.expect(404);
        somebody
            .patch("/t/acme/papers/2", json!({"title": "x"}))
            .await
            .expect(404);
        somebody.delete("/t/acme/papers/2").await.expect(404);
        somebody
            .post("/t/acme/papers", json!({"title": "x", "tenant": "other"}))
            .await
            .expect(400);
        app.get("/t/guests/papers").await.expect(401);
        somebody.get("/t/guests/papers").await.expect(403);
        assert_eq!(rows(&app.database()), before);
    }
}

/// POL-18: among many objects and in views too.
#[tokio::test]
async fn a_tenant_reaches_bulk_writes_and_views() {
    let api = papers()
        .prefix("/t/<tenant>")
        .unscoped("tenant")
        .model_resource::<PaperResource>();
    let app = TestApp::with_api(api).await;
    let somebody = app.as_caller("1");
    let file = ("text/csv", "title\none\ntwo\n".into());
    let made = somebody.send(Method::POST, "/t/acme/papers", Some(file)).await;
    assert_eq!(made.expect(201).json()[1]["tenant"], "acme");
    let before = rows(&app.database());
    somebody
        .patch("/t/other/papers", json!([{"id": 1, "title": "x"}]))
        .await
        .expect(404);
    somebody.delete("/t/other/papers?id=1").await.expect(404);
    assert_eq!(rows(&app.database()), before);
    somebody
        .patch("/t/acme/papers", json!([{"id": 1, "title": "x"}]))
        .await
        .expect(200);

    let api = papers().model_resource::<TenantPaperResource>().route(titles);
    let app = TestApp::with_api(api).await;
    let told: Value = app.get("/t/acme/titles").await.expect(200).json();
    assert_eq!(told, json!(["acme", "acme"]));
}

/// POL-18: a policy by the tenant can be asked in a test without HTTP.
#[test]
fn a_policy_by_a_url_parameter_is_a_plain_function() {
    let paper = Paper {
        id: 1,
        tenant: "acme".to_owned(),
        title: String::new(),
    };
    let caller = Caller::of(1_i64);
    assert!(!PaperPolicy::visible(&caller).holds(&paper));
    assert!(PaperPolicy::visible(&caller.with_url_param("tenant", "acme")).holds(&paper));
}
