use model_resource::{Model, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource("/tags", Tag)]
struct TagResource;

fn main() {}
