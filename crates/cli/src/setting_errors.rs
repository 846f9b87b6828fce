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

/// Leaves the value of a secret out of an error about an argument.
pub(crate) fn without_secret(mut error: Error, command: &Command) -> Error {
    let mut command = command.clone();
    // Of the subcommands only the one that was called is built.
    command.build();
    let is_secret = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(shown)) => find(&command, shown).is_some_and(Arg::is_hide_env_values_set),
        _ => false,
    };
    if is_secret && error.get(ContextKind::InvalidValue).is_some() {
        error.insert(ContextKind::InvalidValue, ContextValue::String("..".to_owned()));
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
