//! Parameters that limit no rows.

use model_resource::{Blueprint, Params, model_resource, route};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

use super::{Story, Topic, api};

const TENANT: Blueprint = Blueprint::new("tenant", "/t/<tenant>").unscoped(&["tenant"]);
const UNDECLARED: Blueprint = Blueprint::new("undeclared", "/t/<tenant>");
const MISSPELT: Blueprint = Blueprint::new("misspelt", "/t/<tenant>").unscoped(&["tenent"]);

#[model_resource(TENANT, Topic, "/topics", "/topics/<slug>", endpoint = "tenant_topics")]
struct TenantTopicResource;

#[route(TENANT, "/who/<int:number>")]
async fn who(params: Params) -> Value {
    json!([params.get("tenant"), params.get("number")])
}

/// URL-16: a parameter in a prefix, a blueprint or a URL may be declared to limit nothing.
#[tokio::test]
async fn a_parameter_may_be_declared_to_limit_nothing() {
    #[model_resource(Topic, "/as/<role>/topics", "/as/<role>/topics/<slug>", unscoped("role"))]
    struct RoleTopicResource;

    let api = api()
        .prefix("/v/<any(a,b):version>")
        .unscoped("version")
        .model_resource::<TenantTopicResource>()
        .model_resource::<RoleTopicResource>()
        .route(who);
    let app = TestApp::with_api(api).await;
    let rust = json!({"id": 1, "slug": "rust"});
    let made = app
        .post("/v/a/t/acme/topics", json!({"slug": "rust"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/v/a/t/acme/topics/rust");
    for path in [
        "/v/a/t/acme/topics/rust",
        "/v/b/t/other/topics/rust",
        "/v/a/as/x/topics/rust",
    ] {
        app.get(path).await.expect_json(200, rust.clone());
    }
    app.get("/v/b/as/x/topics").await.expect_json(200, json!([rust]));
    app.get("/v/a/t/acme/who/7")
        .await
        .expect_json(200, json!(["acme", "7"]));
    app.get("/v/c/t/acme/topics").await.expect(404);
    // Below the prefix the api also handles unknown URLs.
    let unknown = app.get("/v/a/nothing").await.expect(404);
    assert_eq!(unknown.header("content-type"), "application/json");
}

/// URL-16: an undeclared parameter that limits nothing is rejected at startup, and so is a declaration that contradicts
/// a model.
#[tokio::test]
async fn a_parameter_that_limits_nothing_must_be_declared() {
    #[model_resource(UNDECLARED, Topic, "/topics")]
    struct Undeclared;
    #[model_resource(MISSPELT, Topic, "/topics")]
    struct Misspelt;
    #[model_resource(Topic, "/topics/<int:id>/close")]
    struct Below;
    #[model_resource(Story, "/stories")]
    struct Contradicted;
    #[model_resource(Story, "/stories", unscoped("writer_id"))]
    struct Agreed;
    let prefixed = || api().prefix("/w/<int:writer_id>").unscoped("writer_id");
    for (api, remedy) in [
        (api().model_resource::<Undeclared>(), "`unscoped(\"tenant\")`"),
        (
            api().model_resource::<Misspelt>(),
            "not in its prefix `/t/<tenant>`",
        ),
        (api().model_resource::<Below>(), "a view with #[route]"),
        (api().unscoped("tenant"), "not in its prefix"),
        (
            prefixed().model_resource::<Contradicted>(),
            "`scope(writer_id = \"author_id\")` or `unscoped(\"writer_id\")`",
        ),
    ] {
        let mistakes = startup_errors(api).await;
        assert!(
            matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
            "{mistakes:?}"
        );
    }
    assert!(
        startup_errors(prefixed().model_resource::<Agreed>())
            .await
            .is_empty()
    );
}
