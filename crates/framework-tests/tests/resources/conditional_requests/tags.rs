//! Tags of row versions.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode};
use model_resource::{
    Api, Model, ModelResource, ModelSerializer, Representations, Result, SerializerFields, Sql, SqlDialect,
    Timestamp, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{KINDS, if_none_match, served, tag};

/// Its objects are shown with their parent, and in a representation of their own.
#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
struct Branch {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(references = Branch, on_delete = cascade)]
    parent_id: Option<i64>,
    #[column(updated)]
    updated_at: Timestamp,
}

struct BranchSerializer;

#[serializer]
impl ModelSerializer for BranchSerializer {
    type Model = Branch;

    fn fields(fields: SerializerFields<Branch>) -> SerializerFields<Branch> {
        fields
            .belongs_to::<BranchSerializer>("parent", Branch::PARENT_ID)
            .has_many::<BranchSerializer>("children", Branch::PARENT_ID)
    }
}

struct BranchResource;

#[model_resource(Branch, "/branches", "/branches/<int:id>", serializer = BranchSerializer)]
impl ModelResource for BranchResource {
    fn representations() -> Representations {
        Representations::none().with("text/markdown", markdown)
    }
}

fn markdown(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    Ok((status, headers, format!("- {data}")).into_response())
}

/// VSN-1, VSN-2: every change of a row has another tag, whatever its version is.
#[tokio::test]
async fn a_tag_names_the_version_of_a_row() {
    let app = served().await;
    for (list, field, _) in KINDS {
        let item = format!("{list}/1");
        let created = app.post(list, json!({field: "a"})).await.expect(201);
        let first = tag(&created);
        assert_eq!(tag(&app.get(&item).await.expect(200)), first);
        assert_eq!(tag(&app.head(&item).await.expect(200)), first);
        assert_eq!(
            tag(&app.get(&format!("{item}?fields=id")).await.expect(200)),
            first
        );
        // The same value again is no change.
        assert_eq!(
            tag(&app.patch(&item, json!({field: "a"})).await.expect(200)),
            first
        );
        let mut seen = vec![first];
        for text in ["b", "c", "b"] {
            let patched = tag(&app.patch(&item, json!({field: text})).await.expect(200));
            assert_eq!(tag(&app.get(&item).await.expect(200)), patched);
            seen.push(patched);
        }
        let replaced = tag(&app.put(&item, json!({field: "d"})).await.expect(200));
        seen.push(replaced);
        seen.dedup();
        assert_eq!(seen.len(), 5, "{list}");
        // Another row with the same values has another tag.
        let other = app.post(list, json!({field: "d"})).await.expect(201);
        assert!(!seen.contains(&tag(&other)));
    }
}

/// VSN-2: the framework counts the versions, and ignores a number that a client sends.
#[tokio::test]
async fn the_framework_counts_versions() {
    let app = served().await;
    let created = app
        .post("/accounts", json!({"name": "a", "version": 7}))
        .await
        .expect(201);
    assert_eq!(created.json()["version"], 1);
    for (body, version) in [
        (json!({"name": "b"}), 2),
        (json!({"name": "b"}), 2),
        (json!({"name": "c", "version": 9}), 3),
    ] {
        let patched = app.patch("/accounts/1", body).await.expect(200);
        assert_eq!(patched.json()["version"], version);
    }
    let replaced = app
        .put("/accounts/1", json!({"name": "c", "balance": 5}))
        .await
        .expect(200);
    assert_eq!(replaced.json()["version"], 4);
}

/// VSN-2: the time of change grows with each change, even if the clock goes back.
#[tokio::test]
async fn the_time_of_change_always_grows() {
    let app = served().await;
    app.post("/notes", json!({"text": "a"})).await.expect(201);
    // The last change came from a clock that is ahead by years.
    let future = match app.store.dialect() {
        SqlDialect::Sqlite => "4000000000000000",
        SqlDialect::Postgres => "to_timestamp(4000000000)",
    };
    let sql = format!("UPDATE notes SET updated_at = {future} WHERE id = 1");
    app.store.execute(Sql::new(sql)).await.unwrap();
    let before = app.get("/notes/1").await.expect(200);
    let after = app.patch("/notes/1", json!({"text": "b"})).await.expect(200);
    assert_ne!(tag(&before), tag(&after));
    let (before, after) = (before.json(), after.json());
    assert_eq!(before["updatedAt"], "2096-10-02T07:06:40Z");
    assert_eq!(after["updatedAt"], "2096-10-02T07:06:40.000001Z");
}

/// VSN-1: the tag is that of the row, with related objects and in every representation, of reads and of writes.
#[tokio::test]
async fn a_tag_depends_on_nothing_that_the_client_asks_for() {
    let app = TestApp::with_api(Api::new("branches").model_resource::<BranchResource>()).await;
    let branches =
        [(1, None), (2, Some(1)), (3, Some(2))].map(|(id, parent)| (format!("/branches/{id}"), parent));
    for (item, parent) in &branches {
        app.post("/branches", json!({"name": item, "parentId": parent}))
            .await
            .expect(201);
        assert_ne!(tag(&app.get(item).await.expect(200)), "");
    }
    let json = app.with_header("accept", "application/json");
    let own = app.with_header("accept", "text/markdown");
    for (item, _) in &branches {
        let current = tag(&app.get(item).await.expect(200));
        for query in [
            "",
            "?fields=name",
            "?expand=parent",
            "?expand=children",
            "?expand=parent,children.children",
            "?expand=parent.parent&fields=id,parent",
        ] {
            let url = format!("{item}{query}");
            for client in [&json, &own] {
                let response = client.get(&url).await.expect(200);
                assert_eq!(tag(&response), current, "{url}");
                assert_eq!(tag(&client.head(&url).await.expect(200)), current, "{url}");
            }
            assert!(own.get(&url).await.text().starts_with("- {"), "{url}");
        }
    }
    // A change of a related object is none of this one.
    let other = tag(&app.get("/branches/2?expand=parent").await.expect(200));
    app.patch("/branches/1", json!({"name": "root"}))
        .await
        .expect(200);
    app.patch("/branches/3", json!({"name": "leaf"}))
        .await
        .expect(200);
    let expanded = json.get("/branches/2?expand=parent,children").await.expect(200);
    assert_eq!(expanded.json()["parent"]["name"], "root");
    assert_eq!(tag(&expanded), other);
    // The responses of writes in all these forms have the tag that a read then has.
    for (client, query) in [(&json, "?expand=parent"), (&own, ""), (&own, "?expand=children")] {
        let url = format!("/branches/2{query}");
        for method in [Method::PATCH, Method::PUT] {
            let body = json!({"name": format!("{method} {query}"), "parentId": 1});
            let written = client.send_json(method, &url, body).await.expect(200);
            let read = app.get("/branches/2").await.expect(200);
            assert_eq!(tag(&written), tag(&read), "{url}");
        }
    }
}

/// VSN-1, VSN-3: the tag of a row whose hidden column alone has changed tells that the row has changed, and not how.
#[tokio::test]
async fn a_tag_tells_that_a_hidden_column_has_changed_and_nothing_else() {
    let mut seen: Vec<String> = Vec::new();
    // The same in two databases.
    for app in [served().await, served().await] {
        let mut shown = Vec::new();
        for _ in 0..2 {
            let created = app.post("/tags", json!({"name": "a"})).await.expect(201);
            shown.push(created.json());
        }
        let list = app.get("/tags").await.expect(200).header("etag").to_owned();
        // Values that begin and end with others, of different lengths.
        for secret in ["", "a", "aa", &"a".repeat(10_000)] {
            let sql = format!("UPDATE tags SET secret = '{secret}'");
            app.store.execute(Sql::new(sql)).await.unwrap();
            for (item, object) in std::iter::zip(["/tags/1", "/tags/2"], &shown) {
                let response = app.get(item).await.expect(200);
                assert_eq!(response.json(), *object);
                let current = tag(&response);
                assert_eq!(current.len(), 24, "the length tells nothing");
                if let Some(old) = seen.last() {
                    let unknown = if_none_match(&app, old).get(item).await.expect(200);
                    assert_eq!(unknown.body, response.body);
                }
                if_none_match(&app, &current).get(item).await.expect(304);
                seen.push(current);
            }
            // The tag of a page is one of what the page shows.
            if_none_match(&app, &list).get("/tags").await.expect(304);
        }
    }
    // Equal values have different tags in another row and in another database: none can be recognized.
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((count, seen.len()), (16, 16));
}
