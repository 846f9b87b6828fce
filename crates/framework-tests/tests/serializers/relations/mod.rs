//! Relations: many-to-many through a join model, has-one, and models that refer to themselves.

mod declarations;
mod forms;
mod has_one;
mod many_to_many;
mod queries;
mod self_references;

use model_resource::{
    Api, Columns, Model, ModelSerializer, SerializerFields, WrappedSerializer, model_resource, serializer,
};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "posts")]
struct Post {
    #[column(primary_key)]
    id: i64,
    title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "labels")]
struct Label {
    #[column(primary_key)]
    id: i64,
    name: String,
    color: Option<String>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "post_labels")]
struct PostLabel {
    #[column(primary_key)]
    id: i64,
    #[column(references = Post, on_delete = cascade)]
    post_id: i64,
    #[column(references = Label, on_delete = cascade)]
    label_id: i64,
}

#[derive(Debug, Clone, Model)]
#[model(table = "remarks")]
struct Remark {
    #[column(primary_key)]
    id: i64,
    #[column(references = Post, on_delete = cascade)]
    post_id: i64,
    body: String,
}

struct LabelSerializer;

#[serializer]
impl ModelSerializer for LabelSerializer {
    type Model = Label;
    const EXCLUDE: Columns<Label> = Columns::of(Label::COLOR);

    fn fields(fields: SerializerFields<Label>) -> SerializerFields<Label> {
        fields.many_to_many::<PostSerializer>("posts", PostLabel::LABEL_ID, PostLabel::POST_ID)
    }
}

struct RemarkSerializer;

#[serializer]
impl ModelSerializer for RemarkSerializer {
    type Model = Remark;
}

struct PostSerializer;

#[serializer]
impl ModelSerializer for PostSerializer {
    type Model = Post;

    fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
        fields
            .many_to_many::<LabelSerializer>("labels", PostLabel::POST_ID, PostLabel::LABEL_ID)
            .has_many::<RemarkSerializer>("remarks", Remark::POST_ID)
            .has_many::<WrappedSerializer<RemarkSerializer>>("wrapped", Remark::POST_ID)
    }
}

#[model_resource(Post, "/posts", "/posts/<int:id>")]
struct PostResource;

#[model_resource(Label, "/labels", "/labels/<int:id>")]
struct LabelResource;

/// Starts an api of posts and labels. The join model and remarks have no resource of their own.
///
/// Post 1 has the labels 3 and 1, post 2 the labels 1 and 2, and post 3 none.
async fn posts(api: Api) -> TestApp {
    let api = api
        .serializer::<LabelSerializer>()
        .model_resource::<PostResource>()
        .model_resource::<LabelResource>();
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO posts (title) VALUES ('one'), ('two'), ('three');
         INSERT INTO labels (name, color) VALUES ('sql', 'red'), ('rust', NULL), ('axum', 'blue');
         INSERT INTO post_labels (post_id, label_id) VALUES (1, 3), (2, 1), (1, 1), (2, 2), (1, 3);
         INSERT INTO remarks (post_id, body) VALUES (1, 'b'), (1, 'a'), (2, 'c');",
    );
    app
}
