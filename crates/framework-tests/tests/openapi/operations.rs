//! Operations: what the document says about requests and responses is what the api does.

use serde_json::{Value, json};
use test_support::TestApp;

use crate::boats::boats;
use crate::checked::Document;

fn boat() -> Value {
    json!({
        "name": "Fram",
        "mark": "NO-12",
        "number": "7",
        "contact": "crew@example.com",
        "length": 39,
        "weight": 402.5,
        "price": "12.50",
        "built": "1892-10-26",
        "watch": "04:00:00",
        "seen": "2024-05-06T07:08:09.5Z",
        "hull": "01902d5e-7b6c-7c3a-9f00-0123456789ab",
        "rig": "ketch",
        "papers": {"flag": ["NO", 1, null]},
        "photo": "AQID",
        "key": "a long key",
    })
}

async fn served() -> (TestApp, Document) {
    let app = TestApp::with_api(boats()).await;
    let document = Document(app.get("/api/openapi.json").await.expect(200).json());
    (app, document)
}

/// OAS-23: responses have the documented statuses, media types and bodies.
#[tokio::test]
async fn responses_are_into_documented() {
    let (app, document) = served().await;
    let harbour = app
        .post("/api/harbours", json!({"harbour": {"name": "Oslo"}}))
        .await
        .expect(201);
    document.expect_documented("post", "/api/harbours", &harbour);
    let moored = app.post("/api/harbours/1/boats", boat()).await.expect(201);
    document.expect_documented("post", "/api/harbours/{harbour_id}/boats", &moored);
    let many = app.post("/api/boats", json!([boat(), boat()])).await.expect(201);
    document.expect_documented("post", "/api/boats", &many);
    for query in [
        "",
        "?expand=harbour",
        "?fields=id,name",
        "?limit=1",
        "?page=1&pageSize=1",
        "?format=csv",
        "?format=ndjson",
        "?pageSize=5000&page=1",
        "?expand=harbour&fields=name,harbour.name",
        "?nothing=1",
        "?expand=harbour.boats",
    ] {
        let list = app.get(&format!("/api/boats{query}")).await;
        document.expect_documented("get", "/api/boats", &list);
    }
    for path in [
        "/api/boats/1",
        "/api/boats/1?expand=harbour",
        "/api/boats/1?fields=title",
        "/api/boats/99",
    ] {
        let got = app.get(path).await;
        document.expect_documented("get", "/api/boats/{id}", &got);
    }
    for body in [
        json!({"name": "Gjøa"}),
        json!({"name": ""}),
        json!({"nothing": 1}),
    ] {
        let patched = app.patch("/api/boats/1", body).await;
        document.expect_documented("patch", "/api/boats/{id}", &patched);
    }
    let replaced = app.put("/api/boats/1", boat()).await.expect(200);
    document.expect_documented("put", "/api/boats/{id}", &replaced);
    for path in ["/api/harbours", "/api/harbours/1", "/api/harbours/1?expand=boats"] {
        let template = if path == "/api/harbours" {
            path
        } else {
            "/api/harbours/{id}"
        };
        document.expect_documented("get", template, &app.get(path).await.expect(200));
    }
    let conflict = app.delete("/api/harbours/1").await.expect(409);
    document.expect_documented("delete", "/api/harbours/{id}", &conflict);
    let problems = app.with_header("accept", "application/problem+json");
    let problem = problems.post("/api/boats", json!({"name": ""})).await.expect(400);
    document.expect_documented("post", "/api/boats", &problem);
    let preferring = app.with_header("prefer", "return=representation");
    document.expect_documented(
        "delete",
        "/api/boats/{id}",
        &preferring.delete("/api/boats/2").await.expect(200),
    );
    document.expect_documented(
        "delete",
        "/api/boats",
        &app.delete("/api/boats?id=1&id=3").await.expect(204),
    );
}

/// OAS-24: a body is accepted by its schema if and only if the api accepts it.
#[tokio::test]
async fn the_schema_of_a_body_accepts_what_the_api_accepts() {
    let (app, document) = served().await;
    let changed = |field: &str, value: Value| {
        let mut boat = boat();
        boat[field] = value;
        boat
    };
    let mut without_name = boat();
    without_name.as_object_mut().unwrap().remove("name");
    let bodies = [
        boat(),
        json!([boat()]),
        without_name,
        changed("name", json!("x")),
        changed("name", json!("x".repeat(41))),
        changed("name", json!("a\u{0}b")),
        changed("name", Value::Null),
        changed("mark", Value::Null),
        changed("mark", json!("no-12")),
        changed("mark", json!("NO-12x")),
        changed("contact", json!("nobody")),
        changed("length", json!(0)),
        changed("length", json!(91)),
        changed("length", json!("39")),
        changed("length", json!(1.5)),
        changed("weight", json!(1)),
        changed("price", json!(12.5)),
        changed("price", json!("12.505")),
        changed("price", json!("1234567.00")),
        changed("price", json!("-")),
        changed("afloat", json!(0)),
        changed("built", json!("1892-13-26")),
        changed("watch", json!("24:00")),
        changed("watch", json!("04:00")),
        changed("seen", json!("yesterday")),
        changed("hull", json!("hull")),
        changed("rig", json!("brig")),
        changed("papers", json!([1, "two"])),
        changed("papers", Value::Null),
        changed("photo", json!("AQI")),
        changed("photo", json!("AQJ=")),
        changed("photo", json!("AQ==")),
        changed("key", json!("short")),
        changed("unknown", json!(1)),
        json!([]),
        json!("boat"),
        json!(vec![boat(); 21]),
    ];
    for body in bodies {
        let status = app.post("/api/boats", body.clone()).await.status;
        let is_accepted = document.accepts("post", "/api/boats", &body);
        assert_eq!(status.as_u16() == 201, is_accepted, "{status} {body:#}");
    }
    for body in [
        json!({}),
        json!({"name": "Maud"}),
        json!({"length": 0}),
        json!({"rig": null}),
        json!([]),
    ] {
        app.post("/api/boats", boat()).await.expect(201);
        let status = app.patch("/api/boats/1", body.clone()).await.status;
        let is_accepted = document.accepts("patch", "/api/boats/{id}", &body);
        assert_eq!(status.as_u16() == 200, is_accepted, "{status} {body}");
    }
    let wrapped = json!({"harbour": {"name": "Bergen"}});
    for body in [wrapped.clone(), wrapped["harbour"].clone()] {
        let status = app.post("/api/harbours", body.clone()).await.status;
        assert_eq!(
            status.as_u16() == 201,
            document.accepts("post", "/api/harbours", &body)
        );
    }
}

/// Operators of filters.
const OPERATORS: [&str; 16] = [
    "eq",
    "ne",
    "gt",
    "gte",
    "lt",
    "lte",
    "in",
    "nin",
    "between",
    "contains",
    "icontains",
    "startswith",
    "endswith",
    "like",
    "ilike",
    "isnull",
];

/// Returns a valid value of a query parameter of the boats.
fn value_of(name: &str) -> String {
    let value = match name {
        "or" | "and" | "not" => "(name=Fram)",
        "count" => "exact&limit=1",
        "nulls" => "last&sort=name",
        "cursor" => "",
        "fields" => "id",
        "expand" => "harbour",
        "sort" => "-id",
        "format" => "json",
        _ if name.ends_with("[isnull]") => "true",
        _ if name.ends_with("[has]") => "1,2",
        _ if name.ends_with("[between]") && name.starts_with("id") => "1,2",
        _ => match name.split('[').next().unwrap() {
            "id" | "length" | "weight" | "harbourId" | "page" | "pageSize" | "limit" | "offset" => "1",
            "price" => "1.50",
            "afloat" => "true",
            "built" => "2024-05-06",
            "watch" => "07:08:09",
            "seen" | "createdAt" => "2024-05-06T07:08:09Z",
            "hull" => "01902d5e-7b6c-7c3a-9f00-0123456789ab",
            "rig" => "sloop",
            "photo" => "AQID",
            _ => "text",
        },
    };
    if name.ends_with("[between]") && !value.contains(',') {
        format!("{value},{value}")
    } else {
        value.to_owned()
    }
}

/// OAS-24: writes whose objects filters select are documented with their bodies and the preference that they need.
#[tokio::test]
async fn filtered_writes_are_documented() {
    let (app, document) = served().await;
    let harbour = json!({"harbour": {"name": "Hull"}});
    app.post("/api/harbours", harbour.clone()).await.expect(201);
    let one = app.client.with_header("prefer", "max-affected=1");
    let changed = one
        .patch("/api/harbours?name=Hull", harbour.clone())
        .await
        .expect(200);
    document.expect_documented("patch", "/api/harbours", &changed);
    let (one_of_all, named) = (json!({"name": "Maud"}), json!([{"id": 1, "name": "Maud"}]));
    for (url, body, is_accepted) in [
        ("/api/harbours", harbour, true),
        ("/api/harbours", json!({"harbours": []}), false),
        ("/api/boats", one_of_all, true),
        ("/api/boats", named, true),
        ("/api/boats", json!([{"name": "Maud"}]), false),
    ] {
        assert_eq!(document.accepts("patch", url, &body), is_accepted, "{url} {body}");
    }
    let deleted = one.delete("/api/harbours?name=Hull").await.expect(204);
    document.expect_documented("delete", "/api/harbours", &deleted);
}

/// OAS-25: every documented query parameter of a list is accepted with a value of its schema.
#[tokio::test]
async fn documented_parameters_are_accepted() {
    let (app, document) = served().await;
    app.post("/api/boats", boat()).await.expect(201);
    for name in document.query_names("get", "/api/boats") {
        let value = value_of(name);
        let url = format!("/api/boats?{name}={value}");
        let response = app.get(&url).await;
        assert!(response.status.is_success(), "{url}: {}", response.text());
    }
    let names = document.query_names("get", "/api/boats");
    assert!(names.contains(&"name[icontains]") && names.contains(&"q"));
    assert!(
        names.contains(&"format[eq]"),
        "a field with the name of a parameter needs an operator"
    );
    assert!(!names.contains(&"papers[gt]") && names.contains(&"papers[isnull]"));
    let sort = &document.query("get", "/api/boats", "sort")["schema"];
    let sorted = sort["items"]["enum"].as_array().unwrap();
    assert!(sorted.contains(&json!("-name")) && !sorted.contains(&json!("papers")));
    assert!(!names.contains(&"id[contains]"));
    assert!(names.contains(&"harbour[has]") && !sorted.contains(&json!("harbour.count")));
    let sort = &document.query("get", "/api/harbours", "sort")["schema"];
    let sorted = sort["items"]["enum"].as_array().unwrap();
    assert!(sorted.contains(&json!("boats.count")) && sorted.contains(&json!("-boats.count")));
    assert!(
        document
            .query_names("get", "/api/boats/{id}")
            .iter()
            .all(|name| ["fields", "expand"].contains(name))
    );
}

/// OAS-26: nullable columns, defaults, read-only and write-only fields, patterns and the declared schemas of computed
/// fields are described as such.
#[tokio::test]
async fn fields_are_described_with_their_properties() {
    let (_, document) = served().await;
    let create = document.schema("BoatCreate");
    let fields = &create["properties"];
    assert_eq!(create["additionalProperties"], false);
    assert_eq!(
        create["required"],
        json!(["name", "length", "weight", "price", "rig"])
    );
    assert_eq!(fields["afloat"]["default"], true);
    // A change leaves a member alone that it does not have.
    assert_eq!(
        document.schema("BoatUpdate")["properties"]["afloat"].get("default"),
        None
    );
    assert_eq!(fields["rig"]["enum"], json!(["sloop", "ketch"]));
    assert_eq!(fields["mark"]["type"], json!(["string", "null"]));
    assert_eq!(fields["mark"]["pattern"], "^(?:[A-Z]{2}-[0-9]{1,4})$");
    // `\d` means more digits here than in JSON Schema.
    assert_ne!(fields["number"]["pattern"], "^(?:\\d+)$");
    assert!(
        fields["number"]["description"]
            .as_str()
            .unwrap()
            .contains("`\\d+`")
    );
    assert_eq!(fields["key"]["writeOnly"], true);
    assert!(
        fields["price"]["description"]
            .as_str()
            .unwrap()
            .contains("at least 0.50")
    );
    assert!(fields.get("id").is_none() && fields.get("createdAt").is_none());
    let shown = document.schema("BoatFields");
    assert_eq!(shown["properties"]["id"]["readOnly"], true);
    assert!(shown["properties"]["name"].get("readOnly").is_none());
    assert!(shown["properties"].get("key").is_none());
    assert_eq!(shown["properties"]["title"]["type"], "string");
    let crew = document.resolved(&shown["properties"]["crew"]);
    assert_eq!(
        crew["properties"]["aides"]["items"]["$ref"],
        "#/components/schemas/Sailor"
    );
    let required = document.schema("Boat")["required"].as_array().unwrap();
    assert!(required.contains(&json!("id")) && !required.contains(&json!("harbour")));
    assert!(document.schema("BoatUpdate").get("required").is_none());
    assert_eq!(document.schema("BoatUpdateItem")["required"], json!(["id"]));
    // The URL sets the harbour.
    let moored = document.operation("post", "/api/harbours/{harbour_id}/boats");
    let moored = document.resolved(&moored["requestBody"]["content"]["application/json"]["schema"]);
    assert!(
        moored["properties"]["harbourId"]["description"]
            .as_str()
            .unwrap()
            .contains("Set by the URL")
    );
}

/// OAS-25: the filters in the document are those that the api accepts, for each field and operator.
#[tokio::test]
async fn accepted_filters_are_documented() {
    let (app, document) = served().await;
    let created = app.post("/api/boats", boat()).await.expect(201).json();
    let names = document.query_names("get", "/api/boats");
    for field in created.as_object().unwrap().keys() {
        for operator in OPERATORS {
            let filter = format!("{field}[{operator}]");
            let url = format!("/api/boats?{filter}={}", value_of(&filter));
            let is_accepted = app.get(&url).await.status.is_success();
            let is_documented =
                names.contains(&filter.as_str()) || (operator == "eq" && names.contains(&field.as_str()));
            assert_eq!(is_documented, is_accepted, "{url}");
        }
    }
}
