//! Extra fields, which a column, a hook or a handler has to read.

use model_resource::{
    Api, CREATE, Context, Draft, Errors, ExtraField, LIST, Model, ModelResource, ModelSerializer, Operations,
    Reply, Result, SerializerFields, model_resource, serializer,
};
use serde_json::json;
use test_support::{TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "letters")]
struct Letter {
    #[column(primary_key)]
    id: i64,
    text: String,
}

macro_rules! letters {
    ($name:ident, $input:expr $(, $more:ident)?) => {
        struct $name;

        #[serializer]
        impl ModelSerializer for $name {
            type Model = Letter;

            fn fields(fields: SerializerFields<Letter>) -> SerializerFields<Letter> {
                let fields = fields.write_only($input);
                $(let fields = $more(fields);)?
                fields
            }
        }
    };
}

letters!(
    UnreadSerializer,
    ExtraField::<Letter, bool>::new("urgent").required_on_create()
);
letters!(
    LeftSerializer,
    ExtraField::<Letter, bool>::new("urgent").for_handler()
);
letters!(
    ReadSerializer,
    ExtraField::<Letter, bool>::new("urgent").for_handler(),
    marked
);

/// Marks urgent letters.
fn marked(fields: SerializerFields<Letter>) -> SerializerFields<Letter> {
    fields.post_load(|letter, _, _| {
        if letter.extra("urgent") == Some(true) {
            let text = letter.get(Letter::TEXT).unwrap_or_default();
            letter.set(Letter::TEXT, format!("{}!", text.trim_end_matches('!')));
        }
    })
}

#[model_resource(Letter, "/letters", "/letters/<int:id>")]
struct LetterResource;

struct OwnResource;

#[model_resource(Letter, "/letters")]
impl ModelResource for OwnResource {
    const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST]);

    async fn create(cx: Context, letter: Draft<Letter>, errors: Errors) -> Result<Reply> {
        if !errors.is_empty() {
            return cx.errors(errors);
        }
        Reply::json(&json!({"urgent": letter.extra::<bool>("urgent")}))
    }
}

/// SER-47: an extra field that is neither stored nor declared as read is rejected at startup, with the remedy.
#[tokio::test]
async fn an_unread_extra_field_is_rejected_at_startup() {
    let api = Api::new("post").serializer::<UnreadSerializer>();
    let refusals = startup_errors(api.model_resource::<LetterResource>()).await;
    assert!(
        matches!(refusals.as_slice(), [one] if one.contains("nothing reads the input `urgent`")
            && one.contains("`.into_column(..)`") && one.contains("`.for_handler()`")),
        "{refusals:?}"
    );
}

/// SER-47: an extra field for handlers is rejected if an automatic operation would accept it and ignore it.
#[tokio::test]
async fn an_extra_field_for_handlers_is_rejected_without_a_handler() {
    let api = Api::new("post").serializer::<LeftSerializer>();
    let refusals = startup_errors(api.model_resource::<LetterResource>()).await;
    assert_eq!(refusals.len(), 3, "{refusals:?}");
    for (refusal, operation) in refusals.iter().zip(["create", "patch", "put"]) {
        let unread = format!("nothing reads the input `urgent` in the automatic `{operation}`");
        assert!(
            refusal.contains(&unread) && refusal.contains("#[serializer(create)]"),
            "{refusal}"
        );
    }
}

/// SER-47: an extra field reaches custom handlers and the hooks of its serializer.
#[tokio::test]
async fn an_extra_field_reaches_handlers_and_hooks() {
    let api = Api::new("post").serializer::<LeftSerializer>();
    let app = TestApp::with_api(api.model_resource::<OwnResource>()).await;
    app.post("/letters", json!({"text": "x", "urgent": true}))
        .await
        .expect_json(200, json!({"urgent": true}));

    let api = Api::new("post").serializer::<ReadSerializer>();
    let app = TestApp::with_api(api.model_resource::<LetterResource>()).await;
    app.post("/letters", json!({"text": "x", "urgent": true}))
        .await
        .expect_json(201, json!({"id": 1, "text": "x!"}));
    app.patch("/letters/1", json!({"text": "y", "urgent": false}))
        .await
        .expect_json(200, json!({"id": 1, "text": "y"}));
}
