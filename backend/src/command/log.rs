//! The log, configured by `BACKEND_LOG`.

use std::io::IsTerminal;

use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const REMEDY: &str = "write `info`, or `warn,model_resource=debug`";

/// Starts logging to standard error with the levels in `BACKEND_LOG`. Fails with the mistake and its remedy.
pub fn start_log() -> Result<(), String> {
    let asked = std::env::var("BACKEND_LOG").ok();
    let asked = asked.as_deref().filter(|levels| !levels.is_empty());
    let filter = levels(asked.unwrap_or("info")).map_err(|mistake| format!("BACKEND_LOG: {mistake}"))?;
    // The format is short, because the request's id is formatted for every request, even if nothing is logged.
    let fields = debug_fn(|out, field, value| match field.name() {
        "message" => write!(out, "{value:?}"),
        name => write!(out, "{name}={value:?}"),
    });
    let lines = tracing_subscriber::fmt::layer()
        .fmt_fields(fields.delimited(" "))
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(filter).init();
    Ok(())
}

/// Parses levels for all modules or for some. Fails with the mistake and its remedy.
fn levels(text: &str) -> Result<Targets, String> {
    // Otherwise a misspelt level would be parsed as a module name, and all other modules would stop logging.
    let is_level = |part: &str| !part.is_empty() && part.parse::<LevelFilter>().is_ok();
    let is_misspelt = |part: &&str| !part.contains('=') && !is_level(part);
    if let Some(part) = text.split(',').map(str::trim).find(is_misspelt) {
        return Err(format!("`{part}` is no level: {REMEDY}"));
    }
    text.parse().map_err(|error| format!("{error}: {REMEDY}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_for_all_modules_or_for_one() {
        let levels = levels("warn,model_resource=debug").expect("these are levels");
        assert!(levels.would_enable("model_resource::api", &tracing::Level::DEBUG));
        assert!(!levels.would_enable("backend", &tracing::Level::INFO));
        assert_eq!(levels.default_level(), Some(LevelFilter::WARN));
    }

    #[test]
    fn a_misspelt_level_is_refused() {
        for text in ["debgu", "info,modle", "", "backend=lots"] {
            assert!(
                levels(text).is_err_and(|mistake| mistake.contains("write `info`")),
                "{text}"
            );
        }
    }
}
