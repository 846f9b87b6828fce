//! Patches as JSON Patch (RFC 6902) and as JSON Merge Patch (RFC 7396).

mod increments;
mod json_patch;
mod limits;
mod merge_patch;
mod published_cases;

use http::Method;
use model_resource::{
    Api, Columns, Context, Draft, Json, Model, ModelResource, ModelSerializer, Reply, Result, Timestamp,
    WrappedSerializer, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, Response, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "pages")]
struct Page {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1)]
    title: String,
    note: Option<String>,
    #[column(default = "{}")]
    document: Json,
    #[column(default = 0)]
    views: i64,
    #[column(hidden, default = "none")]
    secret: String,
    #[column(created)]
    created_at: Timestamp,
}

struct PageSerializer;

#[serializer]
impl ModelSerializer for PageSerializer {
    type Model = Page;
    const READ_ONLY: Columns<Page> = Columns::of(Page::VIEWS);
}

struct PageResource;

#[model_resource(Page, "/pages", "/pages/<int:id>", serializer = PageSerializer)]
impl ModelResource for PageResource {}

#[derive(Debug, Clone, Model)]
#[model(table = "cards")]
struct Card {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = "{}")]
    data: Json,
}

struct CardSerializer;

#[serializer]
impl ModelSerializer for CardSerializer {
    type Model = Card;
}

/// Its objects are in an envelope.
struct CardResource;

#[model_resource(Card, "/cards", "/cards/<int:id>", serializer = WrappedSerializer<CardSerializer>)]
impl ModelResource for CardResource {}

#[derive(Debug, Clone, Model)]
#[model(table = "boards")]
struct Board {
    #[column(primary_key)]
    id: i64,
    name: String,
    count: i64,
}

/// Its patch is a handler.
struct BoardResource;

#[model_resource(Board, "/boards", "/boards/<int:id>")]
impl ModelResource for BoardResource {
    async fn patch(cx: Context, mut board: Draft<Board>) -> Result<Reply> {
        let name = board.get(Board::NAME).unwrap_or_default().to_uppercase();
        board.set(Board::NAME, name);
        cx.updated(board).await
    }
}

async fn served() -> TestApp {
    let app = TestApp::with_api(
        Api::new("patches")
            .model_resource::<PageResource>()
            .model_resource::<CardResource>()
            .model_resource::<BoardResource>(),
    )
    .await;
    let page = json!({"title": "First", "note": "old", "document": {"a": 1, "b": {"c": [1, 2]}}});
    app.post("/pages", page).await.expect(201);
    let card = json!({"card": {"name": "Ann", "data": {"a": 1, "b": 2}}});
    app.post("/cards", card).await.expect(201);
    app.post("/boards", json!({"name": "x", "count": 1}))
        .await
        .expect(201);
    app
}

async fn patch_as(client: &Client, media_type: &str, path: &str, body: Value) -> Response {
    let body = Some((media_type, body.to_string().into()));
    client.send(Method::PATCH, path, body).await
}

async fn json_patch(client: &Client, path: &str, body: Value) -> Response {
    patch_as(client, "application/json-patch+json", path, body).await
}

async fn merge_patch(client: &Client, path: &str, body: Value) -> Response {
    patch_as(client, "application/merge-patch+json", path, body).await
}
