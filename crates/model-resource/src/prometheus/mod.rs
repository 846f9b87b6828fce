//! Exposition of the metrics of a process for Prometheus.

mod exporter;
mod process;

pub use exporter::{Metrics, MetricsInstalled};
