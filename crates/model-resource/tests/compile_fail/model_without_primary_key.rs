use model_resource::Model;

#[derive(Model)]
struct Tag {
    id: i64,
    name: String,
}

fn main() {}
