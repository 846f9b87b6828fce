//! Constraints of a model with mistakes in their columns, their order and their names.

use model_resource::Model;

#[derive(Model)]
#[model(unique(branch, barcode), unique(barcode), index(branch_id descending))]
#[model(check(a = Item::SIZE.gt(0)), check(a = Item::SIZE.lt(9)), unqiue(branch_id, barcode))]
struct Item {
    #[column(primary_key)]
    id: i64,
    branch_id: i64,
    barcode: String,
    size: i32,
}

fn main() {}
