//! URLs and operations that look valid but could never work as intended.

use model_resource::{
    Api, Context, Model, ModelResource, Reply, Result, Uuid, model_resource, param_converter,
};
use test_support::startup_errors;

#[derive(Debug, Clone, Model)]
struct Bike {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct Repair {
    #[column(primary_key)]
    id: Uuid,
    #[column(references = Bike)]
    bike_id: i64,
}

#[model_resource(Repair, "/bikes/<int:bike>/repairs")]
struct MisspeltParentResource;

#[model_resource(Repair, "/bikes/<int:bikeid>/repairs/<uuid:id>")]
struct NearlySpeltParentResource;

#[model_resource(Repair, "/repairs/<int:id>")]
struct ForeignConverterResource;

#[model_resource(Bike, "/bikes/<int:id>", methods = [POST])]
struct IdleMethodResource;

struct UnreachableResource;

#[model_resource(Bike, "/bikes/<int:id>")]
impl ModelResource for UnreachableResource {
    async fn create(_cx: Context) -> Result<Reply> {
        Ok(Reply::no_content())
    }
}

struct UnknownParameterResource;

#[model_resource(Bike, "/bikes/<int:id>")]
impl ModelResource for UnknownParameterResource {
    fn method_decorators() -> model_resource::MethodDecorators {
        model_resource::MethodDecorators::none().every(param_converter().model::<Bike>("bike_id"))
    }
}

fn api() -> Api {
    Api::new("api")
}

async fn only_mistake(api: Api) -> String {
    let mistakes = startup_errors(api).await;
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    mistakes[0].clone()
}

/// REG-12: a misspelt foreign key in a URL parameter is rejected at startup.
#[tokio::test]
async fn a_misspelt_parent_is_rejected() {
    let mistake = only_mistake(api().model_resource::<MisspeltParentResource>()).await;
    assert!(mistake.contains("did you mean `bike_id`?"), "{mistake}");
    let mistake = only_mistake(api().model_resource::<NearlySpeltParentResource>()).await;
    assert!(mistake.contains("did you mean `bike_id`?"), "{mistake}");
}

/// REG-12: a converter that can never match a key of the model is rejected at startup.
#[tokio::test]
async fn a_converter_of_another_type_than_the_key_is_rejected() {
    let mistake = only_mistake(api().model_resource::<ForeignConverterResource>()).await;
    assert!(mistake.contains("can never be a key of Repair"), "{mistake}");
}

/// REG-12: a listed method without an operation, and an operation that no URL reaches, are rejected at startup.
#[tokio::test]
async fn unreachable_operations_are_rejected() {
    let mistake = only_mistake(api().model_resource::<IdleMethodResource>()).await;
    assert!(mistake.contains("a view with #[route]"), "{mistake}");
    let mistake = only_mistake(api().model_resource::<UnreachableResource>()).await;
    assert!(
        mistake.contains("no URL reaches the operation `create`"),
        "{mistake}"
    );
}

/// REG-12: a decorator that needs a parameter missing from the URL is rejected at startup.
#[tokio::test]
async fn a_converter_of_an_unknown_parameter_is_rejected() {
    let mistake = only_mistake(api().model_resource::<UnknownParameterResource>()).await;
    assert!(mistake.contains("has no parameter `bike_id`"), "{mistake}");
}

/// REG-12: a prefix without its slash is reported once, not for each URL below it.
#[tokio::test]
async fn a_prefix_without_slash_is_rejected() {
    let mistake = only_mistake(
        api()
            .prefix("api/v1")
            .model_resource::<ForeignConverterResource>(),
    )
    .await;
    assert!(mistake.contains("write `/api/v1`"), "{mistake}");
}
