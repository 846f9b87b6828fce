use model_resource::Model;

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    #[column(message(unique = "This name is taken."))]
    name: String,
    #[column(max_length = 9, message(min_length = "Too short."))]
    color: String,
}

fn main() {}
