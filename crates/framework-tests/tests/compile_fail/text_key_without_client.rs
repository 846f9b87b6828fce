use model_resource::Model;

#[derive(Model)]
struct Country {
    #[column(primary_key)]
    code: String,
}

fn main() {}
