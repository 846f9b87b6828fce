use model_resource::{Decimal, Model};

#[derive(Model)]
struct Product {
    #[column(primary_key)]
    id: i64,
    #[column(precision = 19, scale = 2)]
    price: Decimal,
    #[column(precision = 4, scale = 5)]
    weight: Option<Decimal>,
}

fn main() {}
