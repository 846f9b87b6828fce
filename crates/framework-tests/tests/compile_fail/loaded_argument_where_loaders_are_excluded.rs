use model_resource::{Context, GET, Model, ModelResource, Operations, Reply, Result, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct TagResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>")]
impl ModelResource for TagResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([GET]);

    async fn get(_cx: Context, _tag: Tag) -> Result<Reply> {
        unreachable!()
    }
}

fn main() {}
