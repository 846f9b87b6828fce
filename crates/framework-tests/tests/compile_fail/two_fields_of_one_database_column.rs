use model_resource::Model;

#[derive(Model)]
struct Person {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(name = "name")]
    nickname: String,
}

fn main() {}
