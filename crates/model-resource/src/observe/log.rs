//! Log of the process.

use std::io::{self, IsTerminal, Stderr, Write};
use std::str::FromStr;

use tracing::{Level, Metadata};
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::observe::background_writer::{BackgroundGuard, BackgroundWriter};

const REMEDY: &str = "write `info`, or `warn,model_resource=debug`";

/// Log of the process on the standard error output, filtered by levels.
///
/// ```
/// use model_resource::{LogSettings, LogFormat};
///
/// # fn main() -> Result<(), String> {
/// let log = LogSettings::new("info,access=off")?.format(LogFormat::Json);
/// let _guard = log.start()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct LogSettings {
    levels: Targets,
    format: LogFormat,
}

/// Form of the lines of a [`LogSettings`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text with the fields at the end.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Guard of a [`LogSettings`]. Keep it until the process ends: dropping it writes the lines that still wait.
#[must_use = "the last lines are lost if it is dropped at once"]
#[derive(Debug)]
pub struct LogGuard(#[expect(dead_code, reason = "dropping it writes the last lines")] BackgroundGuard);

impl LogSettings {
    /// Creates a log with levels for all targets or for some, such as `warn,model_resource=debug`.
    ///
    /// # Errors
    /// If a level does not exist; the error has the remedy.
    pub fn new(levels: &str) -> Result<Self, String> {
        Ok(Self {
            levels: parse_levels(levels)?,
            format: LogFormat::default(),
        })
    }

    /// Sets the form of the lines; text by default.
    pub fn format(mut self, format: LogFormat) -> Self {
        self.format = format;
        self
    }

    /// Starts the log of this process. Lines of the target `access` are written by a thread of their own, so that no
    /// request waits for them, and are dropped if it cannot follow.
    ///
    /// # Errors
    /// If the process has a log already, or no thread can be started.
    pub fn start(self) -> Result<LogGuard, String> {
        let (access, guard) = BackgroundWriter::start("access-log", io::stderr())
            .map_err(|error| format!("cannot start the thread of the access log: {error}"))?;
        let writer = LogWriter { access };
        let lines = tracing_subscriber::fmt::layer()
            .with_ansi(io::stderr().is_terminal())
            .with_writer(writer);
        let registry = tracing_subscriber::registry();
        let started: Result<(), TryInitError> = match self.format {
            LogFormat::Text => {
                // The format is short, because the request's id is formatted for every request, even if nothing is
                // logged.
                let fields = debug_fn(|out, field, value| match field.name() {
                    "message" => write!(out, "{value:?}"),
                    name => write!(out, "{name}={value:?}"),
                });
                let lines = lines.fmt_fields(fields.delimited(" "));
                registry.with(lines).with(self.levels).try_init()
            }
            LogFormat::Json => {
                let lines = lines.json().flatten_event(true).with_span_list(false);
                registry.with(lines).with(self.levels).try_init()
            }
        };
        started.map_err(|error| error.to_string())?;
        Ok(LogGuard(guard))
    }
}

/// Parses levels for all modules or for some. Fails with the mistake and its remedy.
fn parse_levels(text: &str) -> Result<Targets, String> {
    // Otherwise a misspelt level would be parsed as a module name, and all other modules would stop logging.
    let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
    let is_misspelt = |part: &&str| !part.contains('=') && !is_level(part);
    if let Some(part) = text.split(',').map(str::trim).find(is_misspelt) {
        return Err(format!("`{part}` is no level: {REMEDY}"));
    }
    text.parse().map_err(|error| format!("{error}: {REMEDY}"))
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("`{text}` is no format: write `text` or `json`")),
        }
    }
}

/// Writes access lines through a thread, and all others at once.
struct LogWriter {
    access: BackgroundWriter,
}

/// Writer of one line.
enum LineWriter {
    Access(BackgroundWriter),
    Stderr(Stderr),
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        LineWriter::Stderr(io::stderr())
    }

    fn make_writer_for(&'a self, line: &Metadata<'_>) -> LineWriter {
        if line.target() == "access" && *line.level() == Level::INFO {
            LineWriter::Access(self.access.clone())
        } else {
            self.make_writer()
        }
    }
}

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Access(writer) => writer.write(bytes),
            Self::Stderr(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Access(writer) => writer.flush(),
            Self::Stderr(writer) => writer.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_for_all_modules_or_for_one() {
        let levels = parse_levels("warn,model_resource=debug").expect("these are levels");
        assert!(levels.would_enable("model_resource::api", &Level::DEBUG));
        assert!(!levels.would_enable("backend", &Level::INFO));
        assert_eq!(levels.default_level(), Some(LevelFilter::WARN));
    }

    #[test]
    fn a_misspelt_level_is_refused() {
        for text in ["debgu", "info,modle", "", "backend=lots"] {
            assert!(
                parse_levels(text).is_err_and(|mistake| mistake.contains("write `info`")),
                "{text}"
            );
        }
    }
}
