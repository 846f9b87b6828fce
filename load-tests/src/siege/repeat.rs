//! Clients of attacks.

use futures_util::future::join_all;

use crate::failure::Failure;

/// Repeats requests of several clients for ever. Errors are the attacker's own problem.
pub(crate) async fn repeat<F>(clients: u64, request: impl Fn(u64, u64) -> F) -> Result<(), Failure>
where
    F: Future<Output = ()>,
{
    let request = &request;
    let clients = (0..clients).map(|client| async move {
        for number in 0.. {
            request(client, number).await;
        }
    });
    join_all(clients).await;
    Ok(())
}
