use model_resource::{ColumnType, Decimal, Model};

#[derive(ColumnType)]
#[column(try_form)]
struct Isbn(String);

#[derive(ColumnType)]
struct Price(Decimal);

#[derive(ColumnType)]
struct Size {
    width: i32,
    height: i32,
}

#[derive(ColumnType)]
#[column(try_from)]
struct Barcode(String);

#[derive(ColumnType)]
struct Code(String);

#[derive(Model)]
struct Book {
    #[column(primary_key)]
    id: i64,
    isbn: Isbn,
    price: Price,
    size: Size,
}

#[derive(Model)]
struct Shelf {
    #[column(primary_key)]
    code: Code,
}

fn main() {}
