//! Exposition of the metrics of a process for Prometheus.

mod exporter;
mod process;
mod store;

pub use exporter::{Metrics, MetricsInstalled};
