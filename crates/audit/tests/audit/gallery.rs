//! A gallery without authentication, of which nothing is declared.

use model_resource::schemars::{self, JsonSchema};
use model_resource::{
    Api, CREATE, ColumnEnum, DELETE, Date, Decimal, JsonBody, Model, ModelResource, ModelSerializer,
    Operations, PATCH, PUT, Reply, Result, WrappedSerializer, model_resource, route, serializer,
};
use model_resource_audit::{Audit, Matrix, access_matrix};
use serde::Deserialize;

/// A painter, found by a slug.
#[derive(Debug, Clone, Model)]
#[model(table = "painters")]
struct Painter {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 12, max_length = 20)]
    name: String,
    #[column(unique, slug(from = name))]
    slug: String,
    #[column(unique, pattern = "[A-Z]{2}[0-9]{4}")]
    code: String,
    #[column(email)]
    contact: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Place {
    Hall,
    Depot,
}

/// A painting, which is bought before it is sold, and comes to the depot first.
#[derive(Debug, Clone, Model)]
#[model(table = "paintings", check(sold_after_bought = Self::SOLD.gt_field(Self::BOUGHT)))]
struct Painting {
    #[column(primary_key)]
    id: i64,
    #[column(references = Painter, on_delete = cascade)]
    painter_id: i64,
    #[column(max_length = 3)]
    room: String,
    bought: Date,
    sold: Date,
    #[column(min = 1900, max = 2100)]
    year: i32,
    #[column(precision = 6, scale = 2)]
    price: Decimal,
    #[column(transitions(new -> Depot, Depot -> Hall, Hall -> Depot))]
    place: Place,
}

type PaintingSerializer = WrappedSerializer<BarePaintingSerializer>;

struct BarePaintingSerializer;

#[serializer]
impl ModelSerializer for BarePaintingSerializer {
    type Model = Painting;
}

#[model_resource(Painter, "/painters", "/painters/<slug>")]
struct PainterResource;

struct PaintingResource;

#[model_resource(
    Painting,
    "/painters/<painter_slug>/paintings",
    "/painters/<painter_slug>/paintings/<int:id>",
    serializer = PaintingSerializer
)]
impl ModelResource for PaintingResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
    const FILTER_METHODS: Operations = Operations::of([DELETE]);
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Order {
    #[schemars(length(min = 10))]
    address: String,
    copies: u32,
}

/// Orders prints of a painting.
#[route("/painters/<painter_slug>/paintings/<int:id>/prints", methods = [POST])]
async fn order_prints(JsonBody(order): JsonBody<Order>) -> Result<Reply> {
    assert!(order.address.len() >= 10 && order.copies > 0);
    Ok(Reply::no_content())
}

fn api() -> Api {
    Api::new("gallery")
        .prefix("/api")
        .model_resource::<PainterResource>()
        .model_resource::<PaintingResource>()
        .route(order_prints)
}

fn matrix() -> Matrix {
    access_matrix(&Audit::new().of(api)).unwrap()
}

/// AUD-4: rows, paths, bodies and envelopes are derived from the models and serializers.
#[test]
fn an_api_without_authentication_needs_no_declaration() {
    let expected = "\
METHOD  URL                                                     ROW   ANONYMOUS
GET     /api/painters                                                 200 (1)
HEAD    /api/painters                                                 200
POST    /api/painters                                                 201
GET     /api/painters/<slug>                                          200
HEAD    /api/painters/<slug>                                          200
PUT     /api/painters/<slug>                                          200
PATCH   /api/painters/<slug>                                          200
DELETE  /api/painters/<slug>                                          204
GET     /api/painters/<painter_slug>/paintings                        200 (1)
HEAD    /api/painters/<painter_slug>/paintings                        200
POST    /api/painters/<painter_slug>/paintings                        201
POST    /api/painters/<painter_slug>/paintings                  many  201
PUT     /api/painters/<painter_slug>/paintings                  many  200
PATCH   /api/painters/<painter_slug>/paintings                  many  200
DELETE  /api/painters/<painter_slug>/paintings                  many  204
GET     /api/painters/<painter_slug>/paintings/<int:id>               200
HEAD    /api/painters/<painter_slug>/paintings/<int:id>               200
PUT     /api/painters/<painter_slug>/paintings/<int:id>               200
PATCH   /api/painters/<painter_slug>/paintings/<int:id>               200
DELETE  /api/painters/<painter_slug>/paintings/<int:id>               204
POST    /api/painters/<painter_slug>/paintings/<int:id>/prints        204
";
    assert_eq!(matrix().table(), expected);
}

/// AUD-6: the JSON has an object for each line, and the page has the table.
#[test]
fn the_matrix_is_rendered_as_json_and_as_a_page() {
    let matrix = matrix();
    let json: serde_json::Value = serde_json::from_str(&matrix.json()).unwrap();
    assert_eq!(
        json[0],
        serde_json::json!({
            "method": "GET", "url": "/api/painters", "row": "",
            "outcomes": [{"caller": "anonymous", "status": 200, "rows": 1}],
        })
    );
    assert_eq!(
        json[1]["outcomes"][0],
        serde_json::json!({"caller": "anonymous", "status": 200})
    );
    let page = matrix.page();
    assert!(page.starts_with("# Access matrix of `gallery`\n"), "{page}");
    assert!(
        page.ends_with(&format!("\n```text\n{}```\n", matrix.table())),
        "{page}"
    );
}
