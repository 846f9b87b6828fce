//! URL parameters in the spelling of other frameworks.

use model_resource::{Api, Blueprint, Model, model_resource};
use test_support::startup_errors;

#[derive(Model)]
struct Owner {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    slug: String,
}

#[derive(Model)]
struct HousePet {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(unique)]
    slug: String,
    #[column(references = Owner)]
    owner_id: i64,
}

#[derive(Model)]
struct Visit {
    #[column(primary_key)]
    id: i64,
    #[column(references = HousePet)]
    pet_id: i64,
    reason: String,
}

#[model_resource(Visit, "/pets/<slug>/visits")]
struct BySlug;

#[model_resource(Visit, "/pets/<int:id>/visits")]
struct ById;

#[model_resource(Visit, "/owners/<slug>/pets/<int:pet_id>/visits")]
struct ByGrandparent;

#[model_resource(Visit, "/pets/<name>/visits")]
struct ByAnotherColumn;

#[model_resource(Visit, "/pets/<house_pet_slug>/visits")]
struct ByModelAndColumn;

async fn refused(api: Api) -> String {
    let mistakes = startup_errors(api).await;
    mistakes.join("\n")
}

/// REG-37: a parameter named after a column of the parent is rejected, with the name that refers to the parent.
#[tokio::test]
async fn a_parameter_without_its_model_is_rejected_with_the_correct_name() {
    let api = || Api::new("api");
    let message = refused(api().model_resource::<BySlug>()).await;
    assert!(
        message.contains("name it `<house_pet_slug>`, after the `slug` of HousePet"),
        "{message}"
    );
    let message = refused(api().model_resource::<ById>()).await;
    assert!(message.contains("`<house_pet_id>`"), "{message}");
    let message = refused(api().model_resource::<ByGrandparent>()).await;
    assert!(message.contains("`<owner_slug>`"), "{message}");
    let message = refused(api().model_resource::<ByAnotherColumn>()).await;
    assert!(message.contains("name it after a foreign key"), "{message}");
    assert_eq!(refused(api().model_resource::<ByModelAndColumn>()).await, "");
}

/// REG-38: an unknown converter in a prefix is rejected, with the existing converters and the form without one.
#[tokio::test]
async fn an_unknown_converter_is_rejected_with_the_correct_form() {
    const DESK: Blueprint = Blueprint::new("desk", "/<slug:desk>");

    #[model_resource(DESK, Visit, "/visits")]
    struct AtDesk;

    let apis = [
        (Api::new("api").model_resource::<AtDesk>(), "`<desk>`"),
        (
            Api::new("api")
                .prefix("/<str:tenant>")
                .model_resource::<ByModelAndColumn>(),
            "`<tenant>`",
        ),
    ];
    for (api, remedy) in apis {
        let message = refused(api).await;
        assert!(
            message.contains("the converters are int, float, uuid, string, path, any(a,b)"),
            "{message}"
        );
        assert!(message.contains(remedy), "{message}");
    }
}
