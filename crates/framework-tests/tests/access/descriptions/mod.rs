//! Descriptions for one caller: the actions, columns and inputs that they can use.

mod allotment;

use std::collections::HashMap;

use model_resource::schema::serializer::{InputSchema, PresetSource};
use model_resource::{
    ActionDescription, Api, ApiDescription, Caller, Columns, DELETE, Draft, ModelPolicy, ModelResource,
    Operations, PATCH, RowScope, Where, model_resource,
};
use serde_json::json;
use test_support::TestApp;

use allotment::{Garden, api, gardener, visitor, warden};

fn described(caller: &Caller) -> ApiDescription {
    api().compile().describe_for(caller)
}

fn find<'d>(description: &'d ApiDescription, method: &str, url: &str) -> Option<&'d ActionDescription> {
    let mut actions = description.actions.iter().map(|action| &**action);
    actions.find(|action| action.route.method == method && action.route.url == url)
}

fn inputs(action: &ActionDescription) -> HashMap<&str, &InputSchema> {
    let request = action.request.as_ref().unwrap();
    let inputs = request.input.iter();
    inputs.map(|input| (input.name.as_str(), input)).collect()
}

/// Names of the fields, with a question mark after those that are left out of some objects.
fn outputs(action: &ActionDescription) -> String {
    let response = action.response.as_ref().unwrap();
    let names = response.output.iter().map(|output| {
        let mark = if output.is_private { "?" } else { "" };
        format!("{}{mark}", output.name)
    });
    names.collect::<Vec<_>>().join(" ")
}

/// OAS-1: the description for a caller has no action that a guard, the policy or the default protection always denies.
#[test]
fn actions_that_are_always_denied_are_left_out() {
    let usable = |caller: &Caller| {
        let description = described(caller);
        let actions = description
            .actions
            .iter()
            .filter(|action| action.route.method != "HEAD");
        let lines = actions.map(|action| format!("{} {}", action.route.method, action.route.url));
        lines.collect::<Vec<String>>()
    };
    let reads = [
        "GET /plots",
        "GET /plots/<int:id>",
        "GET /gardens/<int:garden_id>/plots",
        "GET /gardens",
        "GET /gardens/<int:id>",
        // Nobody knows whom a plain function lets pass.
        "PUT /gardens/<int:id>",
    ];
    let creates = ["POST /plots", "POST /gardens/<int:garden_id>/plots"];
    let updates = ["PATCH /plots", "PUT /plots/<int:id>", "PATCH /plots/<int:id>"];
    let of_wardens = [
        "DELETE /plots",
        "DELETE /plots/<int:id>",
        "PATCH /gardens/<int:id>",
        "GET /ledger",
    ];
    let expect = |caller: &Caller, parts: &[&[&str]]| {
        let mut expected: Vec<String> = parts.concat().into_iter().map(str::to_owned).collect();
        let mut usable = usable(caller);
        expected.sort_unstable();
        usable.sort_unstable();
        assert_eq!(usable, expected, "{caller:?}");
    };
    expect(&visitor(), &[&reads, &["POST /sign-up"]]);
    expect(
        &gardener(),
        &[&reads, &creates, &updates, &["GET /keys/<int:user>"]],
    );
    expect(
        &warden(),
        &[&reads, &creates, &updates, &of_wardens, &["GET /keys/<int:user>"]],
    );
    let whole = api().compile().describe();
    assert!(find(&whole, "POST", "/gardens").is_some());
    assert!(find(&whole, "GET", "/ledger").is_some());
}

/// OAS-1: an action that is left out is rejected.
#[tokio::test]
async fn an_action_that_is_left_out_is_rejected() {
    let app = TestApp::with_api(api()).await;
    let (gardener, warden) = (app.as_caller("7"), app.as_caller("9 warden"));
    app.post("/plots", json!({})).await.expect(401);
    app.get("/ledger").await.expect(401);
    gardener
        .post("/gardens", json!({"name": "North"}))
        .await
        .expect(403);
    warden
        .post("/gardens", json!({"name": "North"}))
        .await
        .expect(403);
    gardener.post("/sign-up", json!({})).await.expect(403);
    gardener.get("/ledger").await.expect(403);
    warden.get("/ledger").await.expect(200);
}

/// OAS-2: fields that a caller never sees are in no object, filter, search or input; private ones are optional, and no
/// filters unless they are seen on all rows.
#[test]
fn fields_that_the_caller_cannot_see_are_left_out() {
    let plots = |caller: &Caller| {
        let description = described(caller);
        let list = find(&description, "GET", "/plots").unwrap();
        let options = list.list.as_ref().unwrap();
        let filters: Vec<&str> = options
            .filters
            .iter()
            .map(|filter| filter.field.as_str())
            .collect();
        (outputs(list), filters.join(" "), options.search.join(" "))
    };
    let expect = |caller: &Caller, fields: &str, filters: &str, search: &str| {
        let expected = (fields.to_owned(), filters.to_owned(), search.to_owned());
        assert_eq!(plots(caller), expected, "{caller:?}");
    };
    let public = "id gardenId title gardenerId size";
    expect(&visitor(), public, public, "title");
    expect(
        &gardener(),
        "id gardenId title gardenerId phone? size",
        public,
        "title",
    );
    let all = "id gardenId title gardenerId phone dispute size";
    expect(&warden(), all, all, "title phone dispute");
}

/// OAS-3: inputs that a caller cannot set are left out, and those that the policy or the URL sets are optional.
#[test]
fn inputs_that_the_caller_cannot_set_are_left_out() {
    let description = described(&gardener());
    let create = inputs(find(&description, "POST", "/plots").unwrap());
    assert!(!create.contains_key("size") && !create.contains_key("dispute"));
    assert!(create.contains_key("phone"));
    assert_eq!(create["gardenerId"].preset, Some(PresetSource::Policy));
    assert!(!create["gardenerId"].is_required);
    assert!(create["gardenId"].is_required && create["gardenId"].preset.is_none());

    let below = inputs(find(&description, "POST", "/gardens/<int:garden_id>/plots").unwrap());
    assert_eq!(below["gardenId"].preset, Some(PresetSource::Url));
    assert!(!below["gardenId"].is_required && below["title"].is_required);

    let replace = inputs(find(&description, "PUT", "/plots/<int:id>").unwrap());
    assert!(!replace.contains_key("gardenerId"), "presets are read-only later");
    assert!(replace["title"].is_required);
    let update = inputs(find(&description, "PATCH", "/plots/<int:id>").unwrap());
    assert!(update.values().all(|input| !input.is_required));

    let many = find(&description, "PATCH", "/plots").unwrap();
    assert_eq!(many.bulk_key.as_deref(), Some("id"));
    assert!(inputs(many)["id"].is_required);

    let of_wardens = described(&warden());
    let create = inputs(find(&of_wardens, "POST", "/plots").unwrap());
    assert!(create.contains_key("size") && create.contains_key("dispute"));
    assert_eq!(create["gardenerId"].preset, None);
}

/// OAS-3: a body of exactly the required inputs is accepted.
#[tokio::test]
async fn a_body_of_the_required_inputs_is_accepted() {
    let app = TestApp::with_api(api()).await;
    let mut garden = Draft::new();
    garden.set(Garden::NAME, "North".to_owned());
    app.store.create(garden).await.unwrap();
    let description = described(&gardener());
    for (url, path) in [
        ("/plots", "/plots"),
        ("/gardens/<int:garden_id>/plots", "/gardens/1/plots"),
    ] {
        let create = inputs(find(&description, "POST", url).unwrap());
        let required = create.values().filter(|input| input.is_required);
        let value = |input: &InputSchema| match input.name.as_str() {
            "gardenId" => json!(1),
            _ => json!("x"),
        };
        let body = required.map(|input| (input.name.clone(), value(input))).collect();
        app.as_caller("7").post(path, body).await.expect(201);
    }
}

/// OAS-4: an action tells whether it can be applied to all rows or to some.
#[test]
fn an_action_says_for_which_rows_it_can_be_used() {
    let rows = |caller: &Caller, method: &str| {
        let description = described(caller);
        find(&description, method, "/plots/<int:id>").and_then(|action| action.rows)
    };
    assert_eq!(rows(&visitor(), "GET"), Some(RowScope::All));
    assert_eq!(rows(&visitor(), "PATCH"), None);
    assert_eq!(rows(&gardener(), "PATCH"), Some(RowScope::Some));
    assert_eq!(rows(&warden(), "PATCH"), Some(RowScope::All));
    let whole = api().compile().describe();
    let rows = |method: &str, url: &str| find(&whole, method, url).unwrap().rows;
    assert_eq!(rows("PATCH", "/plots/<int:id>"), Some(RowScope::Some));
    assert_eq!(rows("PATCH", "/gardens/<int:id>"), Some(RowScope::All));
    assert_eq!(rows("POST", "/plots"), None);
}

/// OAS-1: a primary key that the caller cannot see is nowhere in their description.
#[test]
fn a_hidden_primary_key_is_left_out() {
    struct Unnumbered;

    impl ModelPolicy for Unnumbered {
        type Model = Garden;

        fn updatable(_: &Caller) -> Where<Garden> {
            Where::all()
        }

        fn hidden(_: &Caller) -> Columns<Garden> {
            Columns::of(Garden::ID)
        }
    }

    struct Gardens;

    #[model_resource(Garden, "/gardens", "/gardens/<int:id>", policy = Unnumbered)]
    impl ModelResource for Gardens {
        const BULK_METHODS: Operations = Operations::of([PATCH, DELETE]);
    }

    let compiled = Api::new("unnumbered").model_resource::<Gardens>().compile();
    let description = compiled.describe_for(&gardener());
    let urls: Vec<&str> = description
        .actions
        .iter()
        .map(|action| action.route.method.as_str())
        .collect();
    assert_eq!(urls, ["GET", "HEAD"]);
    let garden = description.model("Garden").unwrap();
    assert_eq!((garden.key.as_deref(), garden.item_url.as_deref()), (None, None));
}

/// OAS-5: callers with equal keys have equal descriptions; different access makes different keys.
#[test]
fn callers_with_the_same_rules_share_a_key() {
    let api = api().compile();
    let other = Caller::of(8_i64);
    assert_eq!(api.description_key(&gardener()), api.description_key(&other));
    assert_eq!(api.describe_for(&gardener()), api.describe_for(&other));
    let keys = [visitor(), gardener(), warden()].map(|caller| api.description_key(&caller));
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
}

/// OAS-1: at URLs with a parameter that only the policy reads, the actions are described.
#[test]
fn actions_below_a_parameter_that_the_policy_reads_are_described() {
    struct ByTenant;

    impl ModelPolicy for ByTenant {
        type Model = Garden;

        fn visible(caller: &Caller) -> Where<Garden> {
            match caller.url_param("tenant") {
                Some(name) => Garden::NAME.eq(name),
                None => Where::none(),
            }
        }
    }

    #[model_resource(Garden, "/<tenant>/gardens", "/gardens", unscoped("tenant"), policy = ByTenant)]
    struct Gardens;

    let compiled = Api::new("tenants").model_resource::<Gardens>().compile();
    let description = compiled.describe_for(&gardener());
    let list = find(&description, "GET", "/<tenant>/gardens").unwrap();
    assert_eq!(list.rows, Some(RowScope::Some));
    assert!(find(&description, "GET", "/gardens").is_none());
}
