//! Formats of pages, and of custom lists.

use http::{HeaderMap, HeaderValue, StatusCode, header};
use model_resource::{
    Api, Context, Model, ModelResource, ModelSerializer, SerializerFields, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    title: String,
}

struct NoteSerializer;

#[serializer]
impl ModelSerializer for NoteSerializer {
    type Model = Note;

    fn fields(fields: SerializerFields<Note>) -> SerializerFields<Note> {
        fields
            .computed("loud", |note: &Note| note.title.to_uppercase())
            .computed("parts", |note: &Note| json!([note.title, note.id]))
            .computed("minus", |note: &Note| -note.id)
    }
}

/// A list with few rows.
struct CutResource;

#[model_resource(Note, "/cut", "/cut/<int:id>")]
impl ModelResource for CutResource {
    const MAX_ROWS: Option<u64> = Some(2);
}

/// Returns a list from its handler.
struct HandResource;

#[model_resource(Note, "/hand")]
impl ModelResource for HandResource {
    const MAX_ROWS: Option<u64> = Some(2);

    async fn list(notes: Vec<Note>) -> Vec<Note> {
        notes
    }
}

/// Returns the list in the request.
struct FreeResource;

#[model_resource(Note, "/free")]
impl ModelResource for FreeResource {
    const QUERY_PARAMETERS: &'static [&'static str] = &["data"];

    async fn list(cx: Context) -> Value {
        serde_json::from_str(&cx.query("data").unwrap_or_default()).unwrap_or_default()
    }
}

/// Uses its own parameter `format`, and its own file name.
struct OwnResource;

#[model_resource(Note, "/own")]
impl ModelResource for OwnResource {
    const QUERY_PARAMETERS: &'static [&'static str] = &["format"];

    async fn list(cx: Context) -> (Value, StatusCode, HeaderMap) {
        let name = HeaderValue::from_static("inline");
        let headers = HeaderMap::from_iter([(header::CONTENT_DISPOSITION, name)]);
        (
            json!([{"format": cx.query("format")}]),
            StatusCode::ACCEPTED,
            headers,
        )
    }
}

async fn app() -> TestApp {
    let api = Api::new("notes")
        .serializer::<NoteSerializer>()
        .model_resource::<CutResource>()
        .model_resource::<HandResource>()
        .model_resource::<FreeResource>()
        .model_resource::<OwnResource>();
    let app = TestApp::with_api(api).await;
    for title in ["a", "=b", "c"] {
        app.post("/cut", json!({"title": title})).await.expect(201);
    }
    app
}

#[tokio::test]
async fn truncation_is_reported_in_every_format() {
    let app = app().await;
    for path in ["/cut", "/hand"] {
        for (format, text) in [
            (
                "csv",
                "id,title,loud,parts,minus\r\n1,a,A,\"[\"\"a\"\",1]\",-1\r\n2,'=b,'=B,\"[\"\"=b\"\",2]\",-2\r\n",
            ),
            (
                "ndjson",
                "{\"id\":1,\"title\":\"a\",\"loud\":\"A\",\"parts\":[\"a\",1],\"minus\":-1}\n\
                 {\"id\":2,\"title\":\"=b\",\"loud\":\"=B\",\"parts\":[\"=b\",2],\"minus\":-2}\n",
            ),
        ] {
            let list = app.get(&format!("{path}?format={format}")).await.expect(206);
            assert_eq!(list.text(), text, "{path}");
            assert!(list.header("link").contains("rel=\"next\""));
        }
        let list = app
            .get(&format!("{path}?format=csv&fields=title&limit=1&offset=2"))
            .await
            .expect(200);
        assert_eq!(list.text(), "title\r\nc\r\n");
        assert_eq!(
            list.header("content-disposition"),
            "attachment; filename=\"notes.csv\""
        );
    }
}

#[tokio::test]
async fn json_of_a_handler_is_converted_to_lines_and_cells_if_possible() {
    let app = app().await;
    for (data, csv, ndjson) in [
        (
            json!([{"a": 1, "b": "x,y"}, {"b": null, "c": "=1"}, {}]),
            Some("a,b,c\r\n1,\"x,y\",\r\n,,'=1\r\n,,\r\n"),
            "{\"a\":1,\"b\":\"x,y\"}\n{\"b\":null,\"c\":\"=1\"}\n{}\n",
        ),
        (
            json!([{"a": null}, {"a": -2.5}]),
            Some("a\r\n\"\"\r\n-2.5\r\n"),
            "{\"a\":null}\n{\"a\":-2.5}\n",
        ),
        (json!({"a": true}), Some("a\r\ntrue\r\n"), "{\"a\":true}\n"),
        (json!([]), Some(""), ""),
        (json!([[1], "x\ny"]), None, "[1]\n\"x\\ny\"\n"),
        (json!([{"a": {}}]), None, "{\"a\":{}}\n"),
        (json!({"rows": []}), None, "{\"rows\":[]}\n"),
        (json!(7), None, "7\n"),
    ] {
        let data = data.to_string();
        let encoded = percent_encoding::utf8_percent_encode(&data, percent_encoding::NON_ALPHANUMERIC);
        let lines = app.get(&format!("/free?format=ndjson&data={encoded}")).await;
        assert_eq!(lines.expect(200).text(), ndjson);
        let table = app.get(&format!("/free?format=csv&data={encoded}")).await;
        match csv {
            Some(csv) => assert_eq!(table.expect(200).text(), csv),
            None => {
                let rejection = table.expect(406);
                assert_eq!(rejection.header("content-type"), "application/json");
                assert!(
                    rejection.text().contains("application/x-ndjson"),
                    "{}",
                    rejection.text()
                );
            }
        }
    }
}

#[tokio::test]
async fn a_resource_keeps_its_own_parameter_and_headers() {
    let app = app().await;
    let list = app.get("/own?format=xml").await;
    list.expect_json(202, json!([{"format": "xml"}]));
    let csv = app.with_header("accept", "text/csv").get("/own?format=xml").await;
    let csv = csv.expect(202);
    assert_eq!(csv.text(), "format\r\nxml\r\n");
    assert_eq!(csv.header("content-disposition"), "inline");
}
