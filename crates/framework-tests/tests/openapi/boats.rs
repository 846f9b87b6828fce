//! Boats and their harbours: models with every kind of field, constraint and relation.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{
    Api, CREATE, Columns, DELETE, Date, Decimal, Json, Model, ModelResource, ModelSerializer, Operations,
    PATCH, PUT, SerializerFields, Time, Timestamp, Uuid, WrappedSerializer, json_schema, model_resource,
    serializer,
};
use model_resource::{ColumnEnum, route};
use serde::Serialize;

#[derive(Debug, Clone, Model)]
pub(crate) struct Harbour {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(unique, min_length = 1)]
    pub(crate) name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
pub(crate) enum Rig {
    Sloop,
    Ketch,
}

#[derive(Debug, Clone, Model)]
pub(crate) struct Boat {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(min_length = 2, max_length = 40)]
    pub(crate) name: String,
    #[column(pattern = "[A-Z]{2}-[0-9]{1,4}")]
    pub(crate) mark: Option<String>,
    #[column(pattern = r"\d+")]
    pub(crate) number: Option<String>,
    #[column(email)]
    pub(crate) contact: Option<String>,
    #[column(min = 1, max = 90)]
    pub(crate) length: i32,
    pub(crate) weight: f64,
    #[column(precision = 8, scale = 2, min = "0.50")]
    pub(crate) price: Decimal,
    #[column(default = true)]
    pub(crate) afloat: bool,
    pub(crate) built: Option<Date>,
    pub(crate) watch: Option<Time>,
    pub(crate) seen: Option<Timestamp>,
    pub(crate) hull: Option<Uuid>,
    pub(crate) rig: Rig,
    pub(crate) papers: Option<Json>,
    pub(crate) photo: Option<Vec<u8>>,
    /// Named like a parameter of every list.
    pub(crate) format: Option<String>,
    #[column(min_length = 8)]
    pub(crate) key: Option<String>,
    #[column(references = Harbour)]
    pub(crate) harbour_id: Option<i64>,
    #[column(created)]
    pub(crate) created_at: Timestamp,
}

/// A member of the crew.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Sailor {
    aides: Vec<Self>,
}

pub(crate) struct BoatSerializer;

#[serializer]
impl ModelSerializer for BoatSerializer {
    type Model = Boat;
    const WRITE_ONLY: Columns<Boat> = Columns::of(Boat::KEY);

    fn fields(fields: SerializerFields<Boat>) -> SerializerFields<Boat> {
        fields
            .computed("title", |boat: &Boat| format!("SY {}", boat.name))
            .schema("title", json_schema::<String>)
            .computed("crew", |_: &Boat| Sailor { aides: Vec::new() })
            .schema("crew", json_schema::<Sailor>)
            .belongs_to::<BareHarbourSerializer>("harbour", Boat::HARBOUR_ID)
    }
}

pub(crate) struct BareHarbourSerializer;

#[serializer]
impl ModelSerializer for BareHarbourSerializer {
    type Model = Harbour;

    fn fields(fields: SerializerFields<Harbour>) -> SerializerFields<Harbour> {
        fields.has_many::<BoatSerializer>("boats", Boat::HARBOUR_ID)
    }
}

pub(crate) type HarbourSerializer = WrappedSerializer<BareHarbourSerializer>;

pub(crate) struct BoatResource;

#[model_resource(Boat, "/boats", "/boats/<int:id>", serializer = BoatSerializer)]
impl ModelResource for BoatResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const FILTER_METHODS: Operations = Operations::of([PATCH]);
    const SEARCH: Columns<Boat> = Columns::of(Boat::NAME);
    const MAX_BULK: usize = 20;
}

#[model_resource(Boat, "/harbours/<int:harbour_id>/boats", endpoint = "moored")]
pub(crate) struct MooredResource;

pub(crate) struct HarbourResource;

#[model_resource(Harbour, "/harbours", "/harbours/<int:id>", serializer = HarbourSerializer)]
impl ModelResource for HarbourResource {
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);
}

#[route("/tide")]
pub(crate) async fn tide() -> &'static str {
    "high"
}

/// The api of the boats, with its document.
pub(crate) fn boats() -> Api {
    Api::new("boats")
        .prefix("/api")
        .model_resource::<BoatResource>()
        .model_resource::<MooredResource>()
        .model_resource::<HarbourResource>()
        .route(tide)
        .openapi()
}
