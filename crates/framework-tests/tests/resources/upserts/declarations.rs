//! Declarations of upserts, at startup and in the OpenAPI document.

use model_resource::{Api, Columns, Context, Draft, Model, ModelResource, Reply, Result, model_resource};
use test_support::startup_errors;

use super::{Setting, Stock, api};

#[derive(Debug, Clone, Model)]
#[model(table = "counted")]
struct Counted {
    #[column(primary_key)]
    id: i64,
    name: String,
    group: String,
}

async fn mistake(api: Api) -> String {
    let errors = startup_errors(api).await;
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].clone()
}

/// UPS-9: an upsert that cannot work is rejected at startup, with the remedy.
#[tokio::test]
async fn upserts_that_cannot_work_are_rejected_at_startup() {
    struct Generated;

    #[model_resource(Counted, "/counted", "/counted/<int:id>")]
    impl ModelResource for Generated {
        const PUT_CREATES: bool = true;
    }

    struct Custom;

    #[model_resource(Setting, "/settings", "/settings/<key>")]
    impl ModelResource for Custom {
        const PUT_CREATES: bool = true;

        async fn create(cx: Context, setting: Draft<Setting>) -> Result<Reply> {
            cx.created(setting).await
        }
    }

    struct Versioned;

    #[model_resource(Setting, "/settings", "/settings/<key>")]
    impl ModelResource for Versioned {
        const PUT_CREATES: bool = true;
        const REQUIRE_IF_MATCH: bool = true;
    }

    struct NotUnique;

    #[model_resource(Counted, "/counted", "/counted/<int:id>")]
    impl ModelResource for NotUnique {
        const MERGE_DUPLICATES: Columns<Counted> = Columns::of(Counted::NAME).and(Counted::GROUP);
    }

    struct NotSet;

    #[model_resource(Counted, "/counted", "/counted/<int:id>")]
    impl ModelResource for NotSet {
        const MERGE_DUPLICATES: Columns<Counted> = Columns::of(Counted::ID);
    }

    struct NoItem;

    #[model_resource(Stock, "/stocks")]
    impl ModelResource for NoItem {
        const MERGE_DUPLICATES: Columns<Stock> = Columns::of(Stock::BRANCH).and(Stock::ISBN);
    }

    let api = || Api::new("shop");
    for (api, expected) in [
        (
            api().model_resource::<Generated>(),
            "declare it as `primary_key = client`",
        ),
        (
            api().model_resource::<Custom>(),
            "needs the automatic `put` and `create`",
        ),
        (api().model_resource::<Versioned>(), "leave out one of them"),
        (
            api().model_resource::<NotUnique>(),
            "declare #[model(unique(name, group))]",
        ),
        (api().model_resource::<NotSet>(), "`id`, which clients do not set"),
        (
            api().model_resource::<NoItem>(),
            "changes an object at its own URL",
        ),
    ] {
        let mistake = mistake(api).await;
        assert!(mistake.contains(expected), "{mistake}");
    }
}

/// UPS-10: the OpenAPI document has the responses and the preference.
#[tokio::test]
async fn the_document_describes_upserts() {
    let document = api().openapi().compile().openapi_document();
    let has = |path: &str, method: &str, status: &str| {
        document["paths"][path][method]["responses"].get(status).is_some()
    };
    assert!(has("/settings/{key}", "put", "200") && has("/settings/{key}", "put", "201"));
    assert!(!has("/settings/{key}", "patch", "201") && !has("/settings", "put", "201"));
    assert!(has("/stocks", "post", "200") && has("/stocks", "post", "201"));
    assert!(!has("/settings", "post", "200") && !has("/stocks/{id}", "put", "201"));
    let parameters = document["paths"]["/stocks"]["post"]["parameters"].to_string();
    let shared = &document["components"]["parameters"]["Prefer-Merge"]["description"];
    assert!(parameters.contains("Prefer-Merge"), "{parameters}");
    assert!(
        shared
            .as_str()
            .is_some_and(|text| text.contains("resolution=merge-duplicates"))
    );
}
