use model_resource::Model;

struct Titled {
    title: String,
}

#[derive(Model)]
struct Loan {
    #[column(primary_key)]
    id: i64,
    #[column(flatten)]
    titled: Titled,
}

fn main() {}
