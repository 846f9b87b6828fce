use model_resource::model_resource;

struct Tag {
    id: i64,
}

#[model_resource(Tag, "/tags")]
struct TagResource;

fn main() {}
