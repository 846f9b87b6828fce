//! Registrations that `#[model_resource]` and `#[route]` expand to.

use model_resource::expand::{Registration, View};
use model_resource::{
    Blueprint, Context, Draft, Errors, GET, Model, ModelResource, Operations, Params, Reply, Result,
};

/// Users re-export the attributes, to write `#[api::model_resource(..)]`.
mod api {
    pub(super) use model_resource::{model_resource, route};
}

const SECURITY: Blueprint = Blueprint::new("security", "/auth");

#[derive(Model)]
struct Tag {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[api::model_resource(SECURITY, Tag, "/a", "/a/<int:id>", methods = [GET, POST], endpoint = "short")]
struct PlainResource;

struct TagResource;

#[api::model_resource(Tag, "/tags", "/tags/<int:id>")]
impl ModelResource for TagResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of([GET]);

    async fn get(_params: Params) -> Result<Reply> {
        Self::nothing()
    }

    async fn list(tags: Vec<Tag>, cx: Context) -> Result<Reply> {
        let errors = Errors::new();
        if tags.is_empty() {
            cx.errors(errors)
        } else {
            Self::nothing()
        }
    }

    async fn create(cx: Context, tag: Draft<Tag>, errors: Errors, uri: http::Uri) -> Result<Reply> {
        if errors.is_empty() && uri.query().is_none() {
            cx.created(tag).await
        } else {
            cx.errors(errors)
        }
    }

    async fn put() -> Result<Reply> {
        Self::nothing()
    }

    async fn delete(tag: <Self as ModelResource>::Model) -> Tag {
        tag
    }

    #[cfg(any())]
    async fn patch(gone: DoesNotExist) {}

    #[helper]
    fn nothing() -> Result<Reply> {
        Reply::errors(Errors::new())
    }
}

/// Logs a user in.
#[api::route(SECURITY, "/login", methods = [POST])]
async fn login(cx: Context, axum::Json(names): axum::Json<Vec<String>>) -> Result<Reply> {
    drop(names);
    cx.errors(Errors::new())
}

#[api::route("/status")]
async fn status() -> serde_json::Value {
    serde_json::Value::Null
}

fn parts(registration: Registration) -> String {
    format!("{registration:?}")
}

#[test]
fn the_attribute_sets_endpoint_urls_blueprint_and_methods() {
    let plain = parts(PlainResource::registration());
    for part in [
        "\"short\"",
        "\"/a\", \"/a/<int:id>\"",
        "\"/auth\"",
        "\"GET\", \"POST\"",
    ] {
        assert!(plain.contains(part), "{part} in {plain}");
    }
    let view = parts(login::registration());
    for part in ["\"login\"", "\"/login\"", "\"/auth\"", "[\"POST\"]"] {
        assert!(view.contains(part), "{part} in {view}");
    }
}

#[test]
fn without_options_the_name_is_the_endpoint_and_the_framework_chooses_the_methods() {
    let tags = parts(TagResource::registration());
    for part in ["\"tag_resource\"", "blueprint: None", "methods: None"] {
        assert!(tags.contains(part), "{part} in {tags}");
    }
    assert!(parts(status::registration()).contains("\"status\""));
}
