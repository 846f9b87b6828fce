use std::rc::Rc;

use model_resource::{Context, Model, ModelResource, Reply, Result, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct TagResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>")]
impl ModelResource for TagResource {
    async fn get(_cx: Context, tag: Tag) -> Result<Reply> {
        let name = Rc::new(tag.name);
        std::future::ready(()).await;
        unreachable!("{name}")
    }
}

fn main() {}
