//! Hooks of a serializer: change loaded and dumped objects, query the database before anything is written, and require
//! other columns than the model does.
//!
//! ```text
//! cargo run -p model-resource --example serializer_hooks
//!
//! curl localhost:8000/trips --json '{"destination": "Oslo", "seats": 3}'
//! # 201 {"id":1,"destination":"OSLO","seats":3}
//! curl localhost:8000/tickets --json '{"passenger": " Ada ", "tripId": 1, "phone": "+47 1"}'
//! # 201 {"id":1,"passenger":"Ada","tripId":1,"phone":"+47 1","code":"ADA-1"}
//! curl localhost:8000/tickets --json '{"passenger": "Bob", "tripId": 1}'
//! # 400 {"errors":{"phone":["Phone is required."]}}
//! curl localhost:8000/tickets --json '[{"name": "Bob", "tripId": 1, "phone": "1"}, {"name": "Cid", "tripId": 1, "phone": "2"}, {"name": "Dan", "tripId": 1, "phone": "3"}]'
//! # 400 {"errors":{"2":{"tripId":["The trip is sold out."]}}}
//! curl localhost:8000/tickets -H 'Accept: application/problem+json' --json '[{"name": "Bob", "tripId": 1, "phone": "1"}, {"name": "Cid", "tripId": 1, "phone": "2"}, {"name": "Dan", "tripId": 1, "phone": "3"}]'
//! # 400 {"type":"about:blank","title":"Bad Request","status":400,"detail":"Some of the objects were rejected, and none was written.","code":"bulk_rejected","errors":{"2":{"tripId":[{"message":"The trip is sold out.","code":"sold_out"}]}}}
//! curl localhost:8000/tickets/1 -X PATCH --json '{"passenger": "Ann", "phone": null}'
//! # 200 {"id":1,"passenger":"Ann","tripId":1,"phone":null,"code":"ANN-1"}
//! ```

use std::collections::HashMap;
use std::error::Error;

use model_resource::{
    Api, Batch, BatchErrors, CREATE, Columns, Message, Model, ModelResource, ModelSerializer, Operations,
    Query, Result, SerializerFields, Store, ValidateBatch, model_resource, serializer, serve,
};
use serde_json::Value;

/// Bus trip.
#[derive(Model)]
struct Trip {
    #[column(primary_key)]
    id: i64,
    destination: String,
    seats: i32,
}

/// Seat on a trip.
#[derive(Model)]
struct Ticket {
    #[column(primary_key)]
    id: i64,
    passenger: String,
    #[column(references = Trip)]
    trip_id: i64,
    phone: Option<String>,
    code: String,
}

struct TripSerializer;

#[serializer]
impl ModelSerializer for TripSerializer {
    type Model = Trip;

    fn fields(fields: SerializerFields<Trip>) -> SerializerFields<Trip> {
        fields.pre_dump(|trip| trip.destination = trip.destination.to_uppercase())
    }
}

struct TicketSerializer;

#[serializer]
impl ModelSerializer for TicketSerializer {
    type Model = Ticket;
    const READ_ONLY: Columns<Ticket> = Columns::of(Ticket::CODE);

    fn fields(fields: SerializerFields<Ticket>) -> SerializerFields<Ticket> {
        fields
            // Clients of the first version send `name`.
            .pre_load(|object, _, _| {
                if let Some(name) = object.remove("name") {
                    object.entry("passenger").or_insert(name);
                }
                if let Some(Value::String(passenger)) = object.get_mut("passenger") {
                    *passenger = passenger.trim().to_owned();
                }
            })
            .post_load(|ticket, _, _| {
                let passenger = ticket.get(Ticket::PASSENGER).unwrap_or_default();
                let trip = ticket.get(Ticket::TRIP_ID).unwrap_or_default();
                ticket.set(Ticket::CODE, format!("{}-{trip}", passenger.to_uppercase()));
            })
    }
}

/// New tickets, which require a phone number and a seat.
struct NewTicketSerializer;

#[serializer(create)]
impl ModelSerializer for NewTicketSerializer {
    type Model = Ticket;
    const READ_ONLY: Columns<Ticket> = TicketSerializer::READ_ONLY;
    const REQUIRED: Columns<Ticket> = Columns::of(Ticket::PHONE);

    fn fields(fields: SerializerFields<Ticket>) -> SerializerFields<Ticket> {
        TicketSerializer::fields(fields).validate_batch(seats_are_left)
    }
}

/// Counts the remaining seats, once for all new tickets.
async fn seats_are_left(tickets: Batch<Ticket>) -> Result<BatchErrors> {
    let trips: Vec<Trip> = tickets.store_unchecked().all(&Query::new()).await?;
    let sold: Vec<Ticket> = tickets.store_unchecked().all(&Query::new()).await?;
    let mut left: HashMap<i64, i32> = trips.into_iter().map(|trip| (trip.id, trip.seats)).collect();
    for ticket in sold {
        *left.entry(ticket.trip_id).or_default() -= 1;
    }
    let mut errors = BatchErrors::new();
    for (index, ticket) in tickets.drafts().iter().enumerate() {
        let trip = ticket.get(Ticket::TRIP_ID).unwrap_or_default();
        // The foreign key constraint rejects a trip that does not exist.
        let Some(left) = left.get_mut(&trip) else { continue };
        *left -= 1;
        if *left < 0 {
            errors.add(index, "tripId", Message::new("sold_out", "The trip is sold out."));
        }
    }
    Ok(errors)
}

#[model_resource(Trip, "/trips", "/trips/<int:id>")]
struct TripResource;

struct TicketResource;

#[model_resource(Ticket, "/tickets", "/tickets/<int:id>")]
impl ModelResource for TicketResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let api = Api::new("buses")
        .serializer::<TripSerializer>()
        .model_resource::<TripResource>()
        .serializer::<TicketSerializer>()
        .serializer::<NewTicketSerializer>()
        .model_resource::<TicketResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
