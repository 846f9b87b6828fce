use model_resource::{Decimal, Model};

#[derive(Model)]
struct Product {
    #[column(primary_key)]
    id: i64,
    price: Option<Decimal>,
}

fn main() {}
