//! Options of the log.

use clap::{Args, ValueEnum};
use model_resource::{LogFormat, LogGuard, LogSettings};

use crate::failure::Failure;

// Levels and form of the log. This is not a doc comment, which would replace the help of the program.
#[derive(Args)]
pub(crate) struct LogArgs {
    /// Levels of the log, such as `info`, `info,access=off` or `warn,model_resource=debug`
    #[arg(
        long,
        env = "LOG",
        value_name = "LEVELS",
        default_value = "info",
        global = true
    )]
    log: String,
    /// Form of the lines of the log
    #[arg(long, env = "LOG_FORMAT", value_enum, default_value_t = FormatArgument::Text, global = true)]
    log_format: FormatArgument,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArgument {
    /// Text with the fields at the end
    Text,
    /// One JSON object per line
    Json,
}

impl LogArgs {
    /// Starts the log on standard error.
    pub(crate) fn start(&self) -> Result<LogGuard, Failure> {
        let levels = if self.log.is_empty() { "info" } else { &self.log };
        let log = LogSettings::new(levels).map_err(|mistake| format!("log: {mistake}"))?;
        let format = match self.log_format {
            FormatArgument::Text => LogFormat::Text,
            FormatArgument::Json => LogFormat::Json,
        };
        Ok(log.format(format).start()?)
    }
}

/// Starts the log on standard error for a program without a command line, such as a benchmark, with the levels in an
/// environment variable: `start_log("LIBRARY_LOG")`.
///
/// # Errors
/// If the levels are invalid, or if the process has a log already.
pub fn start_log(variable: &str) -> Result<LogGuard, Failure> {
    let levels = std::env::var(variable).unwrap_or_default();
    let format = FormatArgument::Text;
    LogArgs {
        log: levels,
        log_format: format,
    }
    .start()
}
