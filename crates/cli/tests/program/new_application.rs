//! The migration of a new application, which is a text in the program `model-resource`.

use std::process::Command;

use model_resource::{Model, SqlDialect, Timestamp};
use model_resource_migrations::{MigrationAnswers, SchemaState, migration_sql};

/// The model that `model-resource new` writes.
#[derive(Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1, max_length = 200)]
    title: String,
    body: String,
    #[column(created)]
    created_at: Timestamp,
    #[column(updated)]
    updated_at: Timestamp,
}

/// NEW-1
#[test]
fn the_migration_of_a_new_application_is_what_make_migration_writes() {
    let folder = tempfile::tempdir().unwrap();
    let mut new = Command::new(env!("CARGO_BIN_EXE_model-resource"));
    let written = new.args(["new", "library"]).current_dir(folder.path()).output();
    assert!(written.unwrap().status.success());
    let read = |file: &str| {
        let file = folder.path().join("library/migrations/sqlite").join(file);
        std::fs::read_to_string(file).unwrap()
    };

    let before = SchemaState::empty(SqlDialect::Sqlite);
    let after = SchemaState::of_models(SqlDialect::Sqlite, &[Note::table()]).unwrap();
    let made = migration_sql(&before, &after, &MigrationAnswers::new());
    let made = made.unwrap().unwrap();
    assert_eq!(read("V1__create_notes.sql"), made.up);
    assert_eq!(read("V1__create_notes.down.sql"), made.down);
}
