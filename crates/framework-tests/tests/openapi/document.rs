//! The document as a whole: URLs, ids, references, examples.

use std::collections::HashSet;

use model_resource::{Api, OpenApiInfo};
use serde_json::{Value, json};
use test_support::TestApp;

use crate::boats::boats;
use crate::checked::Document;

/// OAS-21: every URL and method of the application is in the document, and nothing else.
#[tokio::test]
async fn the_document_has_every_url_and_method() {
    let api = boats().compile();
    let document = Document(api.openapi_document());
    let routes = api.routes();
    let mut described = 0;
    for route in routes.iter().filter(|route| route.method != "HEAD") {
        let path = route.url.replace("<int:", "{").replace('>', "}");
        document.operation(&route.method.to_lowercase(), &path);
        described += 1;
    }
    let operations = document.0["paths"].as_object().unwrap().values();
    let count: usize = operations.map(|path| path.as_object().unwrap().len()).sum();
    assert_eq!(count, described);
}

/// OAS-21: operation ids are unique and say what they do.
#[tokio::test]
async fn operation_ids_are_unique_and_telling() {
    let document = Document(boats().compile().openapi_document());
    let mut ids = HashSet::new();
    for (place, part) in document.parts() {
        if place.starts_with("/paths/") && place.ends_with("/operationId") {
            assert!(ids.insert(part.as_str().unwrap().to_owned()), "{part} twice");
        }
    }
    for id in [
        "listBoats",
        "createBoat",
        "getBoat",
        "replaceBoat",
        "updateBoat",
        "deleteBoat",
        "replaceBoats",
        "updateBoats",
        "deleteBoats",
        "listBoatsAtHarboursBoats",
        "createBoatAtHarboursBoats",
        "listHarbours",
        "tide",
    ] {
        assert!(ids.contains(id), "{id} is missing in {ids:?}");
    }
}

/// OAS-21: every reference has a target, and every shared part is used.
#[tokio::test]
async fn references_have_targets_and_shared_parts_are_used() {
    let document = Document(boats().compile().openapi_document());
    let mut used = HashSet::new();
    for (place, part) in document.parts() {
        if place.ends_with("/$ref") {
            let target = part.as_str().unwrap().strip_prefix('#').unwrap();
            assert!(document.0.pointer(target).is_some(), "{place}: {target}");
            used.insert(target.to_owned());
        }
    }
    for kind in ["schemas", "parameters", "responses", "headers"] {
        for name in document.0["components"][kind].as_object().unwrap().keys() {
            assert!(
                used.contains(&format!("/components/{kind}/{name}")),
                "{kind} {name} is not used"
            );
        }
    }
}

/// OAS-21: every schema is a valid JSON Schema, and accepts its own examples and its default.
#[tokio::test]
async fn examples_and_defaults_are_valid_by_their_own_schemas() {
    let document = Document(boats().compile().openapi_document());
    let mut examples = 0;
    for (place, part) in document.parts() {
        let is_schema = part
            .get("type")
            .is_some_and(|kind| kind.is_string() || kind.is_array());
        if !place.starts_with("/components/schemas/") || !is_schema || part["type"] == "about:blank" {
            continue;
        }
        let validator = document.validator(part);
        let shown = part["examples"].as_array().into_iter().flatten();
        for example in shown.chain(part.get("default")) {
            assert!(validator.is_valid(example), "{place}: {example}");
            examples += 1;
        }
    }
    assert!(examples > 40);
    for (place, part) in document.parts() {
        if place.starts_with("/components/responses/") && part.get("example").is_some() {
            assert!(
                document.validator(&part["schema"]).is_valid(&part["example"]),
                "{place}"
            );
        }
    }
}

/// OAS-22: title, version, description, contact, license and servers are those of the application.
#[tokio::test]
async fn information_about_the_api_is_that_of_the_application() {
    let info = OpenApiInfo::new()
        .title("Boats")
        .version("2.1.0")
        .summary("All about boats.")
        .description("Boats and *harbours*.")
        .terms_of_service("https://example.com/terms")
        .contact("The crew", "crew@example.com")
        .license("MIT License", "MIT")
        .server("https://boats.example.com", "Production");
    let document = boats().openapi_info(info).compile().openapi_document();
    assert_eq!(
        document["info"],
        json!({
            "title": "Boats",
            "version": "2.1.0",
            "summary": "All about boats.",
            "description": "Boats and *harbours*.",
            "termsOfService": "https://example.com/terms",
            "contact": {"name": "The crew", "email": "crew@example.com"},
            "license": {"name": "MIT License", "identifier": "MIT"},
        })
    );
    let servers = json!([{"url": "https://boats.example.com", "description": "Production"}]);
    assert_eq!(document["servers"], servers);
    let plain = boats().compile().openapi_document();
    assert_eq!(plain["info"], json!({"title": "boats", "version": "1.0.0"}));
    let versioned = boats().version("0.3.0").compile().openapi_document();
    assert_eq!(versioned["info"]["version"], "0.3.0");
    let info = OpenApiInfo::new().version("2.1.0");
    let named = boats()
        .openapi_info(info)
        .version("0.3.0")
        .compile()
        .openapi_document();
    assert_eq!(named["info"]["version"], "2.1.0");
    assert_eq!(plain["servers"], json!([{"url": "/"}]));
}

/// OAS-22: below an outer router, the server of the document is the prefix that the router has stripped.
#[tokio::test]
async fn below_another_router_the_paths_are_those_that_clients_see() {
    let tables = boats().tables();
    let app = TestApp::with_router(&tables, |store| {
        axum::Router::new().nest_service("/fleet", boats().store(store).into_service())
    })
    .await;
    let document = app.get("/fleet/api/openapi.json").await.expect(200).json();
    assert_eq!(document["servers"], json!([{"url": "/fleet"}]));
}

/// OAS-22: the document of the application's own routes is merged, and the api's own parts are kept.
#[tokio::test]
async fn another_document_is_merged() {
    let own = json!({
        "openapi": "3.1.0",
        "tags": [{"name": "Health"}, {"name": "Boats", "description": "other"}],
        "paths": {
            "/healthz": {"get": {"responses": {"200": {"$ref": "#/components/responses/Healthy"}}}},
            "/api/boats": {"get": {"summary": "other"}, "trace": {"summary": "added"}},
        },
        "components": {
            "responses": {"Healthy": {"description": "The service works."}},
            "schemas": {"Boat": {"type": "null"}, "Health": {"type": "string"}},
        },
    });
    let document = Document(boats().openapi_merge(own).compile().openapi_document());
    assert!(document.operation("get", "/healthz").is_object());
    assert_eq!(
        document.operation("get", "/api/boats")["operationId"],
        "listBoats"
    );
    assert_eq!(document.operation("trace", "/api/boats")["summary"], "added");
    assert_eq!(
        document.0["components"]["responses"]["Healthy"]["description"],
        "The service works."
    );
    assert_ne!(document.schema("Boat")["type"], "null");
    assert_eq!(document.schema("Health")["type"], "string");
    let tags: Vec<&Value> = document.0["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| &tag["name"])
        .collect();
    assert_eq!(tags, ["Boats", "Harbours", "Tide", "Health"]);
}

/// OAS-21: a model with the name of a shared schema gets another one.
#[tokio::test]
async fn an_empty_api_has_a_document_without_shared_parts() {
    let document = Api::new("empty").openapi().compile().openapi_document();
    assert_eq!(document["paths"], json!({}));
    assert_eq!(document["components"], json!({}));
}

/// OAS-24: the body of a patch is documented in each format that the URL accepts.
#[tokio::test]
async fn the_body_of_a_patch_is_documented_in_each_format() {
    let app = TestApp::with_api(boats()).await;
    let document = Document(app.get("/api/openapi.json").await.expect(200).json());
    let media_types = |path: &str| -> Vec<String> {
        let body = &document.operation("patch", path)["requestBody"];
        let mut media_types: Vec<String> = body["content"].as_object().unwrap().keys().cloned().collect();
        media_types.sort();
        media_types
    };
    let one = [
        "application/json",
        "application/json-patch+json",
        "application/merge-patch+json",
    ];
    assert_eq!(media_types("/api/boats/{id}"), one);
    let options = app.options("/api/boats/1").await.expect(204);
    let mut accepted: Vec<&str> = options.header("accept-patch").split(", ").collect();
    accepted.sort_unstable();
    assert_eq!(accepted, one);
    let several = ["application/json", "application/x-ndjson", "text/csv"];
    assert_eq!(media_types("/api/boats"), several);
}
