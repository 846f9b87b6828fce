use model_resource::Model;
use rust_decimal::Decimal;

#[derive(Model)]
struct Product {
    #[column(primary_key)]
    id: i64,
    price: Option<Decimal>,
}

fn main() {}
