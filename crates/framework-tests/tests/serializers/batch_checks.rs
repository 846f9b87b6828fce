//! Checks that query the database once for all objects of a request.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Method;
use model_resource::{
    Api, Batch, BatchErrors, CREATE, Context, Draft, Error, Errors, Message, Model, ModelResource,
    ModelSerializer, Operations, PATCH, PUT, Query, Reply, Result, SerializerFields, ValidateBatch,
    WriteMode, model_resource, route, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "trips")]
struct Trip {
    #[column(primary_key)]
    id: i64,
    seats: i32,
}

#[derive(Debug, Clone, Model)]
#[model(table = "tickets")]
struct Ticket {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 2)]
    passenger: String,
    #[column(references = Trip)]
    trip_id: i64,
    #[column(default = 1, min = 1)]
    seats: i32,
}

/// Declares serializers and resources with a counter of their own, so that tests do not count each other's checks.
macro_rules! tickets {
    ($serializer:ident, $resource:ident, $check:ident, $runs:ident) => {
        static $runs: AtomicUsize = AtomicUsize::new(0);

        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = Ticket;

            fn fields(fields: SerializerFields<Ticket>) -> SerializerFields<Ticket> {
                fields.validate_batch($check)
            }
        }

        async fn $check(tickets: Batch<Ticket>) -> Result<BatchErrors> {
            $runs.fetch_add(1, Ordering::SeqCst);
            seats_are_left(&tickets).await
        }

        struct $resource;

        #[model_resource(Ticket, "/tickets", "/tickets/<int:id>")]
        impl ModelResource for $resource {
            const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
        }
    };
}

tickets!(SingleSerializer, SingleResource, single_seats, SINGLE_RUNS);
tickets!(ManySerializer, ManyResource, many_seats, MANY_RUNS);

/// Limits the tickets of a trip to its seats, counting the stored tickets and those of the batch.
async fn seats_are_left(tickets: &Batch<Ticket>) -> Result<BatchErrors> {
    let store = tickets.store_unchecked();
    let trips: Vec<Trip> = store.all(&Query::new()).await?;
    let mut left: HashMap<i64, i32> = trips.into_iter().map(|trip| (trip.id, trip.seats)).collect();
    let sold: Vec<Ticket> = store.all(&Query::new()).await?;
    let changed: Vec<Option<i64>> = tickets
        .drafts()
        .iter()
        .map(|ticket| ticket.saved(Ticket::ID))
        .collect();
    for ticket in sold.iter().filter(|ticket| !changed.contains(&Some(ticket.id))) {
        *left.entry(ticket.trip_id).or_default() -= ticket.seats;
    }
    let mut errors = BatchErrors::new();
    for (index, ticket) in tickets.drafts().iter().enumerate() {
        let trip = ticket.get(Ticket::TRIP_ID).unwrap_or_default();
        let wanted = ticket.get(Ticket::SEATS).unwrap_or(1);
        if wanted == 99 {
            return Err(Error::conflict("Nothing is sold today."));
        }
        // The foreign key check reports a trip that does not exist.
        let Some(left) = left.get_mut(&trip) else { continue };
        if *left < wanted {
            errors.add(
                index,
                "seats",
                Message::new("sold_out", format!("Only {left} are left.")),
            );
        } else {
            *left -= wanted;
        }
        if tickets.mode() == WriteMode::Create && ticket.get(Ticket::PASSENGER).as_deref() == Some("nobody") {
            errors.add_object(index, "Who is this?");
        }
    }
    Ok(errors)
}

struct TripSerializer;

#[serializer]
impl ModelSerializer for TripSerializer {
    type Model = Trip;
}

#[model_resource(Trip, "/trips")]
struct TripResource;

async fn trip_of(seats: i32, api: Api) -> TestApp {
    let app = TestApp::with_api(
        api.serializer::<TripSerializer>()
            .model_resource::<TripResource>(),
    )
    .await;
    app.post("/trips", json!({"seats": seats})).await.expect(201);
    app
}

fn ticket(passenger: &str, seats: i32) -> Value {
    json!({"passenger": passenger, "tripId": 1, "seats": seats})
}

/// SER-43: a check queries the database before a single write by create, put or patch, over the merged object.
#[tokio::test]
async fn a_check_queries_the_database_once_for_a_single_object() {
    let api = Api::new("bus").serializer::<SingleSerializer>();
    let app = trip_of(5, api.model_resource::<SingleResource>()).await;
    app.post("/tickets", ticket("ann", 3)).await.expect(201);
    assert_eq!(SINGLE_RUNS.load(Ordering::SeqCst), 1);
    let before = app.database().rows();
    let sold_out = json!({"errors": {"seats": ["Only 2 are left."]}});
    app.post("/tickets", ticket("bob", 3))
        .await
        .expect_json(400, sold_out);
    assert_eq!(SINGLE_RUNS.load(Ordering::SeqCst), 2);
    app.post("/tickets", ticket("nobody", 1))
        .await
        .expect_json(400, json!({"errors": {"_schema": ["Who is this?"]}}));
    app.patch("/tickets/1", json!({"seats": 6}))
        .await
        .expect_json(400, json!({"errors": {"seats": ["Only 5 are left."]}}));
    app.put("/tickets/1", ticket("ann", 7))
        .await
        .expect_json(400, json!({"errors": {"seats": ["Only 5 are left."]}}));
    assert_eq!(SINGLE_RUNS.load(Ordering::SeqCst), 5);
    // The check does not run for an object with other errors.
    app.post("/tickets", ticket("x", 9)).await.expect_json(
        400,
        json!({"errors": {"passenger": ["Shorter than the minimum length 2."]}}),
    );
    assert_eq!(SINGLE_RUNS.load(Ordering::SeqCst), 5);
    app.post("/tickets", ticket("ann", 99))
        .await
        .expect_json(409, json!({"message": "Nothing is sold today."}));
    assert_eq!(app.database().rows(), before);
    let patched = app
        .patch("/tickets/1", json!({"seats": 5}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["seats"], 5);
    let problem = app.with_header("accept", "application/problem+json");
    let refused = problem
        .post("/tickets", ticket("bob", 1))
        .await
        .expect(400)
        .json();
    assert_eq!(
        refused["errors"]["seats"],
        json!([{"message": "Only 0 are left.", "code": "sold_out"}])
    );
}

/// SER-44: a bulk request runs the check once for all objects, before the first write; errors are below the index.
#[tokio::test]
async fn a_check_runs_once_for_all_objects_of_a_request() {
    let api = Api::new("bus").serializer::<ManySerializer>();
    let app = trip_of(5, api.model_resource::<ManyResource>()).await;
    let before = app.database().rows();
    let many = json!([
        ticket("ann", 3),
        ticket("bob", 3),
        ticket("x", 1),
        ticket("cid", 2),
        ticket("dan", 1)
    ]);
    app.post("/tickets", many).await.expect_json(
        400,
        json!({"errors": {
            "1": {"seats": ["Only 2 are left."]},
            "2": {"passenger": ["Shorter than the minimum length 2."]},
            "4": {"seats": ["Only 0 are left."]},
        }}),
    );
    assert_eq!(MANY_RUNS.load(Ordering::SeqCst), 1);
    assert_eq!(app.database().rows(), before);

    let many = json!([ticket("ann", 3), ticket("bob", 2)]);
    let made = app.post("/tickets", many).await.expect(201).json();
    assert_eq!([&made[0]["passenger"], &made[1]["passenger"]], ["ann", "bob"]);
    assert_eq!(MANY_RUNS.load(Ordering::SeqCst), 2);

    let before = app.database().rows();
    let changes = json!([{"id": made[0]["id"], "seats": 4}, {"id": made[1]["id"], "seats": 2}]);
    app.patch("/tickets", changes)
        .await
        .expect_json(400, json!({"errors": {"1": {"seats": ["Only 1 are left."]}}}));
    assert_eq!(MANY_RUNS.load(Ordering::SeqCst), 3);
    let csv = Some(("text/csv", "passenger,tripId\r\neve,1\r\nfay,9\r\n".into()));
    let refused = app.send(Method::POST, "/tickets", csv).await.expect(400).json();
    assert_eq!(
        refused,
        json!({"errors": {"2": {"seats": ["Only 0 are left."]}, "3": {"tripId": ["Trip Id does not exist."]}}})
    );
    assert_eq!(MANY_RUNS.load(Ordering::SeqCst), 4);
    app.post("/tickets", json!([ticket("ann", 1), ticket("bob", 99)]))
        .await
        .expect_json(409, json!({"message": "Nothing is sold today."}));
    assert_eq!(app.database().rows(), before);

    let changes = json!([{"id": made[0]["id"], "seats": 1}, {"id": made[1]["id"], "seats": 4}]);
    let changed = app.patch("/tickets", changes).await.expect(200).json();
    assert_eq!([&changed[0]["seats"], &changed[1]["seats"]], [1, 4]);
}

struct OwnSerializer;

#[serializer]
impl ModelSerializer for OwnSerializer {
    type Model = Ticket;

    fn fields(fields: SerializerFields<Ticket>) -> SerializerFields<Ticket> {
        fields.validate_batch(|tickets: Batch<Ticket>| async move { seats_are_left(&tickets).await })
    }
}

struct OwnResource;

#[model_resource(Ticket, "/tickets")]
impl ModelResource for OwnResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    /// Sells the remaining tickets instead.
    async fn create(cx: Context, mut ticket: Draft<Ticket>, errors: Errors) -> Result<Reply> {
        if errors.has("seats") {
            ticket.set(Ticket::SEATS, 1);
        }
        cx.created(ticket).await
    }
}

/// Validates a ticket without selling it.
#[route("/check", methods = [POST])]
async fn check(cx: Context) -> Result<Reply> {
    let (_, errors) = cx.serializer_create::<Ticket>()?.load_body().await?;
    cx.errors(errors)
}

/// SER-43: a serializer that a handler calls queries the database too.
#[tokio::test]
async fn a_serializer_called_by_a_handler_queries_the_database_too() {
    let api = Api::new("bus").serializer::<OwnSerializer>().route(check);
    let app = trip_of(2, api.model_resource::<OwnResource>()).await;
    app.post("/check", ticket("ann", 3))
        .await
        .expect_json(400, json!({"errors": {"seats": ["Only 2 are left."]}}));
}

/// SER-43, SER-44: a custom handler gets the errors of the checks, and decides how to respond.
#[tokio::test]
async fn a_handler_gets_the_errors_of_the_checks() {
    let api = Api::new("bus").serializer::<OwnSerializer>();
    let app = trip_of(2, api.model_resource::<OwnResource>()).await;
    let made = app.post("/tickets", ticket("ann", 3)).await.expect(201).json();
    assert_eq!(made["seats"], 1);
    let many = json!([ticket("bob", 1), ticket("cid", 5)]);
    let made = app.post("/tickets", many).await.expect(201).json();
    assert_eq!([&made[0]["seats"], &made[1]["seats"]], [1, 1]);
}

#[derive(Debug, Clone, Model)]
#[model(table = "crates")]
struct Crate {
    #[column(primary_key)]
    id: i64,
    weight: i64,
}

/// Maximum weight, a state of the application.
#[derive(Clone)]
struct MaxWeight(i64);

struct CrateSerializer;

#[serializer]
impl ModelSerializer for CrateSerializer {
    type Model = Crate;

    fn fields(fields: SerializerFields<Crate>) -> SerializerFields<Crate> {
        fields.validate_batch(none_is_heavy)
    }
}

async fn none_is_heavy(crates: Batch<Crate>) -> Result<BatchErrors> {
    let MaxWeight(max) = crates.state().ok_or_else(|| Error::internal("no state"))?;
    let mut errors = BatchErrors::new();
    for (index, one) in crates.drafts().iter().enumerate() {
        if one.get(Crate::WEIGHT) > Some(*max) {
            errors.add(index, "weight", "Too heavy.");
        }
    }
    Ok(errors)
}

struct CrateResource;

#[model_resource(Crate, "/crates", "/crates/<int:id>", serializer = CrateSerializer)]
impl ModelResource for CrateResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

/// SER-59: a check has the states of the application, of a single object and of several.
#[tokio::test]
async fn a_check_has_the_states_of_the_application() {
    let api = Api::new("port").with_state(MaxWeight(10));
    let app = TestApp::with_api(api.model_resource::<CrateResource>()).await;
    let (light, heavy) = (json!({"weight": 10}), json!({"weight": 11}));
    let refused = json!({"weight": ["Too heavy."]});
    app.post("/crates", heavy.clone())
        .await
        .expect_json(400, json!({ "errors": refused }));
    app.post("/crates", json!([light, heavy]))
        .await
        .expect_json(400, json!({"errors": {"1": refused}}));
    assert_eq!(app.get("/crates").await.expect(200).json(), json!([]));
    app.post("/crates", light).await.expect(201);
}
