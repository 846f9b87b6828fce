//! An attack and how it runs.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::client::Client;
use crate::database::{Database, DatabaseKind};
use crate::failure::Failure;
use crate::seed::Seed;
use crate::siege::good_clients::{Measurement, Work};

/// Target of an attack: the server, its database and its rows.
pub(crate) struct Target<'t> {
    pub(crate) client: Client,
    pub(crate) database: &'t Database,
    pub(crate) seed: &'t Seed,
    /// Time of the attack.
    pub(crate) time: Duration,
    /// Slow readers of long lists.
    pub(crate) slow_readers: u64,
    /// Size of the pages that nobody takes, in MiB.
    pub(crate) page: u64,
}

/// A future of an attack, which runs until it is dropped or ends.
pub(crate) type Running<'t> = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 't>>;

/// An attack.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) prevents: fn(DatabaseKind) -> Prevented,
    pub(crate) only_on: Option<DatabaseKind>,
    /// Creates what the attack needs, before anything is measured.
    pub(crate) prepare: for<'t> fn(&'t Target<'t>) -> Running<'t>,
    pub(crate) start: for<'t> fn(&'t Target<'t>) -> Running<'t>,
}

/// Work that an attack makes impossible, such as writes to a locked database. Each request must be answered by a 503 with
/// `Retry-After` in time, unless it succeeds.
#[derive(Clone, Copy)]
pub(crate) struct Prevented {
    pub(crate) works: &'static [Work],
    pub(crate) limit: Duration,
}

/// Interval at which memory is sampled.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(200);

/// Niceness of the attackers, who would have processors of their own elsewhere: the server and the well-behaved clients
/// go first.
const NICENESS: i32 = 10;

impl Attack {
    pub(crate) fn runs_on(&self, kind: DatabaseKind) -> bool {
        self.only_on.is_none_or(|only| only == kind)
    }

    /// Runs the attack during a measurement. Returns the measurement and the peak of the server's memory.
    pub(crate) fn run(
        &self,
        target: &Target<'_>,
        measurement: impl Future<Output = Measurement>,
        memory: impl Fn() -> Result<u64, Failure>,
    ) -> Result<(Measurement, u64), Failure> {
        let (stop, stopped) = oneshot::channel();
        std::thread::scope(|scope| {
            let attackers = scope.spawn(|| self.run_attackers(target, stopped));
            let measured = Handle::current().block_on(sample(measurement, memory));
            stop.send(()).ok();
            attackers.join().map_err(|_| "the attack panicked")??;
            measured
        })
    }

    /// Runs the attackers on the current thread until they are stopped, or the attack ends or fails.
    fn run_attackers(&self, target: &Target<'_>, stopped: oneshot::Receiver<()>) -> Result<(), Failure> {
        rustix::process::setpriority_process(None, NICENESS)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            tokio::select! {
                _ = stopped => Ok(()),
                ended = (self.start)(target) => ended,
            }
        })
    }
}

/// Samples the server's memory during a measurement, and returns its peak.
async fn sample(
    measurement: impl Future<Output = Measurement>,
    memory: impl Fn() -> Result<u64, Failure>,
) -> Result<(Measurement, u64), Failure> {
    let (mut measurement, mut peak) = (std::pin::pin!(measurement), 0);
    loop {
        tokio::select! {
            measured = &mut measurement => return Ok((measured, peak)),
            () = tokio::time::sleep(SAMPLE_INTERVAL) => peak = peak.max(memory()?),
        }
    }
}
