//! Form of a list's filters.

use model_resource::{Api, ColumnEnum, Model, Pages, Timestamp, model_resource};
use serde_json::json;
use test_support::TestApp;

use crate::page;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Shape {
    Flat,
    Round,
    Long,
}

/// A shell.
#[derive(Debug, Clone, Model)]
struct Shell {
    #[column(primary_key)]
    id: i64,
    name: String,
    shape: Shape,
    #[column(references = Shell)]
    like_id: Option<i64>,
    found_at: Timestamp,
}

#[model_resource(Shell, "/shells", "/shells/<int:id>")]
struct ShellResource;

async fn app() -> TestApp {
    let api = Api::new("shells")
        .prefix("/api")
        .model_resource::<ShellResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    for (name, shape) in [("Cockle", "round"), ("Razor", "long"), ("Oyster", "flat")] {
        let shell = json!({"name": name, "shape": shape, "foundAt": "2026-03-01T12:30:00Z"});
        app.post("/api/shells", shell).await.expect(201);
    }
    app
}

/// PAGE-51
#[tokio::test]
async fn a_filter_with_several_values_is_a_text_with_commas() {
    let app = app().await;
    for (name, values) in [
        ("id[in]", "1,3"),
        ("id[nin]", "1,3"),
        ("id[between]", "1,3"),
        ("shape[in]", "flat,long"),
        ("likeId[in]", "1,2"),
        ("foundAt[in]", "2026-03-01T12:30:00Z,2026-03-02T12:30:00Z"),
    ] {
        let list = page(&app, &format!("/api/shells?{name}={values}")).await;
        let input = format!("<input type=\"text\" name=\"{name}\" value=\"{values}\"");
        assert!(list.contains(&input), "{name}: {list}");
    }
}

/// PAGE-51: other operators of the same field have the inputs of its type.
#[tokio::test]
async fn a_script_knows_the_type_of_a_field_whatever_its_filter_is() {
    let app = app().await;
    for (filter, input) in [
        (
            "id[in]=1,3",
            "data-filter=\"id\" data-equal-name=\"id\" data-input=\"number\"",
        ),
        (
            "likeId[isnull]=true",
            "data-filter=\"likeId\" data-equal-name=\"likeId\" data-input=\"reference\"",
        ),
    ] {
        let list = page(&app, &format!("/api/shells?{filter}")).await;
        assert!(list.contains(input), "{filter}: {list}");
    }
}
