//! Several filters on JSON documents.

use http_body_util::BodyExt;
use model_resource::{Api, Json, Model, model_resource};
use serde_json::{Value, json};
use test_support::TestApp;

use crate::ids;

/// A table whose name and columns are also members of the documents.
#[derive(Debug, Clone, Model)]
#[model(table = "members")]
struct Thing {
    #[column(primary_key)]
    id: i64,
    name: String,
    options: Option<Json>,
    extra: Option<Json>,
}

#[model_resource(Thing, "/things")]
struct ThingResource;

fn api() -> Api {
    Api::new("things").model_resource::<ThingResource>()
}

/// Starts an api with documents of all kinds.
async fn things() -> TestApp {
    let app = TestApp::with_api(api()).await;
    let documents = [
        json!({"name": "a", "size": {"width": 1, "tags": ["x", "y"]}, "id": 7, "on": true}),
        json!({"name": "b", "size": {"width": 2, "tags": ["z"]}, "id": 8, "on": false}),
        json!({"name": 3, "size": null}),
        json!([{"name": "a"}]),
        json!("a"),
        json!(null),
        json!({}),
    ];
    for options in documents {
        let body = json!({"name": "thing", "options": options, "extra": {"name": "e"}});
        app.post("/things", body).await.expect(201);
    }
    app
}

/// LOAD-99: several filters on a document give the rows of each of them, whatever the documents are.
#[tokio::test]
async fn several_filters_on_documents_match_what_each_of_them_matches() {
    let app = things().await;
    for (query, expected) in [
        ("options.name=a&options.size.width=1", &[1][..]),
        ("options.size.width[gte]=1", &[1, 2]),
        ("options.size.width[ne]=1", &[2]),
        ("options.name=3", &[3]),
        ("options.name[ne]=a&options.size.width[gte]=2", &[2]),
        ("options.name[in]=a,b&options.on=false&options.id[lt]=9", &[2]),
        ("options.size.tags.0=x&options.size.tags.1=y", &[1]),
        (
            "options.name[isnull]=true&options.size[isnull]=true",
            &[4, 5, 6, 7],
        ),
        ("or=(options.name=b,options.name=3,options.0.name=a)", &[2, 3, 4]),
        ("not=(options.name=a,options.id=7)", &[2, 3, 4, 5, 6, 7]),
        (
            "options.name[contains]=a&extra.name=e&extra.name[like]=e&name=thing&id[gte]=1",
            &[1],
        ),
        (
            "options.id[between]=7,8&options.name[startswith]=b&sort=-name",
            &[2],
        ),
    ] {
        let found = app.get(&format!("/things?{query}")).await.expect(200);
        assert_eq!(ids(&found.json()), expected, "{query}");
        let page = app
            .get(&format!("/things?{query}&limit=5&count=exact"))
            .await
            .expect(200);
        assert_eq!(
            page.header("x-total-count"),
            expected.len().to_string(),
            "{query}"
        );
    }
}

/// LOAD-99: PostgreSQL, where each operator parses its document, parses it once per row for one filter as for several.
#[tokio::test]
async fn filters_on_a_document_parse_it_once() {
    let app = things().await;
    let service = api().store(app.store.clone()).into_service();
    let sql = |query: &'static str| {
        let explained = service.explain(format!("/things?{query}").parse().unwrap());
        async {
            let body = explained.await.into_body().collect().await.unwrap().to_bytes();
            let plan: Value = serde_json::from_slice(&body).unwrap();
            plan["sql"].as_str().unwrap().to_owned()
        }
    };
    let several = sql("options.name=a&options.size.width=1&options.size.width[ne]=2").await;
    let number = sql("options.size.width[gte]=1&extra.name[isnull]=true").await;
    let missing = sql("options.name[isnull]=true").await;
    if app.database().is_postgres() {
        assert_eq!(several.matches("json_to_record(").count(), 1, "{several}");
        // Once to see that it is an object, which reads its first character, and once to parse it.
        assert_eq!(several.matches("\"options\"::json").count(), 2, "{several}");
        // A comparison with one number would parse it three times, a test for null parses it once.
        assert_eq!(number.matches("json_to_record(").count(), 1, "{number}");
        assert_eq!(number.matches("\"options\"::json").count(), 2, "{number}");
    } else {
        assert!(!several.contains("json_to_record"), "{several}");
        assert!(!number.contains("json_to_record"), "{number}");
    }
    assert!(!missing.contains("json_to_record"), "{missing}");
}
