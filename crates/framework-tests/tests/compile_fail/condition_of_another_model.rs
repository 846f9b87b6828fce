//! A condition of a constraint on the columns of another model, and one that is no condition.

use model_resource::Model;

#[derive(Model)]
struct Item {
    #[column(primary_key)]
    id: i64,
    size: i32,
}

#[derive(Model)]
#[model(unique(item_id, where = Item::SIZE.gt(0)))]
#[model(check(closed = Loan::OPEN))]
struct Loan {
    #[column(primary_key)]
    id: i64,
    item_id: i64,
    open: bool,
}

fn main() {}
