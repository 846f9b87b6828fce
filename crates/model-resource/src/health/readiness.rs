//! Readiness: whether a process can answer requests now.

use std::sync::Arc;
use std::time::{Duration, Instant};

use model_resource_store::{FileFault, Migrations, Store, StoreResult};
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::timeout;

use crate::health::checks::{Check, Checks};
use crate::server_state::ServerState;

/// Maximum time until a readiness check is answered.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);
/// Time for which a result is used again, so that health checks cannot load the database.
const KEPT: Duration = Duration::from_secs(1);
/// Time after which a busy writer has failed. Every request is shorter.
const BUSY_LIMIT: Duration = Duration::from_secs(30);

/// Readiness of a process.
pub(super) struct Readiness {
    store: Option<Store>,
    migrations: Option<Migrations>,
    server: Option<ServerState>,
    last: Arc<Mutex<LastResult>>,
}

/// Last result of the checks.
#[derive(Default)]
struct LastResult {
    checks: Option<(Instant, Checks)>,
    /// Time since which writes are busy.
    busy_since: Option<Instant>,
}

impl Readiness {
    pub(super) fn new(
        store: Option<Store>,
        migrations: Option<Migrations>,
        server: Option<ServerState>,
    ) -> Self {
        Self {
            store,
            migrations,
            server,
            last: Arc::default(),
        }
    }

    /// Runs the checks, or repeats their last result if it is recent. Requests at the same time share one run.
    pub(super) async fn check(self: &Arc<Self>) -> Checks {
        if self.server.as_ref().is_some_and(ServerState::is_stopping) {
            return Checks::STOPPING;
        }
        let shared = async {
            let last = Arc::clone(&self.last).lock_owned().await;
            if let Some((time, checks)) = last.checks
                && time.elapsed() < KEPT
            {
                return Some(checks);
            }
            // A task of its own, because the request may end before, and the next one would begin again.
            tokio::spawn(Arc::clone(self).run(last)).await.ok()
        };
        let checks = timeout(CHECK_TIMEOUT, shared).await;
        checks.ok().flatten().unwrap_or(UNANSWERED)
    }

    /// Runs the checks and stores their result.
    async fn run(self: Arc<Self>, mut last: OwnedMutexGuard<LastResult>) -> Checks {
        let mut checks = match &self.store {
            Some(store) => self.check_store(store).await,
            None => Checks::PASSED,
        };
        last.busy_since = match checks.writes {
            Check::Busy => last.busy_since.or_else(|| Some(Instant::now())),
            Check::Ok | Check::Failed(_) | Check::Skipped => None,
        };
        if last.busy_since.is_some_and(|since| since.elapsed() > BUSY_LIMIT) {
            checks.writes = Check::Failed("the database keeps writes waiting");
        }
        log_change(last.checks.map(|(_, checks)| checks), checks);
        last.checks = Some((Instant::now(), checks));
        checks
    }

    async fn check_store(&self, store: &Store) -> Checks {
        let deadline = tokio::time::Instant::now() + CHECK_TIMEOUT - CHECK_TIMEOUT / 10;
        match tokio::time::timeout_at(deadline, store.ping()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(%error, "the database does not answer");
                return Checks::unread("the database does not answer");
            }
            Err(_) => return UNANSWERED,
        }
        let migrations = async {
            match &self.migrations {
                Some(migrations) => migration_check(store, migrations).await,
                None => Check::Ok,
            }
        };
        let migrations = tokio::time::timeout_at(deadline, migrations).await;
        let writes = tokio::time::timeout_at(deadline, store.check_writable()).await;
        Checks {
            writes: writes.map_or(Check::Busy, |outcome| write_check(store, &outcome)),
            migrations: migrations.unwrap_or(Check::Failed("the migrations could not be read in time")),
            ..Checks::PASSED
        }
    }
}

/// Result of checks that did not end in time.
const UNANSWERED: Checks = Checks::unread("the database does not answer in time");

fn write_check(store: &Store, outcome: &StoreResult<()>) -> Check {
    let Err(error) = outcome else {
        return Check::Ok;
    };
    tracing::debug!(%error, "the database accepts no writes");
    Check::Failed(match store.file_fault() {
        Some(FileFault::Replaced) => "the file was replaced or deleted",
        Some(FileFault::Damaged) => "the file is damaged",
        _ => "the database accepts no writes",
    })
}

async fn migration_check(store: &Store, migrations: &Migrations) -> Check {
    match store.migration_status(migrations).await {
        Ok(status) if status.is_current() => Check::Ok,
        Ok(status) if !status.pending.is_empty() => Check::Failed("migrations are pending"),
        Ok(_) => Check::Failed("the database has other migrations"),
        Err(error) => {
            tracing::debug!(%error, "cannot read the migrations");
            Check::Failed("the migrations cannot be read")
        }
    }
}

/// Logs when a process becomes ready or ceases to be. The first result is only logged if it is a failure.
fn log_change(before: Option<Checks>, now: Checks) {
    match (before.is_none_or(|before| before.is_ready()), now.is_ready()) {
        (true, false) => tracing::error!(checks = now.failures(), "not ready"),
        (false, true) => tracing::info!("ready again"),
        (true, true) | (false, false) => {}
    }
}
