//! Databases that others lock or that hang.

use std::time::{Duration, Instant};

use crate::database::Database;
use crate::failure::Failure;
use crate::siege::attack::Target;
use crate::siege::repeat::repeat;

/// Maximum time until the first response that the service is unavailable.
const MAX_DETECTION: Duration = Duration::from_secs(1);
/// Maximum time until requests succeed after the repair.
const MAX_RECOVERY: Duration = Duration::from_secs(10);

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
    let begin = Instant::now();
    while begin.elapsed() < target.time / 3 {
        let sent = Instant::now();
        let (status, _) = target.client.get("/api/v1/articles/1").await?;
        if status != 503 || sent.elapsed() > MAX_DETECTION {
            return Err(format!("{status} after {:?} from a frozen database", sent.elapsed()).into());
        }
    }
    drop(frozen);
    let begin = Instant::now();
    while target.client.get("/api/v1/articles/1").await?.0 != 200 {
        if begin.elapsed() > MAX_RECOVERY {
            return Err("no recovery from a frozen database".into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    eprintln!("back after {:?}", begin.elapsed());
    Ok(())
}
