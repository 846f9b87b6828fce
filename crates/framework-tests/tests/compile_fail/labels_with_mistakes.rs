use model_resource::{Json, Model};

#[derive(Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    #[column(label)]
    title: String,
    #[column(label)]
    subtitle: String,
}

#[derive(Model)]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    #[column(label, hidden)]
    code: String,
}

#[derive(Model)]
struct Branch {
    #[column(primary_key)]
    id: i64,
    #[column(label)]
    address: Json,
}

fn main() {}
