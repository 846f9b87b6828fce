//! Ctrl-C and SIGTERM end the run between two rounds, so that no server and no database is left over.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};

use crate::outcome::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Starts to listen for the signals.
pub(super) fn watch() -> Result<(), Failure> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        INTERRUPTED.store(true, Ordering::Relaxed);
    });
    Ok(())
}

/// Fails after one of the signals.
pub(super) fn check() -> Result<(), Failure> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        Err("interrupted".into())
    } else {
        Ok(())
    }
}
