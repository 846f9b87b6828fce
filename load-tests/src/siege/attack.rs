//! An attack and how it runs.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::time::Instant;

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
}

/// A future of an attack, which runs until it is dropped or ends.
pub(crate) type Running<'t> = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 't>>;

/// An attack.
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// Work that the attack makes impossible, such as writes to a locked database, which must only fail in time.
    pub(crate) prevents: fn(DatabaseKind) -> &'static [Work],
    pub(crate) only_on: Option<DatabaseKind>,
    pub(crate) start: for<'t> fn(&'t Target<'t>) -> Running<'t>,
}

/// Interval at which memory is sampled.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(200);

impl Attack {
    pub(crate) fn runs_on(&self, kind: DatabaseKind) -> bool {
        self.only_on.is_none_or(|only| only == kind)
    }

    /// Runs the attack during a measurement. Returns the measurement and the peak of the server's memory.
    pub(crate) async fn run(
        &self,
        target: &Target<'_>,
        measurement: impl Future<Output = Measurement>,
        memory: impl Fn() -> Result<u64, Failure>,
    ) -> Result<(Measurement, u64), Failure> {
        let mut attack = (self.start)(target);
        let mut measurement = std::pin::pin!(measurement);
        let (mut is_over, mut peak) = (false, 0);
        loop {
            let sample = Instant::now() + SAMPLE_INTERVAL;
            tokio::select! {
                measured = &mut measurement => return Ok((measured, peak)),
                ended = &mut attack, if !is_over => {
                    ended?;
                    is_over = true;
                }
                () = tokio::time::sleep_until(sample) => peak = peak.max(memory()?),
            }
        }
    }
}
