//! Declarations of soft deletion that are rejected at startup, and its description.

use model_resource::{Api, Caller, Model, ModelPolicy, ModelResource, Timestamp, Where, model_resource};
use test_support::startup_errors;

use super::shop_api;

#[derive(Debug, Clone, Model)]
#[model(table = "plain")]
struct Plain {
    #[column(primary_key)]
    id: i64,
}

struct PlainResource;

#[model_resource(Plain, "/plain", "/plain/<int:id>")]
impl ModelResource for PlainResource {
    const RESTORE: bool = true;
}

struct PlainPolicy;

impl ModelPolicy for PlainPolicy {
    type Model = Plain;

    fn shows_deleted(_: &Caller) -> Where<Plain> {
        Where::all()
    }
}

#[derive(Debug, Clone, Model)]
#[model(table = "memos")]
struct Memo {
    #[column(primary_key)]
    id: i64,
    #[column(soft_delete)]
    deleted: Option<Timestamp>,
}

struct MemoPolicy;

impl ModelPolicy for MemoPolicy {
    type Model = Memo;
}

#[model_resource(Memo, "/memos", policy = MemoPolicy)]
struct MemoResource;

#[derive(Debug, Clone, Model)]
#[model(table = "drafts")]
struct Sketch {
    #[column(primary_key)]
    id: i64,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

struct SketchPolicy;

impl ModelPolicy for SketchPolicy {
    type Model = Sketch;
}

struct UnrestorableResource;

#[model_resource(Sketch, "/sketches", "/sketches/<int:id>")]
impl ModelResource for UnrestorableResource {
    const RESTORE: bool = true;
}

struct ListedResource;

#[model_resource(Sketch, "/listed", policy = SketchPolicy)]
impl ModelResource for ListedResource {
    const RESTORE: bool = true;
    const QUERY_PARAMETERS: &'static [&'static str] = &["other"];
}

struct NamedResource;

#[model_resource(Sketch, "/named", policy = SketchPolicy)]
impl ModelResource for NamedResource {
    const QUERY_PARAMETERS: &'static [&'static str] = &["deleted"];
}

async fn mistake(api: Api) -> String {
    let errors = startup_errors(api).await;
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.into_iter().next().unwrap()
}

/// SDL-14
#[tokio::test]
async fn mistakes_are_rejected_at_startup_with_the_remedy() {
    let api = || Api::new("declarations");
    for (api, remedy) in [
        (
            api().model_resource::<PlainResource>(),
            "mark a field of Plain with #[column(soft_delete)]",
        ),
        (
            api().policy::<PlainPolicy>(),
            "mark a field of Plain with #[column(soft_delete)]",
        ),
        (
            api().model_resource::<UnrestorableResource>(),
            "add a policy of Sketch with `shows_deleted`",
        ),
        (
            api().model_resource::<ListedResource>(),
            "RESTORE needs the URL of one object",
        ),
        (
            api().model_resource::<MemoResource>(),
            "the list of Memo has a field of this name: rename it by #[column(json",
        ),
        (
            api().model_resource::<NamedResource>(),
            "QUERY_PARAMETERS names it too: rename that one",
        ),
    ] {
        let mistake = mistake(api).await;
        assert!(mistake.contains(remedy), "{mistake}");
    }
}

/// SDL-15: descriptions have the parameter and the restoration for callers who can use them.
#[test]
fn descriptions_have_what_the_caller_can_use() {
    let api = shop_api().compile();
    let described = |caller: &Caller| {
        let actions = api.describe_for(caller).actions;
        let lists = actions.iter().filter_map(|action| action.list.as_ref());
        let lists = lists.filter(|list| list.shows_deleted).count();
        (lists, actions.iter().filter(|action| action.restores).count())
    };
    // Two URLs, and HEAD beside GET.
    assert_eq!(described(&Caller::of(2).with_roles(["desk"])), (4, 2));
    assert_eq!(described(&Caller::of(3).with_roles(["clerk"])), (4, 0));
    assert_eq!(described(&Caller::of(1)), (0, 0));
    assert_eq!(described(&Caller::anonymous()), (0, 0));
    let routes = api.describe().actions;
    let restore = routes.iter().find(|action| action.restores).unwrap();
    assert_eq!(restore.route.url, "/books/<int:id>/restore");
    assert_eq!(restore.summary, "Restore a book");
}
