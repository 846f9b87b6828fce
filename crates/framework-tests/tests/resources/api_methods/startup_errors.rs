//! Mistakes that registration rejects.

use model_resource::expand::Registration;
use model_resource::{Api, ModelResource, ModelSerializer, model_resource, route, serializer};
use serde_json::{Value, json};
use test_support::startup_errors;

use super::{Note, notes};

/// Written without the attribute, which reports this mistake at compile time.
struct NowhereResource;

impl ModelResource for NowhereResource {
    type Model = Note;

    fn registration() -> Registration {
        Registration::new("nowhere", &[])
    }
}

/// Written without the attribute, which reports this mistake at compile time.
struct SlashlessResource;

impl ModelResource for SlashlessResource {
    type Model = Note;

    fn registration() -> Registration {
        Registration::new("slashless", &["papers/<int:id>"])
    }
}

#[model_resource(Note, "/notes")]
struct SameUrlResource;

#[model_resource(Note, "/notes/<int:note_id>")]
struct SamePathsResource;

#[model_resource(Note, "/papers", endpoint = "note_resource")]
struct SameNameResource;

#[route("/notes")]
async fn same_url() -> Value {
    json!(null)
}

struct NoteSerializer;

#[serializer]
impl ModelSerializer for NoteSerializer {
    type Model = Note;
}

struct OtherNoteSerializer;

#[serializer]
impl ModelSerializer for OtherNoteSerializer {
    type Model = Note;
}

/// REG-5: a valid api is not rejected.
#[tokio::test]
async fn a_valid_api_is_served() {
    assert!(startup_errors(notes(Api::new("api"))).await.is_empty());
}

/// REG-5: a resource without a URL is rejected. The compile-fail case `no_url` shows the attribute doing the same. An
/// argument that is neither a blueprint nor a model does not compile: see the compile-fail cases `url_before_model` and
/// `first_argument_is_no_model`.
#[tokio::test]
async fn a_resource_without_a_url_is_rejected() {
    let api = Api::new("api");
    let mistakes = startup_errors(api.model_resource::<NowhereResource>()).await;
    assert_eq!(
        mistakes,
        ["NowhereResource: at least one URL is needed, such as \"/users\""]
    );
}

/// REG-5: a URL without a leading slash is rejected. See also the compile-fail case `url_without_leading_slash`.
#[tokio::test]
async fn a_url_that_does_not_begin_with_a_slash_is_rejected() {
    let api = Api::new("api").prefix("/api");
    let mistakes = startup_errors(api.model_resource::<SlashlessResource>()).await;
    assert_eq!(
        mistakes,
        ["SlashlessResource: URL `papers/<int:id>` must start with `/`: write `/papers/<int:id>`"]
    );
}

/// REG-5, REG-14: two registrations for the same URL and method are rejected, including views and other parameter
/// names.
#[tokio::test]
async fn two_registrations_for_the_same_url_are_rejected() {
    let same = "`/notes` and `/notes` take the same paths: change one of the URLs";
    let mistakes = startup_errors(notes(Api::new("api")).model_resource::<SameUrlResource>()).await;
    assert_eq!(mistakes, [same]);
    let mistakes = startup_errors(notes(Api::new("api")).route(same_url)).await;
    assert_eq!(
        mistakes,
        [
            "`/notes` is answered by default list and by same_url for GET: give each of them `methods = [..]` of its own, \
             or change one of the URLs"
        ]
    );
    let mistakes = startup_errors(notes(Api::new("api")).model_resource::<SamePathsResource>()).await;
    assert_eq!(
        mistakes,
        ["`/notes/<int:id>` and `/notes/<int:note_id>` take the same paths: change one of the URLs"]
    );
}

/// REG-5: a duplicate endpoint name is rejected.
#[tokio::test]
async fn a_duplicate_endpoint_name_is_rejected() {
    let mistakes = startup_errors(notes(Api::new("api")).model_resource::<SameNameResource>()).await;
    assert_eq!(
        mistakes,
        ["two registrations have the endpoint name `note_resource`: give one of them `endpoint = \"..\"`"]
    );
}

/// REG-5, REG-6: a second serializer for the same purpose is rejected.
#[tokio::test]
async fn two_serializers_for_the_same_purpose_are_rejected() {
    let api = notes(Api::new("api"))
        .serializer::<NoteSerializer>()
        .serializer::<OtherNoteSerializer>();
    let mistakes = startup_errors(api).await;
    assert_eq!(mistakes.len(), 1);
    assert!(
        mistakes[0].contains("mark one with #[serializer(many)] or #[serializer(create)]"),
        "{mistakes:?}"
    );
}

/// REG-5: all mistakes are reported at once.
#[tokio::test]
async fn all_mistakes_are_reported_at_once() {
    let api = notes(Api::new("api"))
        .model_resource::<NowhereResource>()
        .model_resource::<SlashlessResource>()
        .model_resource::<SameNameResource>();
    assert_eq!(startup_errors(api).await.len(), 3);
}
