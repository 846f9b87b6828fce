//! Metrics of the process.

use std::time::{SystemTime, UNIX_EPOCH};

use metrics::gauge;

/// Bytes of a page of memory where `/proc` counts them, which is constant on the platforms that have it.
const PAGE: f64 = 4096.0;

/// Sets the time of the start, which is the time of this call.
pub(super) fn set_start_time() {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    gauge!("process_start_time_seconds").set(since_epoch.unwrap_or_default().as_secs_f64());
}

/// Updates the memory and the open files of this process. Elsewhere than on Linux they are absent.
pub(super) fn update() {
    if let Some(pages) = resident_pages() {
        gauge!("process_resident_memory_bytes").set(pages * PAGE);
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        gauge!("process_open_fds").set(files.count() as f64);
    }
}

fn resident_pages() -> Option<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    statm.split_whitespace().nth(1)?.parse().ok()
}
