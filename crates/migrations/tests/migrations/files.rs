use std::fs;
use std::path::Path;

use model_resource_migrations::{
    MigrationAnswers, MigrationFile, MigrationSql, SchemaState, migration_sql, next_version,
};
use model_resource_store::{Migration, Migrations, SqlDialect};
use tempfile::TempDir;

use crate::change::{COLUMNS, state, tags};

fn write(folder: &Path, version: u32, name: &str, up: &str, down: &str) {
    let sql = MigrationSql {
        up: up.to_owned(),
        down: down.to_owned(),
    };
    let file = MigrationFile::at(folder, version, name).unwrap();
    file.write(&sql).unwrap();
}

#[test]
fn migrations_are_numbered_after_those_of_every_database() {
    let folder = TempDir::new().unwrap();
    let next = || next_version(&Migrations::read(folder.path()));
    let (sqlite, postgres) = (folder.path().join("sqlite"), folder.path().join("postgres"));
    assert_eq!(next(), Ok(1));
    write(&sqlite, 1, "models", "SELECT 1;\n", "SELECT 2;\n");
    assert_eq!(next(), Ok(2));
    write(&postgres, 12, "later", "", "");
    assert_eq!(next(), Ok(13));
    assert_eq!(
        fs::read_to_string(sqlite.join("V1__models.sql")).unwrap(),
        "SELECT 1;\n"
    );
    assert_eq!(
        fs::read_to_string(sqlite.join("V1__models.down.sql")).unwrap(),
        "SELECT 2;\n"
    );
}

#[test]
fn a_file_is_never_replaced() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), 1, "models", "SELECT 1;\n", "");
    let file = MigrationFile::at(folder.path(), 1, "models").unwrap();
    assert!(file.write_up("SELECT 2;\n").is_err());
    assert_eq!(
        fs::read_to_string(folder.path().join("V1__models.sql")).unwrap(),
        "SELECT 1;\n"
    );
}

#[test]
fn a_name_that_no_file_can_have_is_refused() {
    for name in ["", "two words", "a-b", "../a", "a.down"] {
        assert!(MigrationFile::at(Path::new("."), 1, name).is_err(), "{name}");
    }
}

#[test]
fn written_migrations_lead_to_the_schema_that_they_were_made_for() {
    let folder = TempDir::new().unwrap();
    let schemas = [
        tags("\"name\" TEXT NOT NULL"),
        tags(COLUMNS),
        tags("\"name\" TEXT UNIQUE, \"size\" INTEGER"),
    ];
    let mut before = SchemaState::empty(SqlDialect::Sqlite);
    for schema in &schemas {
        let sql = migration_sql(&before, &state(schema), &MigrationAnswers::new())
            .unwrap()
            .unwrap();
        let version = next_version(&Migrations::read(folder.path())).unwrap();
        write(folder.path(), version, "step", &sql.up, &sql.down);
        before = SchemaState::of_migrations(SqlDialect::Sqlite, &Migrations::read(folder.path())).unwrap();
        assert_eq!(before.normalized(), state(schema).normalized());
    }
    let migrations = Migrations::read(folder.path());
    assert_eq!(migrations.of(SqlDialect::Sqlite).unwrap().len(), 3);
}

#[test]
fn a_migration_that_fails_is_named() {
    let migrations = Migrations::new([Migration::new(1, "broken", "DROP TABLE missing;")]);
    let message = SchemaState::of_migrations(SqlDialect::Sqlite, &migrations)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("V1__broken") && message.contains("missing"),
        "{message}"
    );
}
