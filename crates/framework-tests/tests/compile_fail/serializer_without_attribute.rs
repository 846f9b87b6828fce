use model_resource::{Api, Model, ModelSerializer};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct TagSerializer;

impl ModelSerializer for TagSerializer {
    type Model = Tag;
}

fn main() {
    Api::new("api").serializer::<TagSerializer>();
}
