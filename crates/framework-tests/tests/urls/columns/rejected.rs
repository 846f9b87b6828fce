//! Parameters that identify no row.

use model_resource::{model_resource, param_converter};
use test_support::startup_errors;

use super::{Country, api};

/// URL-11: a last parameter that identifies no row is rejected at startup, with valid alternatives.
#[tokio::test]
async fn a_last_parameter_that_identifies_no_row_is_rejected() {
    #[model_resource(Country, "/countries/<name>")]
    struct ByName;
    #[model_resource(Country, "/countries/<country_name>")]
    struct ByCountryName;
    #[model_resource(Country, "/countries/<kode>")]
    struct ByNothing;
    #[model_resource(Country, "/countries/<int:country>")]
    struct ByModel;
    #[model_resource(Country, "/countries/<int:code>/<float:id>")]
    struct ByFloat;
    #[model_resource(Country, "/countries/<code>", unscoped("code"))]
    struct Unscoped;

    let names = "name it after `id` or `code` or `nickname`";
    for (api, remedy) in [
        (
            api().model_resource::<ByName>(),
            "mark the column #[column(unique)]",
        ),
        (
            api().model_resource::<ByCountryName>(),
            "mark the column #[column(unique)]",
        ),
        (api().model_resource::<ByNothing>(), names),
        (api().model_resource::<ByModel>(), names),
        (api().model_resource::<ByFloat>(), "can never be a key of Country"),
        (api().model_resource::<Unscoped>(), "take the declaration off"),
    ] {
        let mistakes = startup_errors(api).await;
        assert!(
            matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
            "{mistakes:?}"
        );
    }
}

/// URL-11: a converter of a model by a column that is not unique is rejected too.
#[test]
fn a_converter_by_a_column_that_is_not_unique_is_rejected() {
    let refused = std::panic::catch_unwind(|| param_converter().model::<Country>("name"));
    let message = *refused.err().unwrap().downcast::<String>().unwrap();
    assert!(message.contains("not unique"), "{message}");
}
