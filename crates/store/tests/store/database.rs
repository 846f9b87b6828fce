//! Databases that vanish with the test, and what tests ask of an error.

use model_resource_schema::model::Model;
use model_resource_store::{Error, Store};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::models::{Article, Category, SAMPLES};

/// A store in a file, and the folder that must live as long.
pub(crate) async fn in_file() -> (Store, TempDir) {
    let folder = TempDir::new().unwrap();
    let store = Store::open(&url(&folder)).await.unwrap();
    create(&store).await;
    (store, folder)
}

/// A store in memory.
pub(crate) async fn in_memory() -> Store {
    let store = Store::open("sqlite::memory:").await.unwrap();
    create(&store).await;
    store
}

pub(crate) fn url(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("test.db").display())
}

async fn create(store: &Store) {
    store
        .create_tables(&[Category::table(), Article::table(), &SAMPLES])
        .await
        .unwrap();
}

/// The field errors of a refused write.
#[track_caller]
pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Json {
    match result {
        Err(Error::Invalid(errors)) => json!(errors),
        other => panic!("expected field errors, got {other:?}"),
    }
}

#[track_caller]
pub(crate) fn unavailable<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Unavailable(cause)) => cause,
        other => panic!("expected an unavailable database, got {other:?}"),
    }
}

#[track_caller]
pub(crate) fn failure<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Failed(cause)) => cause,
        other => panic!("expected a failure, got {other:?}"),
    }
}
