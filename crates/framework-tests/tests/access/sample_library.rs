//! A custom library: shelves with restricted visibility, the volumes on them, and the policies.

use model_resource::{
    Api, CREATE, Caller, Columns, Context, DELETE, Draft, Model, ModelPolicy, ModelResource, ModelSerializer,
    Operations, PATCH, PUT, Where, model_resource, param_converter, route, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

/// A caller with a role that permits everything.
pub(crate) const LIBRARIAN: &str = "99 librarian";

#[derive(Debug, Clone, Model)]
#[model(table = "shelves")]
pub(crate) struct Shelf {
    #[column(primary_key)]
    pub(crate) id: i64,
    pub(crate) name: String,
    #[column(default = false)]
    pub(crate) is_open: bool,
    pub(crate) owner_id: Option<i64>,
    #[column(default = "dust")]
    pub(crate) price: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "volumes")]
pub(crate) struct Volume {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(references = Shelf, on_delete = cascade)]
    pub(crate) shelf_id: i64,
    pub(crate) title: String,
}

pub(crate) struct ShelfSerializer;

#[serializer]
impl ModelSerializer for ShelfSerializer {
    type Model = Shelf;

    fn fields(fields: model_resource::SerializerFields<Shelf>) -> model_resource::SerializerFields<Shelf> {
        fields.has_many::<VolumeSerializer>("volumes", Volume::SHELF_ID)
    }
}

pub(crate) struct VolumeSerializer;

#[serializer]
impl ModelSerializer for VolumeSerializer {
    type Model = Volume;

    fn fields(fields: model_resource::SerializerFields<Volume>) -> model_resource::SerializerFields<Volume> {
        fields.belongs_to::<ShelfSerializer>("shelf", Volume::SHELF_ID)
    }
}

pub(crate) struct ShelfResource;

#[model_resource(Shelf, "/shelves", "/shelves/<int:id>")]
impl ModelResource for ShelfResource {
    const SEARCH: Columns<Shelf> = Columns::of(Shelf::NAME).and(Shelf::PRICE);
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
}

#[model_resource(
    Volume,
    "/volumes",
    "/volumes/<int:id>",
    "/shelves/<int:shelf_id>/volumes",
    "/shelves/<int:shelf_id>/volumes/<int:id>"
)]
pub(crate) struct VolumeResource;

/// A view below a shelf that a converter loads.
#[route("/cards/<int:shelf>", decorators = [param_converter().model::<Shelf>("shelf")])]
async fn card(cx: Context) -> Value {
    json!(cx.loaded::<Shelf>().map(|shelf| shelf.name))
}

pub(crate) struct ShelfPolicy;

impl ModelPolicy for ShelfPolicy {
    type Model = Shelf;

    fn visible(caller: &Caller) -> Where<Shelf> {
        if caller.has_role("librarian") {
            Where::all()
        } else {
            Shelf::IS_OPEN.eq(true).or(caller.owned_by(Shelf::OWNER_ID))
        }
    }

    fn updatable(caller: &Caller) -> Where<Shelf> {
        if caller.has_role("librarian") {
            Where::all()
        } else {
            caller.owned_by(Shelf::OWNER_ID)
        }
    }

    fn deletable(caller: &Caller) -> Where<Shelf> {
        if caller.has_role("librarian") {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Shelf> {
        let mut given = Draft::new();
        if !caller.has_role("librarian") {
            given.set(Shelf::OWNER_ID, caller.key());
        }
        given
    }

    fn hidden(caller: &Caller) -> Columns<Shelf> {
        if caller.is_authenticated() {
            Columns::none()
        } else {
            Columns::of(Shelf::PRICE)
        }
    }

    fn read_only(caller: &Caller) -> Columns<Shelf> {
        if caller.has_role("librarian") {
            Columns::none()
        } else {
            Columns::of(Shelf::OWNER_ID)
        }
    }
}

pub(crate) struct VolumePolicy;

impl ModelPolicy for VolumePolicy {
    type Model = Volume;

    fn visible(caller: &Caller) -> Where<Volume> {
        Volume::SHELF_ID.references(ShelfPolicy::visible(caller))
    }

    fn updatable(caller: &Caller) -> Where<Volume> {
        Volume::SHELF_ID.references(ShelfPolicy::updatable(caller))
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

/// An open shelf (1) and a closed one (2) of Ann's, a closed one of Bob's (3), a volume on each.
pub(crate) struct Library {
    pub(crate) app: TestApp,
    pub(crate) ann: Client,
    pub(crate) bob: Client,
    pub(crate) librarian: Client,
}

/// Returns the library's api without an authenticator.
pub(crate) fn api() -> Api {
    Api::new("library")
        .serializer::<ShelfSerializer>()
        .serializer::<VolumeSerializer>()
        .model_resource::<ShelfResource>()
        .model_resource::<VolumeResource>()
        .route(card)
        .policy::<ShelfPolicy>()
        .policy::<VolumePolicy>()
}

pub(crate) async fn library() -> Library {
    let app = TestApp::with_api(api().authenticator(HeaderAuthenticator)).await;
    let (ann, bob) = (app.as_caller("1"), app.as_caller("2"));
    let librarian = app.as_caller(LIBRARIAN);
    for (client, name, is_open) in [
        (&ann, "open", true),
        (&ann, "closed", false),
        (&bob, "bob's", false),
    ] {
        let shelf = client
            .post("/shelves", json!({"name": name, "isOpen": is_open}))
            .await;
        let id = shelf.expect(201).json()["id"].clone();
        let volume = json!({"shelfId": id, "title": format!("On {name}")});
        client.post("/volumes", volume).await.expect(201);
    }
    Library {
        app,
        ann,
        bob,
        librarian,
    }
}

/// Returns the names in a list.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect()
}
