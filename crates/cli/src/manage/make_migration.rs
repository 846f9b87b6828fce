//! `make-migration`: writes the SQL between the migrations and the models.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use model_resource::store::MigrationSource;
use model_resource::{Migrations, SqlDialect};
use model_resource_migrations::{
    MigrationFile, MigrationSql, MigrationStep, SchemaState, diff, migration_sql, next_version,
};

use crate::failure::Failure;
use crate::manage::application::ManagedApplication;
use crate::manage::database::{DatabaseArgs, dialect_of};
use crate::manage::migration_answers::AnswerArgs;
use crate::manage::output::print;

/// Writes a migration from the tables of the migrations to those of the models
///
/// It has files for each database that has a folder: one that makes the change, and one that takes it back. A folder
/// without migrations gets those of the databases that the program is compiled with. Questions that only a person can
/// answer are asked on the terminal, or answered by options.
#[derive(Args)]
pub(crate) struct MakeMigration {
    /// Name of the migration, such as `add-isbn`
    name: String,
    #[command(flatten)]
    answers: AnswerArgs,
    /// Write files without statements, for a migration by hand
    #[arg(long)]
    empty: bool,
    /// Print the SQL and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

/// A migration for one kind of database.
struct MadeMigration {
    dialect: SqlDialect,
    file: MigrationFile,
    sql: MadeSql,
    steps: Vec<MigrationStep>,
}

/// SQL of a migration.
enum MadeSql {
    Made(MigrationSql),
    ByHand(String),
}

impl MakeMigration {
    pub(crate) fn run(self, application: &ManagedApplication) -> Result<(), Failure> {
        let source = application.migrations.as_ref().and_then(Migrations::source);
        let source = source.ok_or("the migrations of the application are not files: use `migrations!`")?;
        let migrations = Migrations::read(&source.folder);
        let made = self.make(application, &source.folder, &migrations)?;
        if made.is_empty() {
            println!("nothing changed: the migrations lead to the models");
            return Ok(());
        }
        if self.dry_run {
            return made.iter().try_for_each(MadeMigration::print);
        }
        made.iter().try_for_each(MadeMigration::write)?;
        build_again(source);
        Ok(())
    }

    /// Returns the migration for each database; none if nothing changed.
    fn make(
        &self,
        application: &ManagedApplication,
        folder: &Path,
        migrations: &Migrations,
    ) -> Result<Vec<MadeMigration>, Failure> {
        let version = next_version(migrations)?;
        let name = self.name.to_lowercase().replace(['-', ' '], "_");
        let mut answers = self.answers.clone().keeping(&application.unmanaged);
        let mut made = Vec::new();
        let targets = targets(folder, &self.database.database)?;
        let targets = if self.empty { targets } else { readable(targets)? };
        for (dialect, folder) in targets {
            let file = MigrationFile::at(&folder, version, &name)?;
            if self.empty {
                let sql = format!("-- Statements for {dialect}, which run in one transaction.\n");
                let sql = MadeSql::ByHand(sql);
                let steps = Vec::new();
                made.push(MadeMigration {
                    dialect,
                    file,
                    sql,
                    steps,
                });
                continue;
            }
            let found = compare(application, dialect, migrations, &mut answers)?;
            made.extend(found.map(|(sql, steps)| MadeMigration {
                dialect,
                file,
                sql: MadeSql::Made(sql),
                steps,
            }));
        }
        Ok(made)
    }
}

/// Returns the SQL from the migrations to the models and its steps; `None` without a difference. Asks what is open.
fn compare(
    application: &ManagedApplication,
    dialect: SqlDialect,
    migrations: &Migrations,
    answers: &mut AnswerArgs,
) -> Result<Option<(MigrationSql, Vec<MigrationStep>)>, Failure> {
    let before = if migrations.has(dialect) {
        SchemaState::of_migrations(dialect, migrations)?
    } else {
        SchemaState::empty(dialect)
    };
    let after = SchemaState::of_models(dialect, application.tables())?;
    loop {
        let answered = answers.of(dialect, application.tables())?;
        let sql = match migration_sql(&before, &after, &answered) {
            Ok(sql) => sql,
            Err(question) => {
                answers.ask(&question, dialect, application.tables())?;
                continue;
            }
        };
        let Some(sql) = sql else {
            return Ok(None);
        };
        let steps = diff(&before, &after, &answered).map_err(|question| question.to_string())?;
        return Ok(Some((sql, steps)));
    }
}

/// Dialect and folder of migrations.
type Target = (SqlDialect, PathBuf);

/// Returns the folder of each database: those that exist, or the whole folder if its files are for one database. A folder
/// without migrations gets one for each database that the program is compiled with.
fn targets(folder: &Path, database: &str) -> Result<Vec<Target>, Failure> {
    let target = |dialect: SqlDialect| (dialect, folder.join(dialect.name()));
    let existing = SqlDialect::ALL.map(target).into_iter();
    let existing: Vec<_> = existing.filter(|(_, folder)| folder.is_dir()).collect();
    if !existing.is_empty() {
        return Ok(existing);
    }
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let has_files = files.into_iter().any(|file| {
        file.path()
            .extension()
            .is_some_and(|extension| extension == "sql")
    });
    if has_files {
        return Ok(vec![(dialect_of(database)?, folder.to_owned())]);
    }
    Ok(SqlDialect::COMPILED_IN.iter().copied().map(target).collect())
}

/// Leaves out the databases whose migrations the program cannot read, with a note, and fails if no other remains.
fn readable(targets: Vec<Target>) -> Result<Vec<Target>, Failure> {
    let can_read = |(dialect, _): &Target| SchemaState::can_read_migrations(*dialect);
    let (readable, others): (Vec<_>, Vec<_>) = targets.into_iter().partition(can_read);
    for (dialect, folder) in others {
        let folder = shown(&folder);
        let note = format!(
            "{folder} is left out: only a program with the feature `sqlite` of model-resource-cli reads the migrations \
             of {dialect}"
        );
        if readable.is_empty() {
            return Err(note.into());
        }
        eprintln!("{note}");
    }
    Ok(readable)
}

impl MadeMigration {
    fn print(&self) -> Result<(), Failure> {
        let (path, down_path) = (shown(&self.file.path), shown(&self.file.down_path()));
        match &self.sql {
            MadeSql::Made(sql) => print(&format!(
                "-- {path}\n{}\n-- {}\n{}\n",
                sql.up, down_path, sql.down
            ))?,
            MadeSql::ByHand(sql) => print(&format!("-- {path}\n{sql}\n"))?,
        }
        Ok(())
    }

    fn write(&self) -> Result<(), Failure> {
        let (path, down_path) = (shown(&self.file.path), shown(&self.file.down_path()));
        match &self.sql {
            MadeSql::Made(sql) => {
                self.file.write(sql)?;
                println!("wrote {path}\n  and {}", down_path);
            }
            MadeSql::ByHand(sql) => {
                self.file.write_up(sql)?;
                println!("wrote {path}; to be able to take it back, write {}", down_path);
            }
        }
        for step in &self.steps {
            println!("  {}: {step}", self.dialect);
        }
        Ok(())
    }
}

/// Returns a path as seen from the current folder.
fn shown(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(current).unwrap_or(path).display().to_string()
}

/// Makes cargo build the program again, which contains the files in a release build: cargo does not notice new files.
fn build_again(source: &MigrationSource) {
    let file = fs::File::options().append(true).open(&source.caller);
    let touched = file.and_then(|file| file.set_modified(SystemTime::now()));
    if touched.is_err() {
        println!("build the program again, so that it contains the migration");
    }
}
