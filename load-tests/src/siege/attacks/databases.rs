//! Databases that others lock or that hang.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;

use crate::database::Database;
use crate::failure::Failure;
use crate::latencies::Outcome;
use crate::siege::attack::Target;
use crate::siege::good_clients::Work;
use crate::siege::repeat::repeat;

/// Maximum time until the response that a frozen database is unavailable.
pub(super) const MAX_DETECTION: Duration = Duration::from_secs(1);
/// Maximum time until requests succeed after the repair.
const MAX_RECOVERY: Duration = Duration::from_secs(10);
/// Kinds of requests that are sent to a frozen database.
const PROBED: [Work; 3] = [Work::Get, Work::Write, Work::Login];
/// Pause between two of them.
const PROBE_INTERVAL: Duration = Duration::from_millis(100);
/// Number of the first one after the repair.
const FIRST_AFTERWARDS: u64 = 32;

/// Twelve clients read a locked table.
pub(super) async fn locked_table(target: &Target<'_>) -> Result<(), Failure> {
    let _lock = target.database.lock_comments().await?;
    repeat(12, |client, _| {
        let client = target.client.clone().at_address(client);
        async move {
            client.get("/api/v1/articles/1/comments").await.ok();
        }
    })
    .await
}

/// Freezes the database for a third of the time, and checks the responses meanwhile and afterwards.
pub(super) async fn frozen(target: &Target<'_>) -> Result<(), Failure> {
    let Database::Postgres(cluster) = target.database else {
        return Ok(());
    };
    tokio::time::sleep(target.time / 3).await;
    let frozen = cluster.freeze()?;
    try_join_all(PROBED.map(|work| stay_unavailable(target, work))).await?;
    drop(frozen);
    let begin = Instant::now();
    try_join_all(PROBED.map(|work| recover(target, work))).await?;
    eprintln!("back after {:?}", begin.elapsed());
    Ok(())
}

/// Sends requests of a kind to a frozen database, each of which must be refused in time.
async fn stay_unavailable(target: &Target<'_>, work: Work) -> Result<(), Failure> {
    let begin = Instant::now();
    let mut number = 0;
    while begin.elapsed() < target.time / 3 {
        let sent = Instant::now();
        let outcome = probe(target, work, number).await;
        let time = sent.elapsed();
        if outcome != Outcome::Unavailable || time > MAX_DETECTION {
            return Err(format!("{work:?}: {outcome:?} after {time:?} from a frozen database").into());
        }
        tokio::time::sleep(PROBE_INTERVAL).await;
        number += 1;
    }
    Ok(())
}

/// Repeats requests of a kind until one succeeds.
async fn recover(target: &Target<'_>, work: Work) -> Result<(), Failure> {
    let begin = Instant::now();
    let mut number = FIRST_AFTERWARDS;
    while probe(target, work, number).await != Outcome::Success {
        if begin.elapsed() > MAX_RECOVERY {
            return Err(format!("{work:?}: no recovery from a frozen database").into());
        }
        tokio::time::sleep(PROBE_INTERVAL).await;
        number += 1;
    }
    Ok(())
}

/// Sends a request as one of many users, since a failed login counts against its account.
async fn probe(target: &Target<'_>, work: Work, number: u64) -> Outcome {
    let client = target.client.clone().at_address(number);
    let client = match work {
        Work::Get | Work::Write => client.with_token(&target.seed.token),
        Work::List | Work::Login => client,
    };
    let user = format!("attacker{}", number % target.seed.attackers.len() as u64);
    work.request(&client, target.seed.articles, number, &user).await
}
