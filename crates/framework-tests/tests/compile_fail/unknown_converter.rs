use model_resource::{Model, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Tag, "/tags", "/tags/<integer:id>")]
struct TagResource;

fn main() {}
