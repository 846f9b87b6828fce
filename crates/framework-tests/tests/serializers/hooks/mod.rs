//! Hooks before and after loading, and before dumping.

mod dumping;
mod loading;

use model_resource::{
    Api, CREATE, Columns, Context, Draft, Error, Errors, Json, JsonBody, MethodDecorators, Model,
    ModelResource, ModelSerializer, Operations, PATCH, PUT, Reply, Result, SerializerFields, WriteMode,
    model_resource, post_loader, route, serializer,
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
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
}

#[model_resource(Bed, "/beds", "/beds/<int:id>")]
struct BedResource;

/// Loads explicitly and returns another instance.
struct HandResource;

#[model_resource(Room, "/by-hand")]
impl ModelResource for HandResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);
    const EXCLUDE_DECORATORS: Operations = Operations::of([CREATE]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(CREATE, post_loader::<RoomSerializer>())
    }

    async fn create(cx: Context, room: Draft<Room>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let room = cx.store_unchecked().create(room).await?;
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
    let room = cx.store_unchecked().create(room).await?;
    Reply::json(&json!([serializer.dump(&room).await?]))
}

/// Lets another request change the row between loading and writing.
struct RacedResource;

#[model_resource(Room, "/raced/<int:id>")]
impl ModelResource for RacedResource {
    const INCLUDE_METHODS: Operations = Operations::of([PATCH]);

    async fn patch(cx: Context, room: Draft<Room>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        let saved: Room = cx
            .store_unchecked()
            .get(1_i64)
            .await?
            .ok_or_else(Error::not_found)?;
        let mut other = Draft::of(&saved);
        other.set(Room::LENGTH, 10);
        cx.store_unchecked().save(other).await?;
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
