//! Loaders in `method_decorators`.

use http::Method;
use model_resource::{
    ALL_METHODS, Api, CREATE, Context, DELETE, Draft, Errors, GET, LIST, MethodDecorators, Model,
    ModelResource, ModelSerializer, Operations, PATCH, PUT, Reply, Result, WriteMode, list_loader,
    model_resource, param_converter, patch_loader, post_loader, put_loader, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{Note, NoteSerializer, api, startup_errors, with_note};

#[model_resource(Note, "/notes", "/notes/<int:id>")]
struct AutomaticResource;

/// Lists the otherwise automatic loaders explicitly.
struct HandResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for HandResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of(ALL_METHODS);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(LIST, list_loader::<Note>())
            .on(CREATE, post_loader::<NoteSerializer>())
            .on([GET, DELETE, PUT, PATCH], param_converter().model::<Note>("id"))
            .on(PUT, put_loader::<NoteSerializer>())
            .on(PATCH, patch_loader::<NoteSerializer>())
    }

    async fn get(note: Note) -> Note {
        note
    }

    async fn create(cx: Context, note: Draft<Note>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        cx.created(note).await
    }
}

/// DEC-10: explicitly listed loaders behave like the automatic ones, for default and defined operations.
#[tokio::test]
async fn loaders_listed_by_hand_do_what_they_do_automatically() {
    let automatic = with_note(api().model_resource::<AutomaticResource>()).await;
    let by_hand = with_note(api().model_resource::<HandResource>()).await;
    let requests = [
        (Method::POST, "/notes", Some(json!({"title": "two"})), 201),
        (Method::POST, "/notes", Some(json!({"title": ""})), 400),
        (Method::GET, "/notes", None, 200),
        (Method::GET, "/notes/1", None, 200),
        (Method::GET, "/notes/9", None, 404),
        (Method::PUT, "/notes/1", Some(json!({"title": "put"})), 200),
        (Method::PUT, "/notes/1", Some(json!({"text": "no title"})), 400),
        (Method::PUT, "/notes/9", Some(json!({"text": "no title"})), 404),
        (Method::PATCH, "/notes/1", Some(json!({"text": "patch"})), 200),
        (Method::PATCH, "/notes/1", Some(json!({"id": 2})), 400),
        (Method::PATCH, "/notes/9", Some(json!({"id": 2})), 404),
        (Method::DELETE, "/notes/2", None, 204),
        (Method::DELETE, "/notes/2", None, 404),
        (Method::GET, "/notes", None, 200),
    ];
    for (method, path, body, status) in requests {
        let send = async |app: &TestApp| {
            let body = body
                .as_ref()
                .map(|body| ("application/json", body.to_string().into()));
            let answer = app.send(method.clone(), path, body).await;
            let location = answer.header("location").to_owned();
            (answer.status.as_u16(), location, answer.text())
        };
        let (expected, own) = (send(&automatic).await, send(&by_hand).await);
        assert_eq!(own, expected, "{method} {path}");
        assert_eq!(own.0, status, "{method} {path}");
    }
    by_hand
        .get("/notes")
        .await
        .expect_json(200, json!([{"id": 1, "title": "put", "text": "patch"}]));
}

struct HalfResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for HalfResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([PATCH]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(PATCH, patch_loader::<NoteSerializer>())
    }
}

struct MisplacedResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for MisplacedResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([LIST]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(GET, list_loader::<Note>())
    }
}

/// DEC-10: an explicit loader of a body requires the loader of the row before it.
#[tokio::test]
async fn a_loader_of_a_body_by_hand_without_its_row_is_rejected() {
    let message = startup_errors(api().model_resource::<HalfResource>()).await;
    for part in ["`patch`", "patch_loader", "param_converter().model::<Note>(..)"] {
        assert!(message.contains(part), "{message}");
    }
}

/// ATT-7, DEC-10: an explicit loader applies only to the operations it is listed for.
#[tokio::test]
async fn an_explicit_loader_applies_only_to_its_operations() {
    let app = TestApp::with_api(api().model_resource::<MisplacedResource>()).await;
    app.get("/notes").await.expect(405);
}

/// Accepts only titles that are longer than the text.
struct StrictSerializer;

#[serializer]
impl ModelSerializer for StrictSerializer {
    type Model = Note;

    fn validate(note: &Draft<Note>, _: WriteMode, errors: &mut Errors) {
        let text = note.get(Note::TEXT).flatten().unwrap_or_default();
        if note.get(Note::TITLE).unwrap_or_default().len() <= text.len() {
            errors.add_object("The title must be longer than the text.");
        }
    }
}

struct StrictResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for StrictResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([PATCH]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
            .on(PATCH, param_converter().model::<Note>("id"))
            .on(PATCH, patch_loader::<StrictSerializer>())
    }
}

/// DEC-10: an explicit loader uses the serializer passed to it, also when the row changes concurrently.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loader_by_hand_reads_with_its_own_serializer() {
    let app = with_note(api().model_resource::<StrictResource>()).await;
    app.patch("/notes/1", json!({"text": "longer"}))
        .await
        .expect_json(
            400,
            json!({"errors": {"_schema": ["The title must be longer than the text."]}}),
        );
    app.patch("/notes/1", json!({"title": "long title", "text": ""}))
        .await
        .expect(200);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..60 {
        let client = app.client.clone();
        tasks.spawn(async move {
            let body = match number % 2 {
                0 => json!({"title": "x".repeat(number % 7 + 1)}),
                _ => json!({"text": "x".repeat(number % 7)}),
            };
            client.patch("/notes/1", body).await
        });
    }
    for answer in tasks.join_all().await {
        assert!([200, 400].contains(&answer.status.as_u16()), "{}", answer.text());
    }
    let note = app.get("/notes/1").await.expect(200).json();
    let length = |field: &str| note[field].as_str().unwrap().len();
    assert!(length("title") > length("text"), "{note}");
}

#[derive(Debug, Clone, Model)]
struct Remark {
    #[column(primary_key)]
    id: i64,
    #[column(references = Note)]
    note_id: i64,
    text: String,
}

/// Loads the row and its parent explicitly.
struct RemarkResource;

#[model_resource(
    Remark,
    "/notes/<int:note_id>/remarks",
    "/notes/<int:note_id>/remarks/<int:id>"
)]
impl ModelResource for RemarkResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([GET]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(
            GET,
            param_converter().model::<Note>("note_id").model::<Remark>("id"),
        )
    }

    async fn get(cx: Context, remark: Remark) -> Value {
        let note = cx.loaded::<Note>().map(|note| note.title);
        let same = cx.loaded::<Remark>().map(|remark| remark.id);
        json!({"note": note, "remark": remark.text, "same": same})
    }
}

/// DEC-10: an explicit `param_converter` loads instances of any model, and the resource's own row only below its
/// parent.
#[tokio::test]
async fn param_converter_by_hand_loads_any_model_and_keeps_to_the_parent() {
    let api: Api = api()
        .model_resource::<AutomaticResource>()
        .model_resource::<RemarkResource>();
    let app = with_note(api).await;
    app.post("/notes", json!({"title": "two"})).await.expect(201);
    app.post("/notes/1/remarks", json!({"text": "fine"}))
        .await
        .expect(201);
    app.get("/notes/1/remarks/1")
        .await
        .expect_json(200, json!({"note": "one", "remark": "fine", "same": 1}));
    app.get("/notes/2/remarks/1").await.expect(404);
    app.get("/notes/1/remarks/2").await.expect(404);
    app.get("/notes/3/remarks/1").await.expect(404);
}
