//! The smallest application: one model, one serializer, one resource, and all six operations.
//!
//! ```text
//! cargo run -p model-resource --example hello
//!
//! curl localhost:8000/planets --json '{"name": "Mars", "moons": 2}'
//! # 201 {"id":1,"name":"Mars","moons":2}
//! curl localhost:8000/planets --json '{"moons": -1}'
//! # 400 {"errors":{"moons":["Must be at least 0."],"name":["Name is required."]}}
//! curl localhost:8000/planets
//! # 200 [{"id":1,"name":"Mars","moons":2}]
//! curl localhost:8000/planets/1 -X PATCH --json '{"moons": 3}'
//! # 200 {"id":1,"name":"Mars","moons":3}
//! curl localhost:8000/planets/1 -X PUT --json '{"name": "Phobos", "moons": 0}'
//! # 200 {"id":1,"name":"Phobos","moons":0}
//! curl localhost:8000/planets/1 -X DELETE
//! # 204
//! curl localhost:8000/planets/1
//! # 404 {"message":"Not found."}
//! ```

use std::error::Error;

use model_resource::{Api, Model, ModelSerializer, Store, model_resource, serializer, serve};

/// Planet of the solar system.
#[derive(Model)]
struct Planet {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 1)]
    name: String,
    #[column(min = 0)]
    moons: i32,
}

struct PlanetSerializer;

#[serializer]
impl ModelSerializer for PlanetSerializer {
    type Model = Planet;
}

#[model_resource(Planet, "/planets", "/planets/<int:id>")]
struct PlanetResource;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let api = Api::new("hello")
        .serializer::<PlanetSerializer>()
        .model_resource::<PlanetResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
