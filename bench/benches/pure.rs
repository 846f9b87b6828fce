//! Benchmarks without a database: dump of one row, load of one body, routing, content negotiation.
//!
//! Routing and negotiation are not public, so they are measured through the application, with a request that ends
//! there.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use axum::response::Response;
use backend::models::Article;
use backend::serializers::ArticleSerializer;
use divan::{Bencher, black_box};
use model_resource::schema::draft::AnyDraft;
use model_resource::schema::model::Record;
use model_resource::schema::relation::Related;
use model_resource::schema::serializer::{CompiledSerializer, WriteRules};
use model_resource::{Decimal, Model, Timestamp, WriteMode};
use tokio::runtime::Runtime;
use tower::ServiceExt;

const BODY: &str = r#"{"title": "The swift garden", "body": "swift garden harbor river lantern quiet winter cedar stone",
    "summary": "About a harbor.", "published": true, "rating": 4.5, "price": "12.30", "publishDate": "2024-02-29",
    "categoryId": 1}"#;

fn main() {
    divan::main();
}

#[divan::bench]
fn dump_of_one_row(bencher: Bencher) {
    let moment = Timestamp::from_microsecond(1_715_000_000_123_456).expect("a moment");
    let article = Article {
        id: 1234,
        title: "The swift garden 1233".to_owned(),
        slug: "the-swift-garden-1233".to_owned(),
        body: "swift garden harbor river lantern quiet winter cedar stone meadow amber copper ".repeat(2),
        summary: Some("About a harbor river.".to_owned()),
        published: true,
        rating: Some(4.5),
        price: Some(Decimal::new(1230, 2)),
        publish_date: None,
        category_id: Some(1),
        author_id: None,
        created_at: moment,
        updated_at: moment,
    };
    let (serializer, none) = (serializer(), Related::default());
    let record = Record::copy(&article, Article::table());
    let mut out = Vec::with_capacity(1024);
    bencher.bench_local(move || {
        out.clear();
        serializer
            .projection()
            .dump(&mut out, black_box(&record), &none)
            .expect("it can be written");
        out.len()
    });
}

#[divan::bench]
fn load_of_one_body(bencher: Bencher) {
    let serializer = serializer();
    bencher.bench_local(move || {
        let mut draft = AnyDraft::new(Article::table());
        let errors = serializer
            .load(black_box(BODY), WriteMode::Create, &mut draft, &WriteRules::NONE)
            .expect("it is JSON");
        assert!(errors.is_empty());
        draft
    });
}

#[divan::bench]
fn routing_to_no_resource(bencher: Bencher) {
    ask(bencher, StatusCode::NOT_FOUND, || {
        Request::get("/api/v1/articles/12/nothing")
    });
}

#[divan::bench]
fn routing_to_no_operation(bencher: Bencher) {
    ask(bencher, StatusCode::METHOD_NOT_ALLOWED, || {
        Request::builder().method(Method::PATCH).uri("/api/v1/categories")
    });
}

#[divan::bench]
fn negotiation_without_agreement(bencher: Bencher) {
    ask(bencher, StatusCode::NOT_ACCEPTABLE, || {
        Request::get("/api/v1/articles/12")
            .header(header::ACCEPT, "image/png, text/csv;q=0.8, application/json;q=0")
    });
}

fn serializer() -> CompiledSerializer {
    CompiledSerializer::new::<ArticleSerializer>().expect("the serializer is sound")
}

fn ask(bencher: Bencher, expected: StatusCode, request: impl Fn() -> axum::http::request::Builder) {
    let runtime = Runtime::new().expect("threads can be started");
    let store = runtime
        .block_on(backend::app::APPLICATION.open("sqlite::memory:"))
        .expect("a database in memory");
    let app = runtime.block_on(async { backend::app::APPLICATION.service(store, &Default::default()) });
    let respond = || -> Response {
        let request = request().body(Body::empty()).expect("a request");
        let answer = runtime.block_on(app.clone().oneshot(request));
        answer.unwrap_or_else(|never| match never {})
    };
    assert_eq!(respond().status(), expected);
    bencher.bench_local(respond);
}
