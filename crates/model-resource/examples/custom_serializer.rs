//! A serializer may accept a field that is not a column, add computed and nested fields, and validate single fields or
//! the whole object.
//!
//! ```text
//! cargo run -p model-resource --example custom_serializer
//!
//! curl localhost:8000/rooms --json '{"name": "Sea view", "beds": 2}'
//! # 201 {"id":1,"name":"Sea view","beds":2}
//! curl localhost:8000/bookings --json '{"guest": "Ada", "roomId": 1, "arrives": "2030-05-01", "leaves": "2030-05-04", "cardNumber": "4000123412341234"}'
//! # 201 {"id":1,"guest":"Ada","arrives":"2030-05-01","leaves":"2030-05-04","cardEnding":"1234","nights":3,"room":{"name":"Sea view","beds":2}}
//! curl localhost:8000/bookings/1 -X PATCH --json '{"leaves": "2030-04-30"}'
//! # 400 {"errors":{"leaves":["Must be after the arrival."]}}
//! curl localhost:8000/bookings --json '{"guest": "ada", "roomId": 1, "arrives": "2030-05-01", "leaves": "2030-05-04"}'
//! # 400 {"errors":{"guest":["Must start with a capital letter."],"cardNumber":["Card Number is required."]}}
//! curl localhost:8000/bookings
//! # 200 [{"id":1,"guest":"Ada","arrives":"2030-05-01","leaves":"2030-05-04","cardEnding":"1234","nights":3,"room":{"name":"Sea view","beds":2}}]
//! ```

use std::error::Error;

use model_resource::{
    Api, Columns, Date, Draft, Errors, ExtraField, Model, ModelSerializer, SerializerFields, Store,
    WriteMode, model_resource, serializer, serve,
};

/// Room of a hotel.
#[derive(Model)]
struct Room {
    #[column(primary_key)]
    id: i64,
    name: String,
    beds: i32,
}

/// Booking of a room for some nights.
#[derive(Model)]
struct Booking {
    #[column(primary_key)]
    id: i64,
    guest: String,
    #[column(references = Room)]
    room_id: i64,
    arrives: Date,
    leaves: Date,
    card_ending: String,
}

struct RoomSerializer;

#[serializer]
impl ModelSerializer for RoomSerializer {
    type Model = Room;
}

/// Room inside a booking. It is not registered: only [`BookingSerializer`] uses it.
struct BookedRoomSerializer;

impl ModelSerializer for BookedRoomSerializer {
    type Model = Room;
    const EXCLUDE: Columns<Room> = Columns::of(Room::ID);
}

struct BookingSerializer;

#[serializer]
impl ModelSerializer for BookingSerializer {
    type Model = Booking;
    const WRITE_ONLY: Columns<Booking> = Columns::of(Booking::ROOM_ID);
    const READ_ONLY: Columns<Booking> = Columns::of(Booking::CARD_ENDING);

    fn fields(fields: SerializerFields<Booking>) -> SerializerFields<Booking> {
        let card_number = ExtraField::new("cardNumber")
            .min_length(16)
            .max_length(16)
            .required_on_create()
            .into_column(Booking::CARD_ENDING, last_four);
        fields
            .write_only(card_number)
            .computed("nights", |booking| (booking.leaves - booking.arrives).get_days())
            .embed::<BookedRoomSerializer>("room", Booking::ROOM_ID)
            .validate(Booking::GUEST, |guest, _| {
                if guest.starts_with(char::is_uppercase) {
                    Ok(())
                } else {
                    Err("Must start with a capital letter.".to_owned())
                }
            })
    }

    fn validate(booking: &Draft<Booking>, _: WriteMode, errors: &mut Errors) {
        if booking.get(Booking::LEAVES) <= booking.get(Booking::ARRIVES) {
            errors.add("leaves", "Must be after the arrival.");
        }
    }
}

/// Returns the part of a card number that is stored.
fn last_four(card_number: String) -> String {
    card_number.chars().skip(12).collect()
}

#[model_resource(Room, "/rooms", "/rooms/<int:id>")]
struct RoomResource;

#[model_resource(Booking, "/bookings", "/bookings/<int:id>")]
struct BookingResource;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let api = Api::new("hotel")
        .serializer::<RoomSerializer>()
        .model_resource::<RoomResource>()
        .serializer::<BookingSerializer>()
        .model_resource::<BookingResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
