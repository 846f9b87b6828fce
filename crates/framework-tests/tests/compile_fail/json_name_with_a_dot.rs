use model_resource::Model;

#[derive(Model)]
struct Person {
    #[column(primary_key)]
    id: i64,
    #[column(json = "given.name")]
    first_name: String,
}

fn main() {}
