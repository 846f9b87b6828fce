//! Foreign keys and the keys that they reference.

use model_resource::{Api, Model, Store, Uuid, model_resource};
use test_support::{TestDatabase, startup_errors};

#[derive(Model)]
struct Owner {
    #[column(primary_key)]
    id: i64,
}

#[derive(Model)]
struct Cat {
    #[column(primary_key)]
    id: i64,
    #[column(references = Owner)]
    owner_id: Option<i32>,
    #[column(references = Owner)]
    finder_id: Option<i64>,
    #[column(references = Owner)]
    breeder_id: Uuid,
}

#[model_resource(Cat, "/cats", "/cats/<int:id>")]
struct CatResource;

/// REG-30: an api and a database reject a foreign key whose type differs from the referenced key's.
#[tokio::test]
async fn a_foreign_key_of_another_type_than_the_key_is_rejected_at_startup() {
    let mistakes = startup_errors(Api::new("api").model_resource::<CatResource>()).await;
    assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    let expected = "model Cat: the foreign key `owner_id` is of type I32, and the key `id` of Owner that it references is \
                    of type I64: give the field the type of the key";
    assert!(mistakes[0].contains(expected), "{mistakes:?}");

    let database = TestDatabase::create();
    let store = Store::open(&database.url()).await.unwrap();
    let refused = store
        .create_tables(&[Owner::table(), Cat::table()])
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`owner_id`") && refused.contains("`breeder_id`"),
        "{refused}"
    );
    assert!(!refused.contains("finder_id"), "{refused}");
}
