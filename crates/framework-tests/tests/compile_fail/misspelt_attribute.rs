use model_resource::{DELETE, Model, ModelResource, Operations, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct TagResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>")]
impl ModelResource for TagResource {
    const EXCLUDED_METHODS: Operations = Operations::of([DELETE]);
}

fn main() {}
