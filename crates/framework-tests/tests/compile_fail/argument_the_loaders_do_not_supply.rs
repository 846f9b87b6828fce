use model_resource::{Context, Draft, Model, ModelResource, Reply, Result, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Model)]
struct User {
    #[column(primary_key)]
    id: i64,
}

struct TagResource;

#[model_resource(Tag, "/tags", "/tags/<int:id>")]
impl ModelResource for TagResource {
    async fn list(_cx: Context, _tag: Draft<Tag>) -> Result<Reply> {
        unreachable!()
    }

    async fn get(_user: User) -> Result<Reply> {
        unreachable!()
    }

    async fn patch(_number: i64) -> Result<Reply> {
        unreachable!()
    }
}

fn main() {}
