use model_resource::{HEAD, LIST, Model, ModelResource, Operations, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct TagResource;

#[model_resource(Tag, "/tags")]
impl ModelResource for TagResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, HEAD]);
}

fn main() {}
