//! The program with all its commands.

use model_resource::LogGuard;
use model_resource_cli::{Failure, Manage, start_log as start_log_by};

use crate::app;
use crate::audit::audit;
use crate::command::seed;

/// Returns the command line of the application.
pub fn manage() -> Manage {
    app::manage().seed(seed::seed).audit(audit())
}

/// Starts the log with the levels in `BACKEND_LOG`, for programs without a command line.
pub fn start_log() -> Result<LogGuard, Failure> {
    start_log_by("BACKEND_LOG")
}
