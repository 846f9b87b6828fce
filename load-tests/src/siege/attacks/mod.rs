//! The attacks.

mod connections;
mod databases;
mod queries;
mod writes;

use std::time::Duration;

use crate::database::DatabaseKind;
use crate::siege::attack::{Attack, Prevented};
use crate::siege::good_clients::Work;

/// Time limit of a write on SQLite that waits for others.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time of a prevented request beyond the limit of the database: on its way, in queues, and for the hash of a password.
const MARGIN: Duration = Duration::from_secs(1);

/// Every attack.
pub(crate) const ALL: [Attack; 13] = [
    Attack {
        name: "49 filters through a relation",
        start: |target| Box::pin(queries::filters(target)),
        ..ATTACK
    },
    Attack {
        name: "80 searches within the budget",
        start: |target| Box::pin(queries::searches(target)),
        ..ATTACK
    },
    Attack {
        name: "a CSV header of 2 MB",
        start: |target| Box::pin(queries::csv_header(target)),
        ..ATTACK
    },
    Attack {
        name: "an export of all comments",
        start: |target| Box::pin(queries::export(target)),
        ..ATTACK
    },
    Attack {
        name: "pages that nobody takes",
        start: |target| Box::pin(connections::untaken_pages(target)),
        ..ATTACK
    },
    Attack {
        name: "60 large pages that nobody takes",
        prepare: |target| Box::pin(connections::create_large_page(target)),
        start: |target| Box::pin(connections::large_untaken_pages(target)),
        ..ATTACK
    },
    Attack {
        name: "slow readers of long lists",
        start: |target| Box::pin(connections::slow_readers(target)),
        ..ATTACK
    },
    Attack {
        name: "2,000 half-sent requests",
        start: |target| Box::pin(connections::half_sent(target)),
        ..ATTACK
    },
    Attack {
        name: "contrary bulk writes",
        start: |target| Box::pin(writes::contrary_bulk(target)),
        ..ATTACK
    },
    Attack {
        name: "an import of 100,000 rows",
        start: |target| Box::pin(writes::import(target)),
        ..ATTACK
    },
    Attack {
        name: "password changes",
        start: |target| Box::pin(writes::password_changes(target)),
        ..ATTACK
    },
    Attack {
        name: "a locked table",
        // SQLite has one lock for all writes, and a login stores a token.
        prevents: |kind| match kind {
            DatabaseKind::Sqlite => Prevented {
                works: &[Work::Write, Work::Login],
                limit: WRITE_TIMEOUT.saturating_add(MARGIN),
            },
            DatabaseKind::Postgres => NOTHING,
        },
        start: |target| Box::pin(databases::locked_table(target)),
        ..ATTACK
    },
    Attack {
        name: "a frozen database",
        prevents: |_| Prevented {
            works: &Work::ALL,
            limit: databases::MAX_DETECTION.saturating_add(MARGIN),
        },
        only_on: Some(DatabaseKind::Postgres),
        start: |target| Box::pin(databases::frozen(target)),
        ..ATTACK
    },
];

const NOTHING: Prevented = Prevented {
    works: &[],
    limit: Duration::ZERO,
};

const ATTACK: Attack = Attack {
    name: "",
    prevents: |_| NOTHING,
    only_on: None,
    prepare: |_| Box::pin(std::future::ready(Ok(()))),
    start: |_| Box::pin(std::future::ready(Ok(()))),
};
