//! Copies of a database in memory.

use model_resource_store::{Query, Store, StoreError};

use crate::database::{in_file, in_memory, postgres};
use crate::models::Category;

async fn names(store: &Store) -> Vec<String> {
    let all = store.all(&Query::<Category>::new()).await.unwrap();
    all.into_iter().map(|category| category.name).collect()
}

/// AUD-9: a copy has the rows of its original, and neither sees the later writes of the other.
#[tokio::test]
async fn a_copy_in_memory_begins_with_the_rows_of_its_original() {
    let (file, _folder) = in_file().await;
    for original in [file, in_memory().await] {
        let before = names(&original).await;
        original.create(Category::draft("Sailing")).await.unwrap();
        let copy = original.copy_to_memory().await.unwrap();
        assert_eq!(copy.cursor_secret(), original.cursor_secret());
        copy.create(Category::draft("Copy")).await.unwrap();
        original.create(Category::draft("Original")).await.unwrap();
        let expected = |last: &str| {
            let new = ["Sailing", last].map(str::to_owned);
            before.iter().cloned().chain(new).collect::<Vec<_>>()
        };
        assert_eq!(names(&copy).await, expected("Copy"));
        assert_eq!(names(&original).await, expected("Original"));
        let second = copy.copy_to_memory().await.unwrap();
        drop(copy);
        assert_eq!(names(&second).await, expected("Copy"));
    }
}

/// AUD-9: a server is not copied.
#[tokio::test]
async fn a_database_on_a_server_is_not_copied_to_memory() {
    let Some(database) = postgres().await else { return };
    let refused = database.store.copy_to_memory().await.unwrap_err();
    let expected = "only a SQLite database can be copied to memory";
    assert_eq!(refused, StoreError::Failed(expected.to_owned()));
}
