use model_resource::Model;

#[derive(Model)]
struct Tag {
    number: i64,
    name: String,
}

fn main() {}
