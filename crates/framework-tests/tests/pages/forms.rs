//! Forms of the pages.

use model_resource::{Api, CREATE, Model, ModelResource, Operations, PATCH, PUT, Pages, model_resource};
use serde_json::json;
use test_support::TestApp;

use crate::page;

/// A room.
#[derive(Debug, Clone, Model)]
struct Room {
    #[column(primary_key)]
    id: i64,
    #[column(max_length = 40, unique)]
    name: String,
}

#[model_resource(Room, "/rooms", "/rooms/<name>")]
struct RoomResource;

/// A lamp, which can be added and not changed.
#[derive(Debug, Clone, Model)]
struct Lamp {
    #[column(primary_key)]
    id: i64,
    watts: i32,
    #[column(references = Room)]
    room_id: Option<i64>,
}

struct LampResource;

#[model_resource(Lamp, "/lamps", "/lamps/<int:id>")]
impl ModelResource for LampResource {
    const EXCLUDE_METHODS: Operations = Operations::of([PUT, PATCH]);
}

/// A door, which can be changed and not added.
#[derive(Debug, Clone, Model)]
struct Door {
    #[column(primary_key)]
    id: i64,
    label: String,
    #[column(references = Room)]
    room_id: Option<i64>,
}

struct DoorResource;

#[model_resource(Door, "/doors", "/doors/<int:id>")]
impl ModelResource for DoorResource {
    const EXCLUDE_METHODS: Operations = Operations::of([CREATE]);
}

/// A key of a door.
#[derive(Debug, Clone, Model)]
struct Key {
    #[column(primary_key)]
    id: i64,
    #[column(references = Door)]
    door_id: i64,
}

#[model_resource(Key, "/keys", "/keys/<int:id>")]
struct KeyResource;

async fn app() -> TestApp {
    let api = Api::new("house")
        .prefix("/api")
        .model_resource::<RoomResource>()
        .model_resource::<LampResource>()
        .model_resource::<DoorResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.post("/api/rooms", json!({"name": "North hall"}))
        .await
        .expect(201);
    app.post("/api/lamps", json!({"watts": 5})).await.expect(201);
    app.database()
        .execute("INSERT INTO doors (label, room_id) VALUES ('Oak', 1)");
    app
}

/// PAGE-35
#[tokio::test]
async fn a_form_continues_with_the_object_its_form_or_another_one() {
    let app = app().await;
    let new = page(&app, "/api/rooms?_view=new&_next=/api/doors").await;
    for text in [
        "<button type=\"submit\" class=\"primary\">Create</button>",
        "<button type=\"submit\" value=\"edit\">Create and continue editing</button>",
        "<button type=\"submit\" value=\"another\">Create and add another</button>",
        "data-next=\"/api/doors\"",
        "data-item=\"/api/rooms/\" data-key-name=\"name\"",
        "data-edit-query=\"?_view=edit&amp;_next=/api/doors\"",
        "data-another=\"/api/rooms?_view=new&amp;_next=/api/doors\"",
    ] {
        assert!(new.contains(text), "{text}: {new}");
    }
    let edit = page(&app, "/api/rooms/North%20hall?_view=edit").await;
    for text in [
        "<button type=\"submit\" value=\"edit\">Save and continue editing</button>",
        "<button type=\"submit\" value=\"another\">Save and add another</button>",
        // The key of the URL can be changed, so that the object is then at another one.
        "data-next=\"\"",
        "data-item=\"/api/rooms/\" data-key-name=\"name\"",
        "data-another=\"/api/rooms?_view=new\"",
    ] {
        assert!(edit.contains(text), "{text}: {edit}");
    }
}

/// PAGE-35: what the caller cannot do next is not offered.
#[tokio::test]
async fn a_form_offers_only_what_the_caller_can_do_next() {
    let app = app().await;
    let lamp = page(&app, "/api/lamps?_view=new").await;
    assert!(
        !lamp.contains("value=\"edit\"") && lamp.contains("value=\"another\""),
        "{lamp}"
    );
    let door = page(&app, "/api/doors/1?_view=edit").await;
    assert!(
        door.contains("value=\"edit\"") && !door.contains("value=\"another\""),
        "{door}"
    );
}

/// PAGE-35: the message after a write names the object by its label or its key.
#[tokio::test]
async fn a_form_knows_how_the_object_is_named() {
    let app = app().await;
    let room = page(&app, "/api/rooms/North%20hall?_view=edit").await;
    let named =
        "data-model=\"Room\" data-label=\"North hall\" data-key=\"North hall\" data-label-name=\"name\"";
    assert!(room.contains(named), "{room}");
    let lamp = page(&app, "/api/lamps/1?_view=delete&_next=/api/rooms").await;
    assert!(
        lamp.contains("data-next=\"/api/rooms\" data-model=\"Lamp\" data-label=\"\" data-key=\"1\""),
        "{lamp}"
    );
    let lamp = page(&app, "/api/lamps/1?_next=/api/rooms").await;
    assert!(
        lamp.contains("href=\"/api/lamps/1?_view=delete&amp;_next=/api/rooms\""),
        "{lamp}"
    );
}

/// PAGE-36
#[tokio::test]
async fn a_foreign_key_links_to_the_chosen_object_and_to_the_form_of_a_new_one() {
    let app = app().await;
    let door = page(&app, "/api/doors/1?_view=edit").await;
    for text in [
        // The key in the URL is not the referenced one.
        "data-reference-item=\"/api/rooms/\" data-reference-url-key=\"name\"",
        "<a target=\"_blank\" data-open href=\"/api/rooms/North%20hall\">Open",
        "href=\"/api/rooms?_view=new\" target=\"_blank\" rel=\"opener\" data-new=\"room\">New room",
    ] {
        assert!(door.contains(text), "{text}: {door}");
    }
    let lamp = page(&app, "/api/lamps?_view=new").await;
    assert!(
        lamp.contains("<a target=\"_blank\" data-open hidden>"),
        "no object is chosen: {lamp}"
    );
}

/// PAGE-36: a new object is offered only to those who may create one.
#[tokio::test]
async fn a_foreign_key_offers_no_object_that_the_caller_cannot_create() {
    let api = Api::new("house")
        .prefix("/api")
        .model_resource::<RoomResource>()
        .model_resource::<KeyResource>()
        .model_resource::<DoorResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    let key = page(&app, "/api/keys?_view=new").await;
    assert!(key.contains("data-reference=\"/api/doors\""), "{key}");
    assert!(!key.contains("data-new"), "{key}");
}

/// PAGE-39: a script adds up the rows that belong to several objects.
#[tokio::test]
async fn the_confirmation_of_a_deletion_has_counts_for_scripts() {
    let app = app().await;
    let room = page(&app, "/api/rooms/North%20hall?_view=delete").await;
    let door = "<li data-related=\"Doors\" data-rows=\"1\" data-consequences=\"must be deleted or changed first\">\
                <a href=\"/api/doors?roomId=1\">Doors</a>: 1 row";
    assert!(room.contains(door), "{room}");
}
