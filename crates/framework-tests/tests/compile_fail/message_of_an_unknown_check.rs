use model_resource::Model;

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    #[column(unique, message(unqiue = "This name is taken.", patern = "No."))]
    name: String,
}

fn main() {}
