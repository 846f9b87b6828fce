use model_resource::{Model, ModelResource, Reply, Result, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct TagResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>")]
impl ModelResource for TagResource {
    async fn get(&self, _tag: Tag) -> Result<Reply> {
        unreachable!()
    }
}

fn main() {}
