//! Hooks before and after loading, and before dumping.

use http::Method;
use model_resource::{
    Api, CREATE, Columns, Context, Draft, Error, Errors, Json, JsonBody, MethodDecorators, Model,
    ModelResource, ModelSerializer, Operations, PATCH, PUT, Reply, Result, SerializerFields,
    WrappedSerializer, WriteMode, model_resource, operations, post_loader, route, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "rooms")]
struct Room {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(max_length = 9)]
    code: String,
    width: i32,
    length: i32,
    #[column(max = 100)]
    area: i32,
    plan: Option<Json>,
}

/// Rooms: clients of the first version send `title`, the area is computed from the sides, and the code is dumped in
/// brackets.
struct RoomSerializer;

#[serializer]
impl ModelSerializer for RoomSerializer {
    type Model = Room;
    const READ_ONLY: Columns<Room> = Columns::of(Room::AREA);

    fn fields(fields: SerializerFields<Room>) -> SerializerFields<Room> {
        fields
            .pre_load(|object, mode, errors| {
                if let Some(title) = object.remove("title") {
                    object.insert("name".to_owned(), title);
                }
                if object.contains_key("wide") {
                    errors.add("wide", "Send the width.");
                }
                if mode == WriteMode::Create {
                    object.entry("code").or_insert(json!("new"));
                }
            })
            .pre_load(|object, _, _| {
                if let Some(Value::String(name)) = object.get_mut("name") {
                    *name = name.trim().to_owned();
                }
            })
            .post_load(|room, _, errors| {
                let sides = (room.get(Room::WIDTH), room.get(Room::LENGTH));
                if let (Some(width), Some(length)) = sides {
                    room.set(Room::AREA, width * length);
                }
                if room.get(Room::WIDTH) == Some(13) {
                    errors.add("width", "No luck.");
                }
            })
            .pre_dump(|room| room.code = format!("[{}]", room.code))
            .pre_dump(|room| room.code.push('!'))
            .computed("shown", |room: &Room| room.code.len())
    }

    fn validate(room: &Draft<Room>, _: WriteMode, errors: &mut Errors) {
        if room.get(Room::AREA) == Some(49) {
            errors.add_object("Not so.");
        }
    }
}

#[derive(Debug, Clone, Model)]
#[model(table = "beds")]
struct Bed {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(references = Room)]
    room_id: i64,
}

/// Used only as a nested serializer, and therefore not registered.
struct BareRoomSerializer;

impl ModelSerializer for BareRoomSerializer {
    type Model = Room;
    const FIELDS: Columns<Room> = Columns::of(Room::CODE);

    fn fields(fields: SerializerFields<Room>) -> SerializerFields<Room> {
        fields.pre_dump(|room| room.code = format!("<{}>", room.code))
    }
}

struct BedSerializer;

#[serializer]
impl ModelSerializer for BedSerializer {
    type Model = Bed;

    fn fields(fields: SerializerFields<Bed>) -> SerializerFields<Bed> {
        fields
            .embed::<BareRoomSerializer>("in", Bed::ROOM_ID)
            .belongs_to::<RoomSerializer>("room", Bed::ROOM_ID)
            // Relations use the stored key.
            .pre_dump(|bed| bed.room_id += 100)
    }
}

struct RoomResource;

#[model_resource(Room, "/rooms", "/rooms/<int:id>")]
impl ModelResource for RoomResource {
    const BULK_METHODS: Operations = operations![CREATE, PUT, PATCH];
}

#[model_resource(Bed, "/beds", "/beds/<int:id>")]
struct BedResource;

/// Loads explicitly and returns another instance.
struct HandResource;

#[model_resource(Room, "/by-hand")]
impl ModelResource for HandResource {
    const INCLUDE_METHODS: Operations = operations![CREATE];
    const EXCLUDE_DECORATORS: Operations = operations![CREATE];

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(CREATE, post_loader::<RoomSerializer>())
    }

    async fn create(cx: Context, room: Draft<Room>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let room = cx.store().create(room).await?;
        Reply::json(&json!({"room": cx.serializer::<Room>()?.dump(&room).await?}))
    }
}

/// Loads and dumps with the serializer directly.
#[route("/dumped", methods = [POST])]
async fn dumped(cx: Context, JsonBody(body): JsonBody<Value>) -> Result<Reply> {
    let serializer = cx.serializer_of::<RoomSerializer>()?;
    let (room, errors) = serializer.load(&body).await?;
    if !errors.is_empty() {
        return cx.errors(errors);
    }
    let room = cx.store().create(room).await?;
    Reply::json(&json!([serializer.dump(&room).await?]))
}

/// Lets another request change the row between loading and writing.
struct RacedResource;

#[model_resource(Room, "/raced/<int:id>")]
impl ModelResource for RacedResource {
    const INCLUDE_METHODS: Operations = operations![PATCH];

    async fn patch(cx: Context, room: Draft<Room>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let saved: Room = cx.store().get(1_i64).await?.ok_or_else(Error::not_found)?;
        let mut other = Draft::of(&saved);
        other.set(Room::LENGTH, 10);
        cx.store().save(other).await?;
        cx.updated(room).await
    }
}

fn api() -> Api {
    Api::new("hotel")
        .model_resource::<RacedResource>()
        .route(dumped)
        .serializer::<RoomSerializer>()
        .serializer::<BedSerializer>()
        .model_resource::<RoomResource>()
        .model_resource::<BedResource>()
        .model_resource::<HandResource>()
}

async fn hotel() -> TestApp {
    let app = TestApp::with_api(api()).await;
    let room = json!({"title": " Sea ", "code": "a", "width": 2, "length": 3, "plan": {"x": 1}});
    app.post("/rooms", room).await.expect_json(201, sea());
    app
}

fn sea() -> Value {
    json!({"id": 1, "name": "Sea", "code": "[a]!", "width": 2, "length": 3, "area": 6, "plan": {"x": 1}, "shown": 4})
}

fn stored(app: &TestApp) -> String {
    app.database().rows().join("\n")
}

/// SER-40: create, put and patch load the result of `pre_load` hooks as if the client had sent it.
#[tokio::test]
async fn a_pre_load_hook_changes_the_object_of_every_write() {
    let app = hotel().await;
    let whole = json!({"title": " Lake ", "code": "b", "width": 2, "length": 3, "plan": {"x": 1}});
    let put = app.put("/rooms/1", whole).await.expect(200).json();
    assert_eq!(put["name"], "Lake");
    let patched = app
        .patch("/rooms/1", json!({"title": "Hill "}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["name"], "Hill");
    let many = json!([{"title": "One", "width": 1, "length": 1}, {"name": " Two", "width": 1, "length": 1}]);
    let many = app.post("/rooms", many).await.expect(201).json();
    assert_eq!([&many[0]["name"], &many[1]["name"]], ["One", "Two"]);
    assert_eq!(many[0]["code"], "[new]!");
    let many = json!([{"id": 2, "title": " Uno"}, {"id": 3, "title": " Due"}]);
    let many = app.patch("/rooms", many).await.expect(200).json();
    assert_eq!([&many[0]["name"], &many[1]["name"]], ["Uno", "Due"]);
    let by_hand = json!({"title": " Hand ", "width": 1, "length": 1});
    let by_hand = app.post("/by-hand", by_hand).await.expect(200).json();
    assert_eq!(by_hand["room"]["name"], "Hand");
    let dumped = json!({"title": " View ", "width": 1, "length": 2});
    let dumped = app.post("/dumped", dumped).await.expect(200).json();
    assert_eq!(
        json!([dumped[0]["name"], dumped[0]["area"], dumped[0]["code"]]),
        json!(["View", 2, "[new]!"])
    );
}

/// SER-40: hooks also run for files: a column that only a hook knows is accepted, and an unknown one is rejected.
#[tokio::test]
async fn a_pre_load_hook_runs_for_the_lines_of_files() {
    let app = hotel().await;
    let csv = "title,width,length\r\n Rome ,2,2\r\n Oslo,3,3\r\n";
    let send = |kind: &'static str, body: &str| {
        app.send(Method::POST, "/rooms", Some((kind, body.to_owned().into())))
    };
    let imported = send("text/csv", csv).await.expect(201).json();
    assert_eq!(
        [&imported[0]["name"], &imported[1]["area"]],
        [&json!("Rome"), &json!(9)]
    );
    let lines = "{\"title\": \" Bonn\", \"width\": 1, \"length\": 1}\n";
    let imported = send("application/x-ndjson", lines).await.expect(201).json();
    assert_eq!(imported[0]["name"], "Bonn");
    let before = stored(&app);
    let refused = send("text/csv", "title,nope,width,length\r\nRome,x,2,2\r\n").await;
    refused.expect_json(400, json!({"errors": {"2": {"nope": ["Unknown field."]}}}));
    assert_eq!(stored(&app), before);
}

/// SER-40: a hook may add errors, which are reported together with all others; nothing is written.
#[tokio::test]
async fn a_pre_load_hook_may_add_errors() {
    let app = hotel().await;
    let before = stored(&app);
    let room = json!({"name": "x", "wide": 1, "width": "2", "length": 3});
    let errors = app.post("/rooms", room).await.expect(400).json();
    assert_eq!(errors["errors"]["wide"][0], "Send the width.");
    assert_eq!(
        errors["errors"]["width"],
        json!(["Not a valid integer between -2147483648 and 2147483647."])
    );
    let twice = "{\"name\": \"x\", \"name\": \"y\", \"width\": 1, \"length\": 1}";
    let twice = Some(("application/json", twice.into()));
    let refused = app.send(Method::POST, "/rooms", twice).await.expect(400).json();
    assert!(
        refused["message"].as_str().unwrap().contains("\"name\""),
        "{refused}"
    );
    assert_eq!(stored(&app), before);
}

/// SER-40: members that a hook does not change are loaded exactly as sent, including digits, spaces and order.
#[tokio::test]
async fn unchanged_members_are_loaded_as_sent() {
    let app = hotel().await;
    let body = r#"{"name":"x","width":1,"length":1,"plan":{"b": 1.10,  "a": 12345678901234567890123}}"#;
    let json = |body: &str| Some(("application/json", body.to_owned().into()));
    let made = app.send(Method::POST, "/rooms", json(body)).await.expect(201);
    assert!(
        made.text()
            .contains(r#""plan":{"b": 1.10,  "a": 12345678901234567890123}"#),
        "{}",
        made.text()
    );
    let body = r#"{"name":"x","width":1e999,"length":1}"#;
    let refused = app
        .send(Method::POST, "/rooms", json(body))
        .await
        .expect(400)
        .json();
    assert_eq!(
        refused["errors"]["width"],
        json!(["Not a valid integer between -2147483648 and 2147483647."])
    );
}

/// SER-41: a `post_load` hook sees and changes the merged draft; the columns' constraints apply to its result.
#[tokio::test]
async fn a_post_load_hook_changes_the_draft_of_every_write() {
    let app = hotel().await;
    let patched = app
        .patch("/rooms/1", json!({"width": 5}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["area"], 15);
    let whole = json!({"name": "Sea", "code": "a", "width": 4, "length": 4, "plan": null});
    let put = app.put("/rooms/1", whole).await.expect(200).json();
    assert_eq!(put["area"], 16);
    let many = app
        .patch("/rooms", json!([{"id": 1, "length": 2}]))
        .await
        .expect(200)
        .json();
    assert_eq!(many[0]["area"], 8);
    let before = stored(&app);
    app.patch("/rooms/1", json!({"width": 90}))
        .await
        .expect_json(400, json!({"errors": {"area": ["Must be at most 100."]}}));
    app.patch("/rooms/1", json!({"width": 13}))
        .await
        .expect_json(400, json!({"errors": {"width": ["No luck."]}}));
    // Validation of the whole object sees the values that the hook has set.
    app.patch("/rooms/1", json!({"width": 7, "length": 7}))
        .await
        .expect_json(400, json!({"errors": {"_schema": ["Not so."]}}));
    app.patch("/rooms", json!([{"id": 1, "width": 13}]))
        .await
        .expect_json(400, json!({"errors": {"0": {"width": ["No luck."]}}}));
    assert_eq!(stored(&app), before);
}

/// SER-41: a `post_load` hook runs again on the row as it is at the time of the write.
#[tokio::test]
async fn a_post_load_hook_runs_again_if_the_row_has_changed() {
    let app = hotel().await;
    let patched = app
        .patch("/raced/1", json!({"width": 4}))
        .await
        .expect(200)
        .json();
    assert_eq!(
        json!([patched["width"], patched["length"], patched["area"]]),
        json!([4, 10, 40])
    );
    let before = stored(&app);
    app.patch("/raced/1", json!({"width": 11}))
        .await
        .expect_json(400, json!({"errors": {"area": ["Must be at most 100."]}}));
    assert_eq!(stored(&app), before);
}

/// SER-42: `pre_dump` hooks change the output of single objects, lists and files, and never the stored row.
#[tokio::test]
async fn a_pre_dump_hook_changes_the_output_in_every_format() {
    let app = hotel().await;
    app.get("/rooms/1").await.expect_json(200, sea());
    app.get("/rooms").await.expect_json(200, json!([sea()]));
    app.get("/rooms?fields=code")
        .await
        .expect_json(200, json!([{"code": "[a]!"}]));
    // Filters compare the stored value.
    app.get("/rooms?code=a&fields=id")
        .await
        .expect_json(200, json!([{"id": 1}]));
    let csv = app
        .get("/rooms?format=csv&fields=id,code,shown")
        .await
        .expect(200)
        .text();
    assert_eq!(csv, "id,code,shown\r\n1,[a]!,4\r\n");
    let lines = app
        .get("/rooms?format=ndjson&fields=code")
        .await
        .expect(200)
        .text();
    assert_eq!(lines, "{\"code\":\"[a]!\"}\n");
    let client = app.with_header("prefer", "return=representation");
    client.delete("/rooms/1").await.expect_json(200, sea());
    let again = json!({"name": "x", "code": "raw", "width": 1, "length": 1});
    app.post("/rooms", again).await.expect(201);
    assert_eq!(app.database().value::<String>("SELECT code FROM rooms"), "raw");
}

/// SER-42: hooks also run for nested and expanded objects, which are looked up by the stored keys.
#[tokio::test]
async fn a_pre_dump_hook_runs_for_nested_and_expanded_objects() {
    let app = hotel().await;
    let bed = json!({"id": 1, "name": "Twin", "roomId": 101, "in": {"code": "<a>"}});
    app.post("/beds", json!({"name": "Twin", "roomId": 1}))
        .await
        .expect_json(201, bed.clone());
    app.get("/beds").await.expect_json(200, json!([bed]));
    let expanded = app.get("/beds?expand=room").await.expect(200).json();
    assert_eq!(expanded[0]["room"], sea());
    let one = app
        .get("/beds/1?expand=room&fields=room.code")
        .await
        .expect(200)
        .json();
    assert_eq!(one, json!({"room": {"code": "[a]!"}}));
}

/// SER-40, SER-41, SER-42: the hooks of a wrapped serializer run inside its envelope.
#[tokio::test]
async fn hooks_run_inside_an_envelope() {
    let api = Api::new("hotel").serializer::<WrappedSerializer<RoomSerializer>>();
    let app = TestApp::with_api(api.model_resource::<RoomResource>()).await;
    let room = json!({"room": {"title": " Sea ", "code": "a", "width": 2, "length": 3, "plan": {"x": 1}}});
    app.post("/rooms", room)
        .await
        .expect_json(201, json!({"room": sea()}));
    app.get("/rooms")
        .await
        .expect_json(200, json!({"rooms": [sea()]}));
}
