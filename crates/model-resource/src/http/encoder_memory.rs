//! Memory of the encoders that compress responses.

use std::sync::atomic::Ordering;

use crate::http::memory::{MemoryBudget, Reservation};

/// Memory of an encoder, free again when dropped.
pub(super) struct EncoderMemory {
    budget: Option<MemoryBudget>,
    reservation: Reservation,
}

impl EncoderMemory {
    /// Reserves memory of the current server for an encoder. All encoders together may use a quarter of it, because slow
    /// clients keep theirs, and a response need not be compressed.
    pub(super) fn reserve(bytes: usize) -> Option<Self> {
        let budget = MemoryBudget::current();
        let mut reservation = Reservation::of(budget.clone());
        if !reservation.grow(bytes) {
            return None;
        }
        if let Some(budget) = &budget {
            let add = |used: usize| {
                let sum = used + bytes;
                (sum <= budget.total() / 4).then_some(sum)
            };
            let encoders = budget.encoders();
            encoders
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
                .ok()?;
        }
        Some(Self { budget, reservation })
    }
}

impl Drop for EncoderMemory {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            let bytes = self.reservation.bytes();
            budget.encoders().fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::http::{BackgroundTasks, with_connection};

    #[tokio::test]
    async fn encoders_use_at_most_a_quarter_of_the_memory() {
        let budget = MemoryBudget::new(16 * 1024 * 1024);
        let reserve = || async { EncoderMemory::reserve(1024 * 1024) };
        let connection = with_connection(
            IpAddr::V4(Ipv4Addr::LOCALHOST),
            budget.clone(),
            BackgroundTasks::default(),
            async {
                let mut all: Vec<_> = Vec::new();
                for _ in 0..4 {
                    all.push(reserve().await.expect("there is memory for four"));
                }
                assert!(reserve().await.is_none());
                assert_eq!(budget.used(), 4 * 1024 * 1024);
                all.pop();
                assert!(reserve().await.is_some());
            },
        );
        connection.await;
        assert_eq!(budget.used(), 0);
    }
}
