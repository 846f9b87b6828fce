use std::fs;

use model_resource_migrations::{
    MigrationAnswers, MigrationFile, MigrationSql, SchemaState, migration_sql, next_version,
};
use model_resource_store::SqlDialect;
use tempfile::TempDir;

use crate::change::{COLUMNS, state, tags};

fn sql(up: &str, down: &str) -> MigrationSql {
    MigrationSql {
        up: up.to_owned(),
        down: down.to_owned(),
    }
}

#[test]
fn migrations_are_numbered_after_those_of_every_database() {
    let folder = TempDir::new().unwrap();
    let (sqlite, postgres) = (folder.path().join("sqlite"), folder.path().join("postgres"));
    assert_eq!(next_version(&[&sqlite, &postgres]), Ok(1));
    MigrationFile::write(&sqlite, 1, "models", &sql("SELECT 1;\n", "SELECT 2;\n")).unwrap();
    MigrationFile::write(&postgres, 12, "later", &sql("", "")).unwrap();
    assert_eq!(next_version(&[&sqlite, &postgres]), Ok(13));
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
    MigrationFile::write(folder.path(), 1, "models", &sql("SELECT 1;\n", "")).unwrap();
    assert!(MigrationFile::write(folder.path(), 1, "models", &sql("SELECT 2;\n", "")).is_err());
    assert_eq!(
        fs::read_to_string(folder.path().join("V1__models.sql")).unwrap(),
        "SELECT 1;\n"
    );
}

#[test]
fn a_name_that_refinery_would_ignore_is_refused() {
    let folder = TempDir::new().unwrap();
    for name in ["", "two words", "a-b", "../a", "a.down"] {
        assert!(
            MigrationFile::write(folder.path(), 1, name, &sql("", "")).is_err(),
            "{name}"
        );
    }
    assert_eq!(MigrationFile::list(folder.path()), Ok(Vec::new()));
}

#[test]
fn two_migrations_of_one_version_are_refused() {
    let folder = TempDir::new().unwrap();
    for name in ["one", "two"] {
        MigrationFile::write(folder.path(), 1, name, &sql("", "")).unwrap();
    }
    let message = MigrationFile::list(folder.path()).unwrap_err().to_string();
    assert!(
        message.contains("another migration has this version"),
        "{message}"
    );
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
        let version = next_version(&[folder.path()]).unwrap();
        MigrationFile::write(folder.path(), version, "step", &sql).unwrap();
        before = SchemaState::of_sqlite_migrations(&MigrationFile::list(folder.path()).unwrap()).unwrap();
        assert_eq!(before.normalized(), state(schema).normalized());
    }
    assert_eq!(MigrationFile::list(folder.path()).unwrap().len(), 3);
}

#[test]
fn a_migration_that_fails_is_named() {
    let folder = TempDir::new().unwrap();
    MigrationFile::write(folder.path(), 1, "broken", &sql("DROP TABLE missing;", "")).unwrap();
    let migrations = MigrationFile::list(folder.path()).unwrap();
    let message = SchemaState::of_sqlite_migrations(&migrations)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("V1__broken.sql") && message.contains("missing"),
        "{message}"
    );
}
