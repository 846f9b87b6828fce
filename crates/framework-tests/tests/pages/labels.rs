//! Columns that name the rows of their model: `#[column(label)]`.

use model_resource::{Api, Caller, Columns, Model, ModelPolicy, Pages, model_resource};
use test_support::TestApp;

use crate::page;

#[derive(Debug, Clone, Model)]
#[model(table = "shelves")]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(label)]
    code: i32,
}

#[derive(Debug, Clone, Model)]
struct Volume {
    #[column(primary_key)]
    id: i64,
    #[column(references = Shelf)]
    shelf_id: i64,
}

#[model_resource(Shelf, "/shelves", "/shelves/<int:id>")]
struct ShelfResource;

#[model_resource(Volume, "/volumes", "/volumes/<int:id>")]
struct VolumeResource;

struct WithoutCodes;

impl ModelPolicy for WithoutCodes {
    type Model = Shelf;

    fn hidden(_: &Caller) -> Columns<Shelf> {
        Columns::of(Shelf::CODE)
    }
}

async fn app(api: Api) -> TestApp {
    let api = api
        .model_resource::<ShelfResource>()
        .model_resource::<VolumeResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO shelves (name, code) VALUES ('Poetry', 4711);
         INSERT INTO volumes (shelf_id) VALUES (1);",
    );
    app
}

/// MOD-14: the declared label names an object on its own page and wherever another object references it.
#[tokio::test]
async fn the_declared_label_names_an_object() {
    let app = app(Api::new("library")).await;
    let volumes = page(&app, "/volumes").await;
    assert!(volumes.contains("<a href=\"/shelves/1\">4711</a>"), "{volumes}");
    assert!(!volumes.contains("Poetry"), "{volumes}");
    let shelf = page(&app, "/shelves/1").await;
    assert!(shelf.contains("Shelf</span> 4711</h1>"), "{shelf}");
}

/// MOD-14: a caller who does not see the declared label gets the name that would be chosen without it.
#[tokio::test]
async fn a_label_that_the_caller_does_not_see_is_not_used() {
    let app = app(Api::new("library").policy::<WithoutCodes>()).await;
    let volumes = page(&app, "/volumes").await;
    assert!(volumes.contains("<a href=\"/shelves/1\">Poetry</a>"), "{volumes}");
    assert!(!page(&app, "/shelves/1").await.contains("4711"));
}
