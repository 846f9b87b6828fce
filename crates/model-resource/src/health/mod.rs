//! Health checks of a process: liveness and readiness.

mod checks;
mod readiness;
mod settings;

pub use settings::Health;
