//! How often a request asks a policy.

use std::sync::Mutex;

use model_resource::{
    Api, CREATE, Caller, Columns, Draft, Model, ModelPolicy, ModelResource, Operations, PATCH, Where,
    model_resource,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Diary {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(default = "")]
    secret: String,
    #[column(default = 0)]
    owner_id: i64,
}

/// Questions of the current request. Only one test in this process asks this policy.
static ASKED: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

fn asked(question: &'static str) {
    ASKED.lock().unwrap().push(question);
}

struct DiaryPolicy;

impl ModelPolicy for DiaryPolicy {
    type Model = Diary;

    fn visible(_: &Caller) -> Where<Diary> {
        asked("visible");
        Diary::ID.gt(0)
    }

    fn updatable(caller: &Caller) -> Where<Diary> {
        asked("updatable");
        caller.owned_by(Diary::OWNER_ID)
    }

    fn deletable(caller: &Caller) -> Where<Diary> {
        asked("deletable");
        caller.owned_by(Diary::OWNER_ID)
    }

    fn may_create(caller: &Caller) -> bool {
        asked("may_create");
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Diary> {
        asked("presets");
        match caller.key::<i64>() {
            Some(owner) => Draft::new().with(Diary::OWNER_ID, owner),
            None => Draft::new(),
        }
    }

    fn hidden(_: &Caller) -> Columns<Diary> {
        asked("hidden");
        Columns::none()
    }

    fn private() -> Columns<Diary> {
        Columns::of(Diary::SECRET)
    }

    fn shows_private(caller: &Caller) -> Where<Diary> {
        asked("shows_private");
        caller.owned_by(Diary::OWNER_ID)
    }

    fn frozen() -> Columns<Diary> {
        Columns::of(Diary::SECRET)
    }

    fn frozen_on(_: &Caller) -> Where<Diary> {
        asked("frozen_on");
        Diary::TITLE.eq("closed")
    }

    fn read_only(_: &Caller) -> Columns<Diary> {
        asked("read_only");
        Columns::none()
    }
}

struct DiaryResource;

#[model_resource(Diary, "/diaries", "/diaries/<int:id>", policy = DiaryPolicy)]
impl ModelResource for DiaryResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

/// POL-19: a request asks each method of the policy of its URL's model at most once, also for several objects.
#[tokio::test]
async fn a_request_asks_each_question_of_a_policy_at_most_once() {
    let api = Api::new("api")
        .authenticator(HeaderAuthenticator)
        .model_resource::<DiaryResource>();
    let app = TestApp::with_api(api).await;
    let owner = app.as_caller("7");
    let diary = json!({"title": "a", "secret": "s"});
    owner.post("/diaries", diary.clone()).await.expect(201);
    for (request, must_ask) in [
        ("POST /diaries", "may_create"),
        ("POST /diaries of two", "presets"),
        ("GET /diaries", "visible"),
        ("GET /diaries?title=a&fields=title", "hidden"),
        ("GET /diaries/1", "shows_private"),
        ("PUT /diaries/1", "updatable"),
        ("PATCH /diaries/1", "read_only"),
        ("PATCH /diaries/1", "frozen_on"),
        ("PATCH /diaries", "updatable"),
        ("DELETE /diaries/1", "deletable"),
    ] {
        ASKED.lock().unwrap().clear();
        let (method, path) = request.split_once(' ').unwrap();
        let answer = match (method, path) {
            ("POST", "/diaries") => owner.post(path, diary.clone()).await,
            ("POST", _) => owner.post("/diaries", json!([diary, diary])).await,
            ("PUT", _) => owner.put(path, diary.clone()).await,
            ("PATCH", "/diaries") => {
                let changes = json!([{"id": 1, "title": "b"}, {"id": 2, "secret": "t"}]);
                owner.patch(path, changes).await
            }
            ("PATCH", _) => owner.patch(path, json!({"secret": "t"})).await,
            ("DELETE", _) => owner.delete(path).await,
            _ => owner.get(path).await,
        };
        assert!(answer.status.is_success(), "{request}: {answer:?}");
        let mut questions = std::mem::take(&mut *ASKED.lock().unwrap());
        assert!(questions.contains(&must_ask), "{request}: {questions:?}");
        let count = questions.len();
        questions.sort_unstable();
        questions.dedup();
        assert_eq!(questions.len(), count, "{request} asked twice");
    }
    // An update that sets no frozen column does not depend on them.
    ASKED.lock().unwrap().clear();
    let renamed = owner.patch("/diaries/2", json!({"title": "c"})).await;
    renamed.expect(200);
    let questions = std::mem::take(&mut *ASKED.lock().unwrap());
    assert!(!questions.contains(&"frozen_on"), "{questions:?}");
}
