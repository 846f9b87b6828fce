use model_resource::{Context, Model, Next, Reply, Result, model_resource};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
}

async fn counted(cx: Context, next: Next) -> Result<Reply> {
    next.run(cx).await
}

#[model_resource(Tag, "/tags", decorators = [counted])]
struct TagResource;

fn main() {}
