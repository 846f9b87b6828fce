use model_resource::Model;

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    #[column(uniqe, max_len = 50)]
    name: String,
}

fn main() {}
