//! Mistakes in the declarations of relations.

use model_resource::{Api, Model, ModelSerializer, SerializerFields, model_resource, serializer};
use test_support::startup_errors;

use super::{Label, LabelSerializer, Post, PostLabel, PostResource, Remark, RemarkSerializer};

#[derive(Debug, Clone, Model)]
struct Secret {
    #[column(primary_key)]
    id: i64,
    #[column(references = Post)]
    post_id: i64,
    #[column(hidden)]
    word: String,
}

struct SecretSerializer;

#[serializer]
impl ModelSerializer for SecretSerializer {
    type Model = Secret;
}

/// Declares a serializer of posts with these fields, and returns the mistakes that the api is rejected for.
macro_rules! mistakes {
    ($declare:expr) => {{
        struct Mistaken;

        #[serializer]
        impl ModelSerializer for Mistaken {
            type Model = Post;

            fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
                let declare: fn(SerializerFields<Post>) -> SerializerFields<Post> = $declare;
                declare(fields)
            }
        }

        let api = Api::new("api")
            .serializer::<Mistaken>()
            .model_resource::<PostResource>();
        startup_errors(api).await
    }};
}

#[track_caller]
fn assert_named(mistakes: &[String], expected: &str) {
    assert!(mistakes.iter().any(|mistake| mistake == expected), "{mistakes:?}");
}

/// REL-6: a join model needs a foreign key to each side, in this order.
#[tokio::test]
async fn a_join_model_has_a_key_to_each_side() {
    let swapped = mistakes!(|fields| {
        fields.many_to_many::<LabelSerializer>("labels", PostLabel::LABEL_ID, PostLabel::POST_ID)
    });
    assert_named(
        &swapped,
        "relation `labels`: column `label_id` of PostLabel must have `references = Post`",
    );
    let twice = mistakes!(|fields| {
        fields.many_to_many::<LabelSerializer>("labels", PostLabel::POST_ID, PostLabel::POST_ID)
    });
    assert_named(
        &twice,
        "relation `labels`: column `post_id` of PostLabel must have `references = Label`",
    );
    let foreign = mistakes!(|fields| {
        fields.many_to_many::<LabelSerializer>("labels", Remark::POST_ID, PostLabel::LABEL_ID)
    });
    assert_named(
        &foreign,
        "relation `labels`: both columns must belong to one join model, not to Remark and PostLabel",
    );
}

/// REL-6: a relation to one object needs a unique key.
#[tokio::test]
async fn a_relation_to_one_needs_a_unique_key() {
    let mistakes = mistakes!(|fields| fields.has_one::<RemarkSerializer>("remark", Remark::POST_ID));
    assert_named(
        &mistakes,
        "relation `remark`: column `post_id` of Remark must be `unique`, since several rows could reference one; or \
         use `has_many`",
    );
}

/// REL-6: the form of a relation is given for a declared one, with columns of its model that are not hidden.
#[tokio::test]
async fn forms_fit_the_relation() {
    let unknown = mistakes!(|fields| fields.as_keys("labels"));
    assert_named(
        &unknown,
        "serializer of Post: `.as_keys(\"labels\")` names no relation that was declared before it",
    );
    let never = mistakes!(|fields| fields.always("labels"));
    assert_named(
        &never,
        "serializer of Post: `.always(\"labels\")` names no relation that was declared before it",
    );
    let other = mistakes!(|fields| {
        let fields = fields.has_many::<RemarkSerializer>("remarks", Remark::POST_ID);
        fields.as_member("remarks", Label::NAME)
    });
    assert_named(
        &other,
        "relation `remarks`: `.as_member(..)` needs a column of Remark, not of Label",
    );
    let hidden = mistakes!(|fields| {
        let fields = fields.has_many::<SecretSerializer>("secrets", Secret::POST_ID);
        fields.as_member("secrets", Secret::WORD)
    });
    assert_named(
        &hidden,
        "relation `secrets`: column `word` of Secret is hidden and cannot be written",
    );
}

/// REL-6: objects that contain each other always are rejected; keys and members are not, since they end there.
#[tokio::test]
async fn objects_cannot_contain_each_other_always() {
    struct Endless;

    #[serializer]
    impl ModelSerializer for Endless {
        type Model = Post;

        fn fields(fields: SerializerFields<Post>) -> SerializerFields<Post> {
            fields
                .many_to_many::<EndlessLabel>("labels", PostLabel::POST_ID, PostLabel::LABEL_ID)
                .always("labels")
        }
    }

    struct EndlessLabel;

    #[serializer]
    impl ModelSerializer for EndlessLabel {
        type Model = Label;

        fn fields(fields: SerializerFields<Label>) -> SerializerFields<Label> {
            fields
                .many_to_many::<Endless>("posts", PostLabel::LABEL_ID, PostLabel::POST_ID)
                .always("posts")
        }
    }

    #[model_resource(Post, "/posts", serializer = Endless)]
    struct EndlessResource;

    let mistakes = startup_errors(Api::new("api").model_resource::<EndlessResource>()).await;
    assert!(
        mistakes[0].contains("nested serializers form a cycle"),
        "{mistakes:?}"
    );
}

/// REL-7: the tables of an api include those that its relations lead to and through.
#[test]
fn the_tables_of_an_api_include_those_of_its_relations() {
    let api = Api::new("api")
        .serializer::<super::PostSerializer>()
        .model_resource::<PostResource>();
    let names: Vec<&str> = api.tables().iter().map(|table| table.name).collect();
    assert_eq!(names, ["posts", "labels", "post_labels", "remarks"]);
}
