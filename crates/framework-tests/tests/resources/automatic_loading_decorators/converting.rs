//! `param_converter` on query parameters.

use model_resource::{
    ColumnEnum, Context, LIST, MethodDecorators, ModelResource, model_resource, one_of, param_converter,
    parse,
};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{Note, api, with_note};

#[derive(Debug, Clone, Copy, PartialEq, ColumnEnum)]
enum Shade {
    Light,
    PitchDark,
}

fn even(text: &str) -> Result<u8, String> {
    let number: u8 = text.parse().map_err(|_| "not a small number".to_owned())?;
    if number.is_multiple_of(2) {
        Ok(number)
    } else {
        Err(format!("{number} is odd"))
    }
}

struct ConvertingResource;

#[model_resource(Note, "/notes")]
impl ModelResource for ConvertingResource {
    fn method_decorators() -> MethodDecorators {
        let converter = param_converter()
            .query("page", parse::<i64>())
            .query("order", one_of([("newest", -1), ("oldest", 1)]))
            .query("shade", parse::<Shade>())
            .query("even", even);
        MethodDecorators::none().on(LIST, converter)
    }

    async fn list(cx: Context) -> Value {
        json!({
            "page": cx.converted::<i64>("page"),
            "order": cx.converted::<i32>("order"),
            "dark": cx.converted::<Shade>("shade").map(|shade| *shade == Shade::PitchDark),
            "even": cx.converted::<u8>("even"),
        })
    }
}

async fn app() -> TestApp {
    with_note(api().model_resource::<ConvertingResource>()).await
}

/// DEC-11: a query parameter is converted by an integer, a map, an enum or a function; an absent one is ignored.
#[tokio::test]
async fn query_parameters_are_converted() {
    let app = app().await;
    app.get("/notes").await.expect_json(
        200,
        json!({"page": null, "order": null, "dark": null, "even": null}),
    );
    app.get("/notes?page=-12&order=newest&shade=pitchDark&even=4")
        .await
        .expect_json(200, json!({"page": -12, "order": -1, "dark": true, "even": 4}));
    app.get("/notes?even=4&unknown=x").await.expect(400);
    app.get("/notes?order=oldest&shade=light").await.expect_json(
        200,
        json!({"page": null, "order": 1, "dark": false, "even": null}),
    );
    app.get("/notes?p%61ge=%31%32").await.expect_json(
        200,
        json!({"page": 12, "order": null, "dark": null, "even": null}),
    );
}

/// DEC-11: a value that cannot be converted is a 400 that names the parameter.
#[tokio::test]
async fn a_value_that_does_not_convert_is_a_bad_request() {
    let app = app().await;
    for (query, name, reason) in [
        ("page=one", "page", ""),
        ("page=", "page", ""),
        ("page=1.5", "page", ""),
        ("page=9223372036854775808", "page", ""),
        ("order=best", "order", "newest, oldest"),
        ("order=NEWEST", "order", "newest, oldest"),
        ("shade=PitchDark", "shade", "light, pitchDark"),
        ("shade=grey", "shade", "light, pitchDark"),
        ("even=3", "even", "3 is odd"),
        ("page=1&even=300", "even", "not a small number"),
    ] {
        let refused = app.get(&format!("/notes?{query}")).await.expect(400).json();
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains(&format!("\"{name}\"")), "{query}: {message}");
        assert!(message.contains(reason), "{query}: {message}");
    }
}

/// DEC-30: a repeated query parameter is rejected; the first value is not used.
#[tokio::test]
async fn a_repeated_parameter_is_rejected() {
    let app = app().await;
    for query in [
        "page=1&page=2",
        "page=1&page=1",
        "even=4&page=1&even=3",
        "order=newest&or%64er=oldest",
    ] {
        let refused = app.get(&format!("/notes?{query}")).await.expect(400).json();
        let message = refused["message"].as_str().unwrap();
        assert!(message.ends_with("is given twice."), "{message}");
    }
}
