use model_resource::{Columns, Api, Model, ModelSerializer, Store, model_resource, serializer};

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    #[column(uniqe)]
    name: String,
    state: State,
}

#[derive(model_resource::ColumnEnum)]
enum State {
    #[column(rename = "new")]
    Draft,
    Final,
}

#[derive(Model)]
struct Label {
    #[column(primary_key)]
    id: i64,
    #[column(references = Tag)]
    tag_id: i64,
}

struct TagSerializer;

#[serializer]
impl ModelSerializer for TagSerializer {
    type Model = Tag;
    const READ_ONLY: Columns<Tag> = Columns::of(Tag::NAME);
}

#[model_resource(Tag, "/tags", "/tags/<int:id>")]
struct TagResource;

async fn first(store: &Store) -> Option<Tag> {
    store.first(&Tag::query()).await.ok().flatten()
}

fn main() {
    let api = Api::new("api").serializer::<TagSerializer>();
    let _ = api.model_resource::<TagResource>();
    let _ = Tag::NAME.column();
    let _ = "final".parse::<State>();
    let _ = first;
}
