//! Messages about wrong settings, which name the place of a value and do not repeat secrets.

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};

/// Describes a mistake in the syntax of a file of settings by its position, without the line, which may hold a secret.
pub(crate) fn syntax_error(text: &str, error: &toml::de::Error) -> String {
    let reason = error.message();
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return reason.to_owned();
    };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: {reason}")
}

/// Names the place of a wrong value instead of its argument, if it comes from elsewhere, and leaves out secrets.
pub(crate) fn explained(
    mut error: Error,
    command: &Command,
    place: impl Fn(&Arg) -> Option<String>,
) -> Error {
    let mut command = command.clone();
    // Of the subcommands only the one that was called is built.
    command.build();
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(shown)) => find(&command, shown),
        _ => None,
    };
    let Some(argument) = argument.filter(|_| error.get(ContextKind::InvalidValue).is_some()) else {
        return error;
    };
    if argument.is_hide_env_values_set() {
        error.insert(ContextKind::InvalidValue, ContextValue::String("..".to_owned()));
    }
    if let Some(place) = place(argument) {
        error.insert(ContextKind::InvalidArg, ContextValue::String(place));
    }
    error
}

/// Finds an argument of a command or of its subcommands as errors show it, such as `--listen <LISTEN>`.
fn find<'c>(command: &'c Command, shown: &str) -> Option<&'c Arg> {
    let own = command
        .get_arguments()
        .find(|argument| argument.to_string() == shown);
    own.or_else(|| {
        let mut subcommands = command.get_subcommands();
        subcommands.find_map(|subcommand| find(subcommand, shown))
    })
}
