use model_resource::{ColumnGroup, Model};

#[derive(ColumnGroup)]
struct Base {
    #[column(primary_key)]
    id: i64,
    #[column(min_lenght = 1)]
    name: String,
}

#[derive(ColumnGroup)]
struct Named {
    #[column(references = Self)]
    parent_id: i64,
    #[column(flatten)]
    base: Base,
}

#[derive(ColumnGroup)]
struct Titled {
    title: String,
}

#[derive(Model)]
struct Loan {
    #[column(primary_key)]
    id: i64,
    #[column(flatten, unique)]
    titled: Titled,
}

#[derive(Model)]
struct Keyless {
    #[column(flatten)]
    titled: Titled,
}

#[derive(Model)]
struct Repeated {
    #[column(primary_key)]
    id: i64,
    #[column(name = "title")]
    name: String,
    #[column(flatten)]
    titled: Titled,
}

fn main() {}
