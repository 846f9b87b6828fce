//! JSON Schemas of views and custom operations, from the types in their signatures.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query};
use model_resource::schemars::{self, JsonSchema};
use model_resource::{
    Api, Context, Draft, HandlerSchemas, JsonBody, Model, ModelResource, ModelSerializer, ObjectOf, Reply,
    ReplySchema, Result, SerializerFields, StatusCode, json_schema, model_resource, route, serializer,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A ticket.
#[derive(Debug, Clone, Model)]
struct Ticket {
    #[column(primary_key)]
    id: i64,
    seat: String,
}

/// An order.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "it documents a body")]
struct Order {
    /// Number of seats.
    seat_count: u32,
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Price {
    cents: u32,
    parts: Vec<Price>,
}

#[derive(Deserialize)]
struct Unknown {
    _any: bool,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it documents the query")]
struct Day {
    #[serde(default)]
    evening: bool,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it documents the URL")]
struct Row {
    row: u8,
}

#[route("/orders/<int:row>", methods = [POST])]
async fn order(
    _cx: Context,
    JsonBody(_order): JsonBody<Order>,
    Query(_day): Query<Day>,
    Path(_row): Path<Row>,
) -> Result<(StatusCode, Json<Price>)> {
    let price = Price {
        cents: 1,
        parts: Vec::new(),
    };
    Ok((StatusCode::CREATED, Json(price)))
}

#[route("/guess", methods = [POST])]
async fn guess(_unknown: JsonBody<Unknown>) -> Value {
    json!({})
}

#[route("/first")]
async fn first() -> Result<Ticket> {
    Err(model_resource::Error::not_found())
}

#[route("/all")]
async fn all() -> Vec<Ticket> {
    Vec::new()
}

#[route("/poster")]
async fn poster() -> impl axum::response::IntoResponse {
    "tonight"
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "it documents a reply")]
struct Sold {
    ticket: ObjectOf<Ticket>,
    receipt: String,
}

#[route(
    "/sell",
    methods = [POST],
    request = Order,
    response = Sold,
    responses = [(409, "The seat is taken."), (410, "The show is over.")]
)]
async fn sell() -> Result<Reply> {
    Ok(Reply::no_content())
}

#[route("/close", methods = [POST], response = ())]
async fn close() -> Result<Reply> {
    Ok(Reply::no_content())
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "it documents a reply")]
struct Code {
    /// Shown once.
    code: String,
}

struct TicketSerializer;

#[serializer]
impl ModelSerializer for TicketSerializer {
    type Model = Ticket;

    fn fields(fields: SerializerFields<Ticket>) -> SerializerFields<Ticket> {
        fields
            .computed("letters", |ticket: &Ticket| ticket.seat.len())
            .schema("letters", json_schema::<u16>)
    }
}

struct TicketResource;

#[model_resource(Ticket, "/tickets", "/tickets/<int:id>", serializer = TicketSerializer)]
impl ModelResource for TicketResource {
    #[response(adds = Code)]
    async fn create(cx: Context, ticket: Draft<Ticket>) -> Result<Reply> {
        cx.created(ticket).await
    }

    #[response(Price)]
    async fn delete(_ticket: Ticket) -> Result<Reply> {
        Ok(Reply::no_content())
    }
}

fn api() -> Api {
    Api::new("theatre")
        .model_resource::<TicketResource>()
        .route(order)
        .route(guess)
        .route(first)
        .route(all)
        .route(poster)
        .route(sell)
        .route(close)
}

fn schemas(method: &str, url: &str) -> Option<Arc<HandlerSchemas>> {
    let description = api().compile().describe();
    let mut actions = description.actions.iter();
    let action = actions.find(|action| action.route.method == method && action.route.url == url);
    action.unwrap().handler.clone()
}

/// OAS-9: the schemas of a view come from the types of its arguments and its reply.
#[test]
fn schemas_come_from_the_signature() {
    let order = schemas("POST", "/orders/<int:row>").unwrap();
    let body = order.body.as_ref().unwrap();
    assert_eq!(body["title"], "Order");
    assert_eq!(body["description"], "An order.");
    assert_eq!(body["required"], json!(["seatCount"]));
    assert_eq!(body["additionalProperties"], json!(false));
    assert_eq!(body["properties"]["seatCount"]["description"], "Number of seats.");
    let query = order.query.as_ref().unwrap();
    assert_eq!(query["properties"]["evening"]["default"], json!(false));
    assert_eq!(order.path.as_ref().unwrap()["required"], json!(["row"]));
    let Some(ReplySchema::Json(reply)) = &order.reply else {
        panic!("{:?}", order.reply);
    };
    let price = &order.definitions["Price"];
    let cents = reply.get("$ref").map_or(reply, |_| price);
    assert_eq!(cents["properties"]["cents"]["type"], "integer");
    let parts = &price["properties"]["parts"]["items"];
    assert_eq!(parts["$ref"], "#/components/schemas/Price");

    assert_eq!(
        schemas("GET", "/first").unwrap().reply,
        Some(ReplySchema::Object("Ticket"))
    );
    assert_eq!(
        schemas("GET", "/all").unwrap().reply,
        Some(ReplySchema::List("Ticket"))
    );
}

/// OAS-9: a type without a schema is any JSON, and an opaque reply is unknown.
#[test]
fn types_without_a_schema_are_any_json() {
    let guess = schemas("POST", "/guess").unwrap();
    assert_eq!(guess.body, Some(json!(true)));
    assert_eq!(guess.reply, Some(ReplySchema::Json(json!(true))));
    assert_eq!(schemas("GET", "/poster"), None);
    assert_eq!(schemas("GET", "/tickets"), None);
}

/// OAS-10: the attribute names the body, the reply and other responses of a view that returns a `Reply`.
#[test]
fn the_attribute_names_what_the_signature_does_not_tell() {
    let sell = schemas("POST", "/sell").unwrap();
    assert_eq!(sell.body.as_ref().unwrap()["title"], "Order");
    let Some(ReplySchema::Json(reply)) = &sell.reply else {
        panic!("{:?}", sell.reply);
    };
    assert_eq!(reply["properties"]["ticket"]["x-model"], "Ticket");
    let responses: Vec<_> = sell
        .responses
        .iter()
        .map(|response| (response.status, response.description))
        .collect();
    assert_eq!(
        responses,
        [(409, "The seat is taken."), (410, "The show is over.")]
    );
    assert_eq!(schemas("POST", "/close").unwrap().reply, Some(ReplySchema::Empty));
}

/// OAS-10: a custom operation names its reply, or what it adds to the object of the serializer; a computed field has
/// the schema that the serializer declares.
#[test]
fn a_custom_operation_names_its_reply() {
    let create = schemas("POST", "/tickets").unwrap();
    let Some(ReplySchema::ObjectWith(code)) = &create.reply else {
        panic!("{:?}", create.reply);
    };
    assert_eq!(code["properties"]["code"]["description"], "Shown once.");
    let delete = schemas("DELETE", "/tickets/<int:id>").unwrap();
    assert!(matches!(delete.reply, Some(ReplySchema::Json(_))));

    let description = api().compile().describe();
    let list = description
        .actions
        .iter()
        .find(|action| action.route.url == "/tickets");
    let response = list.unwrap().response.as_ref().unwrap();
    let letters = response.output.iter().find(|output| output.name == "letters");
    assert_eq!(letters.unwrap().schema.as_ref().unwrap()["type"], "integer");
}
