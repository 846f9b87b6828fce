//! Text of the test of a resource.

use crate::scaffold::field::{FieldKind, FieldSpec};
use crate::scaffold::names::ModelName;

/// Returns the test of a resource in an application.
pub(super) fn test_text(package: &str, name: &ModelName, fields: &[FieldSpec]) -> String {
    let library = package.replace('-', "_");
    let ModelName {
        url, table, module, ..
    } = name;
    let needs_others = fields
        .iter()
        .any(|field| matches!(field.kind, FieldKind::Reference(_)) && !field.optional);
    let test = if needs_others {
        refused(url, table, fields)
    } else {
        created(url, module, fields)
    };
    format!(
        "//! The resource at `/{url}`.

use model_resource_testing::TestApp;
use serde_json::json;

{test}
async fn app() -> TestApp {{
    TestApp::new({library}::manage()).await
}}
"
    )
}

/// Test of a resource whose rows need no others: one is created, read and deleted.
fn created(url: &str, module: &str, fields: &[FieldSpec]) -> String {
    let members: Vec<String> = fields
        .iter()
        .filter_map(|field| Some(format!("\"{}\": {}", field.json_name(), field.example()?)))
        .collect();
    let object = if members.is_empty() {
        "json!({})".to_owned()
    } else {
        format!("json!({{\n        {}\n    }})", members.join(",\n        "))
    };
    format!(
        "#[tokio::test]
async fn a_{module}_can_be_created_read_and_deleted() {{
    let app = app().await;
    let object = {object};

    let created = app.post(\"/api/v1/{url}\", object.clone()).await;
    created.assert_status(201).assert_json(object.clone());
    app.get(\"/api/v1/{url}/1\").await.assert_status(200).assert_json(object);

    app.delete(\"/api/v1/{url}/1\").await.assert_status(204);
    app.get(\"/api/v1/{url}/1\").await.assert_status(404);
}}
"
    )
}

/// Test of a resource whose rows reference others: without a reference a row is refused.
fn refused(url: &str, table: &str, fields: &[FieldSpec]) -> String {
    let reference = fields
        .iter()
        .find(|field| matches!(field.kind, FieldKind::Reference(_)) && !field.optional);
    let member = reference.map(FieldSpec::json_name).unwrap_or_default();
    let label = reference.map(FieldSpec::label).unwrap_or_default();
    format!(
        "#[tokio::test]
async fn {table}_need_what_they_reference() {{
    let app = app().await;
    app.get(\"/api/v1/{url}\").await.assert_status(200).assert_json(json!([]));

    let refused = app.post(\"/api/v1/{url}\", json!({{}})).await;
    refused.assert_status(400).assert_json(json!({{\"errors\": {{\"{member}\": [\"{label} is required.\"]}}}}));
}}
"
    )
}
