use model_resource::Model;

#[derive(Model)]
struct Article {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(slug(from = tilte))]
    slug: String,
}

fn main() {}
