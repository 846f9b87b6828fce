//! The levels of the log, as `BACKEND_LOG` names them.

use tracing_subscriber::filter::{LevelFilter, Targets};

const REMEDY: &str = "write `info`, or `warn,model_resource=debug`";

/// Reads levels, of all modules or of some. Fails with what is wrong and the remedy.
pub fn levels(text: &str) -> Result<Targets, String> {
    // Else a misspelt level would be the name of a module, and all others would fall silent.
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
