use model_resource::Model;

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    size: u64,
}

fn main() {}
