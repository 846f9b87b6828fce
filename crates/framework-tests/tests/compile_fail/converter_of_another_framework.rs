use model_resource::{Model, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    name: String,
}

#[model_resource(Tag, "/tags", "/tags/<slug:name>")]
struct TagResource;

fn main() {}
