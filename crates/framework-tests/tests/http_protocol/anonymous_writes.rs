//! Default rate of anonymous writes.

use model_resource::{
    Api, CREATE, MethodDecorators, Model, ModelResource, Operations, Rate, model_resource, throttle,
    unthrottled,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

/// Declares a model with a public resource and these decorators.
macro_rules! public_resource {
    ($model:ident, $resource:ident, $urls:tt, $decorators:expr) => {
        #[derive(Debug, Clone, Model)]
        struct $model {
            #[column(primary_key)]
            id: i64,
            text: String,
        }

        struct $resource;

        #[model_resource($model, $urls)]
        impl ModelResource for $resource {
            const PUBLIC: bool = true;
            const BULK_METHODS: Operations = Operations::of([CREATE]);

            fn method_decorators() -> MethodDecorators {
                $decorators
            }
        }
    };
}

public_resource!(Letter, LetterResource, "/letters", MethodDecorators::none());
public_resource!(Card, CardResource, "/cards", MethodDecorators::none());
public_resource!(
    Parcel,
    ParcelResource,
    "/parcels",
    MethodDecorators::none().on(CREATE, throttle(Rate::per_hour(100)).named("parcels"))
);
public_resource!(
    Reading,
    ReadingResource,
    "/readings",
    MethodDecorators::none().on(CREATE, unthrottled())
);

fn api() -> Api {
    Api::new("post")
        .model_resource::<LetterResource>()
        .model_resource::<CardResource>()
        .model_resource::<ParcelResource>()
        .model_resource::<ReadingResource>()
}

/// LOAD-72: an address writes 60 times a minute without an account, over all public resources. Known callers, reads and
/// other addresses are not limited by that.
#[tokio::test]
async fn anonymous_writes_have_a_default_rate_per_address() {
    let api = api().authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api.trusted_proxies(["127.0.0.1"])).await;
    for number in 0..60 {
        let url = ["/letters", "/cards"][number % 2];
        let created = app.post(url, json!({"text": "x"})).await.expect(201);
        assert_eq!(created.header("ratelimit-policy"), "\"anonymous\";q=60;w=60");
    }
    let before = app.database().rows();
    let refused = app.post("/letters", json!({"text": "x"})).await.expect(429);
    assert_ne!(refused.header("retry-after"), "");
    app.post("/cards", json!([{"text": "x"}])).await.expect(429);
    assert_eq!(app.database().rows(), before);
    app.get("/letters").await.expect(200);
    let ann = app.as_caller("7");
    let created = ann.post("/letters", json!({"text": "x"})).await.expect(201);
    assert_eq!(created.header("ratelimit-policy"), "");
    let elsewhere = app.with_header("x-forwarded-for", "10.0.0.1");
    elsewhere.post("/letters", json!({"text": "x"})).await.expect(201);
}

/// LOAD-72: each object of a bulk request counts, and a request beyond the rate writes nothing.
#[tokio::test]
async fn each_object_of_an_anonymous_bulk_request_counts() {
    let app = TestApp::with_api(api().authenticator(HeaderAuthenticator)).await;
    let letters = vec![json!({"text": "x"}); 61];
    app.post("/letters", json!(letters)).await.expect(429);
    app.get("/letters").await.expect_json(200, json!([]));
}

/// LOAD-72: a limit of the operation itself replaces the default, and the rate can be set and removed, for one
/// operation and for all.
#[tokio::test]
async fn the_default_rate_is_replaced_set_and_removed() {
    let text = json!({"text": "x"});
    let known = || api().authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(known().anonymous_write_rate(Rate::per_minute(2))).await;
    for (url, count) in [("/parcels", 4), ("/readings", 4), ("/letters", 2)] {
        for _ in 0..count {
            app.post(url, text.clone()).await.expect(201);
        }
    }
    app.post("/letters", text.clone()).await.expect(429);
    for api in [known().anonymous_write_rate(None), api()] {
        let app = TestApp::with_api(api).await;
        for _ in 0..70 {
            let created = app.post("/letters", text.clone()).await.expect(201);
            assert_eq!(created.header("ratelimit-policy"), "");
        }
    }
}
