//! URL parameters that limit no rows, but are read by policies.

use http::Method;
use model_resource::{
    Api, Blueprint, CREATE, Caller, Context, DELETE, Draft, Model, ModelPolicy, ModelResource, Next,
    Operations, PATCH, PUT, Reply, Result, Where, guard, model_resource, route,
};
use serde_json::{Value, json};
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "papers")]
struct Paper {
    #[column(primary_key)]
    id: i64,
    tenant: String,
    title: String,
}

serializers!(PaperSerializer(Paper));

/// Only rows of the tenant in the URL are visible.
struct PaperPolicy;

impl ModelPolicy for PaperPolicy {
    type Model = Paper;

    fn visible(caller: &Caller) -> Where<Paper> {
        match caller.url_param("tenant") {
            Some(tenant) => Paper::TENANT.eq(tenant.to_owned()),
            None => Where::none(),
        }
    }

    fn updatable(caller: &Caller) -> Where<Paper> {
        Self::visible(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.url_param("tenant").is_some()
    }

    fn presets(caller: &Caller) -> Draft<Paper> {
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
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
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
        .authenticator(HeaderAuthenticator)
}

/// POL-18: a tenant in a prefix or a blueprint is available to policies, decorators and handlers, and limits nothing by
/// itself.
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
        let before = app.database().rows();
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
        assert_eq!(app.database().rows(), before);
    }
}

/// POL-18: it is also available in bulk requests and views.
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
    let before = app.database().rows();
    somebody
        .patch("/t/other/papers", json!([{"id": 1, "title": "x"}]))
        .await
        .expect(404);
    somebody.delete("/t/other/papers?id=1").await.expect(404);
    assert_eq!(app.database().rows(), before);
    somebody
        .patch("/t/acme/papers", json!([{"id": 1, "title": "x"}]))
        .await
        .expect(200);

    let api = papers().model_resource::<TenantPaperResource>().route(titles);
    let app = TestApp::with_api(api).await;
    let tenants: Value = app.get("/t/acme/titles").await.expect(200).json();
    assert_eq!(tenants, json!(["acme", "acme"]));
}

/// POL-18: a policy that depends on the tenant can be tested without HTTP.
#[test]
fn a_policy_by_a_url_parameter_is_a_plain_function() {
    let paper = Paper {
        id: 1,
        tenant: "acme".to_owned(),
        title: String::new(),
    };
    let caller = Caller::of(1_i64);
    assert!(!PaperPolicy::visible(&caller).matches(&paper));
    assert!(PaperPolicy::visible(&caller.with_url_param("tenant", "acme")).matches(&paper));
}
