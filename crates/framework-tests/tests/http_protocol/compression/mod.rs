//! Compressed responses and request bodies.

mod request_bodies;
mod responses;

use std::io::{Read, Write};

use axum::Router;
use bytes::Bytes;
use http::{HeaderValue, header};
use model_resource::{
    Api, CREATE, Context, Model, ModelResource, Operations, PATCH, Pages, Reply, Result, Server, Store,
    model_resource, route,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, Response, TestApp, TestDatabase};

#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(default = "")]
    text: String,
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    const PUBLIC: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

fn long_text() -> String {
    "words that repeat themselves ".repeat(200)
}

/// A response that contains a secret beside text of the request.
#[route("/secret")]
async fn secret() -> Result<Reply> {
    let reply = Reply::json(&json!({"token": "5f4dcc3b", "text": long_text()}))?;
    Ok(reply.with_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
}

#[route("/cookie")]
async fn cookie() -> Result<Reply> {
    let reply = Reply::json(&json!(long_text()))?;
    Ok(reply.with_header(header::SET_COOKIE, HeaderValue::from_static("seen=1")))
}

#[route("/untransformed")]
async fn untransformed() -> Result<Reply> {
    let reply = Reply::json(&json!(long_text()))?;
    Ok(reply.with_header(
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, no-transform"),
    ))
}

/// Returns the body as the handler gets it.
#[route("/raw", methods = [POST])]
async fn raw(cx: Context) -> Result<Reply> {
    let body = cx.body().await?;
    Reply::json(&json!(String::from_utf8_lossy(&body)))
}

/// Returns the body as axum's extractor gets it.
#[route("/extracted", methods = [POST])]
async fn extracted(text: String) -> Result<Reply> {
    Reply::json(&json!(text))
}

fn api() -> Api {
    Api::new("notes")
        .model_resource::<NoteResource>()
        .route(secret)
        .route(cookie)
        .route(untransformed)
        .route(raw)
        .route(extracted)
        .authenticator(HeaderAuthenticator)
        .anonymous_write_rate(None)
        .body_limit(256 * 1024)
}

async fn notes(number: usize) -> TestApp {
    let app = TestApp::with_api(api()).await;
    fill(&app, number).await;
    app
}

/// Serves notes with a memory budget, and a page for browsers.
async fn notes_within(budget: usize, number: usize) -> TestApp {
    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let api = api().pages(Pages::new());
    store.create_tables(&api.tables()).await.unwrap();
    let app = api.store(store.clone()).init_app(Router::new());
    let server = Server::default().memory_budget(budget);
    let app = TestApp::serve(database, store, app, server).await;
    fill(&app, number).await;
    app
}

async fn fill(app: &TestApp, number: usize) {
    let notes: Vec<Value> = (0..number)
        .map(|number| json!({"title": format!("note {number}"), "text": long_text()}))
        .collect();
    for notes in notes.chunks(20) {
        app.post("/notes", json!(notes)).await.expect(201);
    }
}

fn accepting(client: &Client, codings: &str) -> Client {
    client.with_header("accept-encoding", codings)
}

/// Decodes a body with a decoder of its own.
fn decoded(response: &Response) -> Vec<u8> {
    let body = &response.body[..];
    let mut out = Vec::new();
    match response.header("content-encoding") {
        "gzip" => flate2::read::GzDecoder::new(body).read_to_end(&mut out).unwrap(),
        "br" => brotli::Decompressor::new(body, 4096)
            .read_to_end(&mut out)
            .unwrap(),
        "zstd" => zstd::stream::read::Decoder::new(body)
            .unwrap()
            .read_to_end(&mut out)
            .unwrap(),
        other => panic!("coding {other:?}"),
    };
    out
}

fn encoded(coding: &str, text: &[u8]) -> Bytes {
    let out = match coding {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        "br" => {
            let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 9, 22);
            encoder.write_all(text).unwrap();
            encoder.into_inner()
        }
        "zstd" => zstd::stream::encode_all(text, 19).unwrap(),
        other => panic!("coding {other:?}"),
    };
    out.into()
}
