//! The api among the routers, layers and extractors of axum.

mod head;
mod nested;
mod paths;
mod responses;
mod several_views;
mod state;

use model_resource::{
    Api, CREATE, Context, Model, ModelResource, Operations, PATCH, Result, model_resource, route,
};
use serde_json::{Value, json};

#[derive(Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    text: String,
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

/// Returns the URL of a note as the framework builds it.
#[route("/url-of/<int:id>")]
async fn url_of(cx: Context) -> Result<Value> {
    let id = cx.params().get("id").unwrap_or_default().to_owned();
    Ok(json!(cx.url_for("note_resource", [("id", id)])?))
}

fn notes(api: Api) -> Api {
    api.model_resource::<NoteResource>().route(url_of)
}
