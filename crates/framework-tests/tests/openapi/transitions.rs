//! Allowed changes of an enum in the description and the document.

use model_resource::{Api, ColumnEnum, Model, ModelResource, model_resource};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Stage {
    Planned,
    Running,
    #[column(name = "given-up")]
    GivenUp,
    Done,
}

#[derive(Debug, Clone, Model)]
struct Voyage {
    #[column(primary_key)]
    id: i64,
    /// Progress of the voyage.
    #[column(transitions(new -> Planned, Planned | Running -> GivenUp, Planned -> Running, Running -> Done))]
    stage: Stage,
}

struct VoyageResource;

#[model_resource(Voyage, "/voyages", "/voyages/<int:id>")]
impl ModelResource for VoyageResource {}

/// MOD-9: the description has the transitions, and the document mentions them in the description of the field.
#[test]
fn the_allowed_changes_of_a_field_are_described() {
    let api = Api::new("api").model_resource::<VoyageResource>().compile();
    let description = api.describe();
    let mut actions = description.actions.iter();
    let patch = actions.find(|action| action.route.method == "PATCH").unwrap();
    let stage = &patch.request.as_ref().unwrap().input[0];
    assert_eq!(stage.transitions.after("planned"), ["given-up", "running"]);
    assert_eq!(stage.transitions.initial, ["planned"]);

    let document = api.openapi_document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let texts = schemas
        .values()
        .map(|schema| &schema["properties"]["stage"]["description"]);
    let texts: Vec<&str> = texts.filter_map(Value::as_str).collect();
    let expected = "Progress of the voyage.\n\nNew objects have `planned`. The allowed changes are:\n\n\
                    - `planned` to `given-up` or `running`\n- `running` to `given-up` or `done`";
    assert!(texts.contains(&expected), "{texts:?}");
}
