//! The application's state in operations and views.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use axum::extract::{FromRef, FromRequestParts, State};
use http::request::Parts;
use model_resource::{
    Api, Context, Draft, FromContext, MethodDecorators, ModelResource, Next, Reply, Result, model_resource,
    route,
};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

use super::Note;

#[derive(Clone)]
struct Visits(Arc<AtomicI64>);

#[derive(Clone)]
struct Greeting(&'static str);

#[derive(Clone)]
struct AppState {
    visits: Visits,
    greeting: Greeting,
}

impl FromRef<AppState> for Visits {
    fn from_ref(state: &AppState) -> Self {
        state.visits.clone()
    }
}

impl FromRef<AppState> for Greeting {
    fn from_ref(state: &AppState) -> Self {
        state.greeting.clone()
    }
}

/// An extractor that needs a part of the state.
struct Shouted(String);

impl<S: Send + Sync> FromRequestParts<S> for Shouted
where
    Greeting: FromRef<S>,
{
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(_: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(Greeting::from_ref(state).0.to_uppercase()))
    }
}

/// A custom argument type that reads the state.
struct Greeted(&'static str);

impl FromContext for Greeted {
    async fn from_context(cx: &mut Context) -> Result<Self> {
        Ok(Self(
            cx.state::<AppState>().map_or("nobody", |state| state.greeting.0),
        ))
    }
}

#[route("/whole")]
async fn whole(State(state): State<AppState>) -> Value {
    json!(state.greeting.0)
}

#[route("/parts", state = AppState)]
async fn parts(
    State(visits): State<Visits>,
    State(greeting): State<Greeting>,
    Shouted(loud): Shouted,
) -> Value {
    json!([visits.0.fetch_add(1, Ordering::Relaxed), greeting.0, loud])
}

#[route("/own")]
async fn own(Greeted(greeting): Greeted) -> Value {
    json!(greeting)
}

#[route("/part-alone")]
async fn part_alone(State(greeting): State<Greeting>) -> Value {
    json!(greeting.0)
}

struct CountedResource;

#[model_resource(Note, "/counted", "/counted/<int:id>", state = AppState)]
impl ModelResource for CountedResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(|cx: Context, next: Next| async move {
            if let Some(state) = cx.state::<AppState>() {
                state.visits.0.fetch_add(10, Ordering::Relaxed);
            }
            next.run(cx).await
        })
    }

    async fn create(cx: Context, State(greeting): State<Greeting>, mut note: Draft<Note>) -> Result<Reply> {
        note.set(Note::TEXT, greeting.0.to_owned());
        cx.created(note).await
    }

    async fn get(State(visits): State<Visits>, note: Note) -> Value {
        json!([note.text, visits.0.load(Ordering::Relaxed)])
    }
}

fn state() -> AppState {
    AppState {
        visits: Visits(Arc::default()),
        greeting: Greeting("hello"),
    }
}

fn api() -> Api {
    Api::new("api")
        .model_resource::<CountedResource>()
        .route(whole)
        .route(parts)
        .route(own)
}

/// API-14: views extract the state, parts of it by `FromRef`, and extractors that need either.
#[tokio::test]
async fn views_take_the_state_and_parts_of_it() {
    let app = TestApp::with_api(api().with_state(state())).await;
    app.get("/whole").await.expect_json(200, json!("hello"));
    app.get("/parts")
        .await
        .expect_json(200, json!([0, "hello", "HELLO"]));
    app.get("/parts")
        .await
        .expect_json(200, json!([1, "hello", "HELLO"]));
    app.get("/own").await.expect_json(200, json!("hello"));
}

/// API-14: operations and decorators of a resource can use the state too.
#[tokio::test]
async fn operations_and_decorators_have_the_state() {
    let app = TestApp::with_api(api().with_state(state())).await;
    let created = app.post("/counted", json!({"text": "x"})).await.expect(201);
    assert_eq!(created.json()["text"], "hello");
    app.get("/counted/1").await.expect_json(200, json!(["hello", 20]));
}

/// API-14: an api may have several states, one per type.
#[tokio::test]
async fn an_api_may_have_states_of_several_types() {
    let api = api().route(part_alone).with_state(state());
    let app = TestApp::with_api(api.with_state(Greeting("hi"))).await;
    app.get("/part-alone").await.expect_json(200, json!("hi"));
    app.get("/whole").await.expect_json(200, json!("hello"));
}

/// API-14: a missing state is rejected at startup with the remedy, and so is a second one of its type.
#[tokio::test]
async fn a_missing_state_is_rejected_at_startup() {
    let mistakes = startup_errors(Api::new("api").route(whole).route(own)).await;
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    assert!(
        mistakes[0].starts_with("whole: it takes the state `"),
        "{mistakes:?}"
    );
    assert!(
        mistakes[0].ends_with(
            "AppState`, which the api does not have: add `.with_state(..)`, or, if it is a part of another state by \
             `FromRef`, name that one as `state = ..` in the attribute"
        ),
        "{mistakes:?}"
    );
    assert_eq!(startup_errors(api()).await.len(), 3);
    assert_eq!(startup_errors(api().with_state(Greeting("hi"))).await.len(), 3);
    let mistakes = startup_errors(api().with_state(state()).with_state(state())).await;
    assert!(mistakes[0].contains("has two states of the type"), "{mistakes:?}");
}
