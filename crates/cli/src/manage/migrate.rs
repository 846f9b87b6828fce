//! `migrate`: applies migrations, takes them back, or reports them.

use clap::Args;
use model_resource::store::{Migration, MigrationStatus};
use model_resource::{Migrations, Store};

use crate::failure::Failure;
use crate::manage::application::ManagedApplication;
use crate::manage::database::DatabaseArgs;
use crate::manage::output::print;
use crate::manage::question;
use crate::manage::table::aligned;

/// Applies pending migrations and verifies the tables
///
/// Waits for another process that applies some, as long as it takes.
#[derive(Args)]
pub(crate) struct Migrate {
    /// Change nothing; fail if migrations are pending, or if they do not lead to the models
    #[arg(long, conflicts_with_all = ["status", "dry_run", "to"])]
    check: bool,
    /// Change nothing; print each migration, and when it was applied
    #[arg(long, conflicts_with_all = ["dry_run", "to"])]
    status: bool,
    /// Change nothing; print the SQL that would run
    #[arg(long)]
    dry_run: bool,
    /// Apply migrations up to this version, or take back those after it; 0 for all of them
    #[arg(long, value_name = "VERSION")]
    to: Option<u32>,
    /// Take migrations back without a question
    #[arg(long, requires = "to")]
    yes: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

impl Migrate {
    pub(crate) async fn run(self, application: &ManagedApplication) -> Result<(), Failure> {
        let store = Store::open(self.url()).await?;
        let outcome = self.run_on(application, &store).await;
        store.close().await;
        outcome
    }

    fn url(&self) -> &str {
        if self.check || self.status || self.dry_run {
            self.database.url_to_inspect()
        } else {
            &self.database.database
        }
    }

    async fn run_on(&self, application: &ManagedApplication, store: &Store) -> Result<(), Failure> {
        let Some(migrations) = &application.migrations else {
            return Err("the application has no migrations".into());
        };
        if self.status {
            let status = store.migration_status(migrations).await?;
            print(&status_table(migrations.of(store.dialect())?, &status))?;
            return Ok(());
        }
        if self.dry_run {
            return self.print_plan(migrations, store).await;
        }
        if let Some(version) = self.to {
            return self.migrate_to(migrations, store, version).await;
        }
        if self.check {
            check(application, store, &self.database).await?;
            application.check_models(store.dialect())?;
        } else {
            for migration in application.migrate(store).await? {
                println!("applied {migration}");
            }
        }
        println!("{} has all migrations of this program", self.database.shown());
        Ok(())
    }

    async fn print_plan(&self, migrations: &Migrations, store: &Store) -> Result<(), Failure> {
        let planned = store.planned_migrations(migrations, self.to).await?;
        if planned.is_empty() {
            println!("-- nothing would run");
        }
        for migration in planned {
            let direction = if migration.is_down { ", taken back" } else { "" };
            print(&format!(
                "-- {}{direction}\n{}\n",
                migration.label,
                migration.sql.trim_end()
            ))?;
        }
        Ok(())
    }

    async fn migrate_to(&self, migrations: &Migrations, store: &Store, version: u32) -> Result<(), Failure> {
        let planned = store.planned_migrations(migrations, Some(version)).await?;
        let down: Vec<_> = planned.iter().filter(|planned| planned.is_down).collect();
        if !down.is_empty() && !self.yes {
            let labels: Vec<_> = down.iter().map(|planned| planned.label.as_str()).collect();
            let labels = labels.join(", ");
            if !question::is_terminal() {
                return Err(
                    format!("this takes back {labels}, with their values: confirm it by --yes").into(),
                );
            }
            let answer = question::ask(&format!("Take back {labels}, with their values? [y/N] "))?;
            if !answer.eq_ignore_ascii_case("y") && !answer.eq_ignore_ascii_case("yes") {
                return Err("nothing was changed".into());
            }
        }
        let verb = if down.is_empty() { "applied" } else { "took back" };
        for migration in store.migrate_to(migrations, version).await? {
            println!("{verb} {migration}");
        }
        println!("{} is at version {version}", self.database.shown());
        Ok(())
    }
}

/// Formats the migrations of the program and of the database as a table.
fn status_table(known: &[Migration], status: &MigrationStatus) -> String {
    let mut rows: Vec<(u32, String, String)> = Vec::new();
    for applied in &status.applied {
        let label = applied.label();
        let remark = if status.changed.contains(&label) {
            ", changed since"
        } else if status.unknown.contains(&label) {
            ", unknown to this program"
        } else {
            ""
        };
        rows.push((
            applied.version,
            applied.name.clone(),
            format!("{}{remark}", applied.applied_at),
        ));
    }
    let pending = known
        .iter()
        .filter(|known| status.pending.contains(&known.label()));
    rows.extend(pending.map(|known| (known.version(), known.name().to_owned(), "pending".to_owned())));
    rows.sort();
    let header = ["VERSION", "NAME", "APPLIED"].map(str::to_owned).to_vec();
    let rows = rows
        .into_iter()
        .map(|(version, name, applied)| vec![version.to_string(), name, applied]);
    let rows: Vec<_> = std::iter::once(header).chain(rows).collect();
    aligned(&rows)
}

/// Fails if the migrations of a database are not applied or its tables are not as the models. Changes nothing.
pub(crate) async fn check_migrated(
    application: &ManagedApplication,
    store: &Store,
    database: &DatabaseArgs,
) -> Result<(), Failure> {
    check(application, store, database).await?;
    Ok(store.verify(application.tables()).await?)
}

/// Fails if the database does not exist or migrations are pending, with the remedy.
async fn check(
    application: &ManagedApplication,
    store: &Store,
    database: &DatabaseArgs,
) -> Result<(), Failure> {
    let Some(migrations) = &application.migrations else {
        return database.require_file();
    };
    let checked = store.check_migrations(migrations).await;
    let program = &application.names.name;
    let missing = database.missing_file();
    let missing = missing.map_or_else(String::new, |file| format!("there is no database {file}: "));
    checked.map_err(|error| format!("{missing}{error}; apply pending migrations by `{program} migrate`"))?;
    database.require_file()
}
