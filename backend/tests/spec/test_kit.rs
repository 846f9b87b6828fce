//! The application in the test kit, as applications of users are tested.

use backend::models::Tag;
use model_resource::Caller;
use model_resource_testing::TestApp;
use serde_json::json;

/// TST-10: a program is tested with its migrations, its accounts and its routes.
#[tokio::test]
async fn a_program_is_tested_with_its_migrations_and_policies() {
    let app = TestApp::builder(backend::app::manage())
        .time("2026-03-01T12:00:00Z")
        .start()
        .await;
    let admin = app.as_caller(Caller::of(1_i64).with_roles(["admin"]));
    let category = json!({"name": "Sailing"});
    app.post("/api/v1/categories", category.clone())
        .await
        .assert_status(401);
    admin
        .post("/api/v1/categories", category)
        .await
        .assert_status(201)
        .assert_json(json!({"name": "Sailing", "createdAt": "2026-03-01T12:00:00Z"}));
    assert_eq!(app.all::<Tag>().await.len(), 0);
}
