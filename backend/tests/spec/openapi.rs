//! The OpenAPI document of the application.

use std::process::{Command, Output};

use backend::app::Settings;
use model_resource::Server;
use serde_json::{Value, json};

use crate::support::BackendApp;

/// OAS-35: the root redirects to the index, which leads to the document and the docs page; anonymous callers and admins
/// have different documents.
#[tokio::test]
async fn the_root_leads_to_the_document() {
    let app = BackendApp::start().await;
    let root = app.anonymous.get("/").await.expect(307);
    let index = app
        .anonymous
        .get(root.header("location"))
        .await
        .expect(200)
        .json();
    assert_eq!(index["links"]["docs"], "/api/v1/docs");
    let document = index["links"]["openapi"].as_str().unwrap();
    let anonymous = app.anonymous.get(document).await.expect(200).json();
    let admin = app.get(document).await.expect(200).json();
    let create = |document: &Value| document["paths"]["/api/v1/categories"]["post"].clone();
    assert_eq!(create(&anonymous), Value::Null);
    assert_eq!(create(&admin)["operationId"], "createCategory");
    assert!(anonymous["components"]["securitySchemes"]["session"].is_object());
}

/// OAS-26: the schemas of an account's changes say that a new password needs the old one beside it and the other way
/// round, and the schema of the password's own URL has the limits of its length.
#[tokio::test]
async fn a_new_password_needs_the_old_one_in_the_document() {
    let app = BackendApp::start().await;
    let document = app.get("/api/v1/openapi.json").await.expect(200).json();
    let schemas = &document["components"]["schemas"];
    let needs = json!({"password": ["oldPassword"], "oldPassword": ["password"]});
    for name in ["UserUpdate", "UserReplace"] {
        assert_eq!(schemas[name]["dependentRequired"], needs, "{name}");
    }
    assert_eq!(schemas["ArticleUpdate"].get("dependentRequired"), None);
    let (id, ann) = app.user("ann").await;
    for alone in ["password", "oldPassword"] {
        let body = json!({ alone: "correct horse battery" });
        let refused = ann.patch(&format!("/api/v1/auth/users/{id}"), body).await;
        refused.expect(400);
    }
    let password = &document["paths"]["/api/v1/auth/password"]["post"];
    let new = &password["requestBody"]["content"]["application/json"]["schema"]["properties"]["newPassword"];
    assert_eq!(json!([new["minLength"], new["maxLength"]]), json!([8, 128]));
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_backend"));
    command.arg("openapi").args(arguments).output().unwrap()
}

/// Returns the document that the program prints.
fn printed(arguments: &[&str]) -> Value {
    let output = run(arguments);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the methods of a document with their URLs.
fn operations(document: &Value) -> Vec<String> {
    let paths = document["paths"].as_object().unwrap();
    let of = |(url, methods): (&String, &Value)| {
        let methods = methods
            .as_object()
            .unwrap()
            .keys()
            .map(|method| format!("{method} {url}"));
        methods.collect::<Vec<_>>()
    };
    paths.iter().flat_map(of).collect()
}

/// OAS-36: the command prints the document that the server sends to such a caller, and without a role that of the whole api.
#[tokio::test]
async fn the_command_prints_the_document_of_a_caller() {
    // The default of `serve`, which adds responses to the document.
    let settings = Settings {
        anonymous_writes_per_minute: Some(60),
        ..Settings::unlimited()
    };
    let app = BackendApp::start_with(Server::default(), settings).await;
    let url = "/api/v1/openapi.json";
    let anonymous = printed(&["--as", "anonymous"]);
    let admin = printed(&["--as", "admin"]);
    assert_eq!(anonymous, app.anonymous.get(url).await.expect(200).json());
    assert_eq!(admin, app.get(url).await.expect(200).json());

    let user = operations(&printed(&["--as", "user"]));
    let has = |operations: &[String], one: &str| operations.iter().any(|operation| operation == one);
    assert!(has(&user, "post /api/v1/articles") && !has(&user, "post /api/v1/categories"));
    let whole = operations(&printed(&[]));
    for document in [&anonymous, &admin] {
        let outside = operations(document).into_iter().find(|one| !has(&whole, one));
        assert_eq!(outside, None);
    }
}

/// OAS-36: a role that does not exist is rejected with the possible ones.
#[test]
fn the_command_rejects_an_unknown_role() {
    let output = run(&["--as", "amdin"]);
    assert!(!output.status.success());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("[possible values: anonymous, user, admin]"),
        "{message}"
    );
}
