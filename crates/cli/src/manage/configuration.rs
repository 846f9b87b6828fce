//! Settings from a file, the environment and the arguments.
//!
//! Every option with an environment variable `PREFIX_NAME` is a setting. In the file its name is `name`, and the value
//! becomes the default of the option, so that the environment and the arguments come first.

use std::io;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, Error};
use toml::{Table, Value};

use crate::failure::Failure;
use crate::manage::database;
use crate::manage::output::print;
use crate::manage::program::ProgramNames;
use crate::manage::setting_errors::{explained, syntax_error};

/// Settings of the file.
pub(crate) struct Configuration<'a> {
    names: &'a ProgramNames,
    file: Option<PathBuf>,
    values: Vec<(String, Vec<String>)>,
}

impl<'a> Configuration<'a> {
    /// Reads the file that the arguments or the environment name, and rejects unknown settings in it and in the
    /// environment.
    pub(crate) fn read(
        names: &'a ProgramNames,
        command: &Command,
        arguments: &[String],
    ) -> Result<Self, Failure> {
        let known = settings(names, command);
        check_environment(&names.prefix, &known)?;
        let Some(file) = file(names, arguments) else {
            return Ok(Self {
                names,
                file: None,
                values: Vec::new(),
            });
        };
        let name = file.display();
        let text = std::fs::read_to_string(&file).map_err(|error| format!("cannot read {name}: {error}"))?;
        let table: Result<Table, _> = text.parse();
        let table = table.map_err(|error| format!("{name}: {}", syntax_error(&text, &error)))?;
        let mut values = Vec::new();
        for (key, value) in table {
            if !known.contains(&key) || key == "config" {
                return Err(format!("{name}: {}", unknown(&key, &known, str::to_owned)).into());
            }
            let texts = texts(value).ok_or_else(|| {
                format!("{name}: `{key}` is neither a text, a number, a boolean nor a list of them")
            })?;
            values.push((key, texts));
        }
        Ok(Self {
            names,
            file: Some(file),
            values,
        })
    }

    /// Makes the values of the file the defaults of a command and its subcommands.
    pub(crate) fn apply(&self, command: Command) -> Command {
        let command = command.mut_args(|argument| match self.value(&argument) {
            Some(values) => {
                let is_secret = argument.is_hide_env_values_set();
                argument
                    .default_values(values.to_vec())
                    .hide_default_value(is_secret)
            }
            None => argument,
        });
        command.mut_subcommands(|subcommand| self.apply(subcommand))
    }

    fn value(&self, argument: &Arg) -> Option<&[String]> {
        let key = setting(self.names, argument)?;
        let (_, values) = self.values.iter().find(|(name, _)| *name == key)?;
        Some(values)
    }

    /// Names the place of a wrong value in an error about the arguments, and leaves out secrets.
    pub(crate) fn explained(&self, error: Error, command: &Command, arguments: &[String]) -> Error {
        explained(error, command, |argument| self.place(argument, arguments))
    }

    /// Returns the variable or the name in the file that a value comes from, unless it is an argument of the program.
    fn place(&self, argument: &Arg, arguments: &[String]) -> Option<String> {
        let key = setting(self.names, argument)?;
        let option = format!("--{}", argument.get_long()?);
        let is_given = |given: &String| given.split('=').next() == Some(option.as_str());
        if arguments.iter().any(is_given) {
            return None;
        }
        let variable = argument.get_env()?;
        if std::env::var_os(variable).is_some() {
            return Some(variable.to_string_lossy().into_owned());
        }
        self.value(argument)
            .map(|_| format!("{key}, in {}", self.shown_file()))
    }

    /// Prints every setting of a command, with the place that it comes from.
    pub(crate) fn print(&self, command: &Command, matches: &ArgMatches) -> io::Result<()> {
        let mut lines = String::new();
        for argument in command.get_arguments() {
            let (Some(key), Some(variable)) = (setting(self.names, argument), argument.get_env()) else {
                continue;
            };
            let id = argument.get_id().as_str();
            let source = match matches.value_source(id) {
                Some(ValueSource::CommandLine) => "argument".to_owned(),
                Some(ValueSource::EnvVariable) => variable.to_string_lossy().into_owned(),
                _ if self.value(argument).is_some() => self.shown_file(),
                _ => "default".to_owned(),
            };
            let values = matches.get_raw(id).into_iter().flatten();
            let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
            let value = match &values[..] {
                [] => format!("# {key} is not set{}", default_in_words(argument)),
                values => format!("{key} = {}  # {source}", quoted(&key, &values.join(","))),
            };
            lines.push_str(&value);
            lines.push('\n');
        }
        print(&lines)
    }

    fn shown_file(&self) -> String {
        let file = self.file.as_deref().unwrap_or(Path::new(&self.names.file));
        file.display().to_string()
    }
}

/// Returns what applies without a value, which is the end of the help of such a setting.
fn default_in_words(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let end = help.rsplit("; ").next().filter(|end| end.contains("by default"));
    end.map_or_else(String::new, |end| format!(": {end}"))
}

/// Quotes a value as TOML. Secrets and the password of a database are left out.
fn quoted(key: &str, value: &str) -> Value {
    Value::String(match key {
        "database" => database::shown(value),
        "cursor_secret" => "..".to_owned(),
        _ => value.to_owned(),
    })
}

/// Returns the file to read: that of `--config`, of the environment, or the default one if it exists.
fn file(names: &ProgramNames, arguments: &[String]) -> Option<PathBuf> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--config" {
            return rest.next().map(PathBuf::from);
        }
        if let Some(file) = argument.strip_prefix("--config=") {
            return Some(file.into());
        }
    }
    let named = std::env::var_os(format!("{}CONFIG", names.prefix)).map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(&names.file)).filter(|file| file.exists()))
}

/// Returns the names of all settings of a command and its subcommands.
fn settings(names: &ProgramNames, command: &Command) -> Vec<String> {
    let arguments = command.get_arguments();
    let mut keys: Vec<String> = arguments
        .filter_map(|argument| setting(names, argument))
        .collect();
    let subcommands = command.get_subcommands();
    keys.extend(subcommands.flat_map(|subcommand| settings(names, subcommand)));
    keys.sort();
    keys.dedup();
    keys
}

/// Returns the name of an option that is a setting.
pub(crate) fn setting(names: &ProgramNames, argument: &Arg) -> Option<String> {
    let variable = argument.get_env()?.to_str()?;
    let key = variable.strip_prefix(names.prefix.as_str())?;
    Some(key.to_ascii_lowercase())
}

/// Rejects environment variables with the prefix that are no settings.
fn check_environment(prefix: &str, known: &[String]) -> Result<(), Failure> {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        Some((name.into_string().ok()?, value.into_string().unwrap_or_default()))
    });
    for (name, value) in variables {
        let Some(key) = name
            .strip_prefix(prefix)
            .filter(|key| !is_service_link(key, &value))
        else {
            continue;
        };
        if !known.contains(&key.to_ascii_lowercase()) || key != key.to_ascii_uppercase() {
            let variable = |name: &str| format!("{prefix}{}", name.to_ascii_uppercase());
            let message = unknown(&key.to_ascii_lowercase(), known, variable);
            return Err(format!("environment: {message}").into());
        }
    }
    Ok(())
}

/// Whether Kubernetes or Docker has set a variable, without its prefix, for a service whose name is that of the program:
/// `SERVICE_HOST`, `SERVICE_PORT_HTTP`, `PORT` with the address `tcp://..`, `PORT_8000_TCP_ADDR`.
fn is_service_link(key: &str, value: &str) -> bool {
    let is_address = value.starts_with("tcp://") || value.starts_with("udp://");
    let has_port_number = key
        .split_once("PORT_")
        .is_some_and(|(_, rest)| rest.starts_with(|char: char| char.is_ascii_digit()));
    key.ends_with("SERVICE_HOST")
        || key.contains("SERVICE_PORT")
        || has_port_number
        || (key.ends_with("PORT") && is_address)
}

/// Describes an unknown setting, with the most similar one.
fn unknown(key: &str, known: &[String], shown: impl Fn(&str) -> String) -> String {
    let similarity = |name: &String| strsim::jaro_winkler(key, name);
    let similar = known
        .iter()
        .max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    let remedy = similar.map(|name| format!(": did you mean `{}`?", shown(name)));
    format!(
        "there is no setting `{}`{}",
        shown(key),
        remedy.unwrap_or_default()
    )
}

/// Returns a value as the texts that an option would have.
fn texts(value: Value) -> Option<Vec<String>> {
    match value {
        Value::Array(values) => {
            let values: Option<Vec<_>> = values.into_iter().map(texts).collect();
            Some(values?.into_iter().flatten().collect())
        }
        Value::String(text) => Some(vec![text]),
        Value::Integer(number) => Some(vec![number.to_string()]),
        Value::Float(number) => Some(vec![number.to_string()]),
        Value::Boolean(flag) => Some(vec![flag.to_string()]),
        Value::Datetime(_) | Value::Table(_) => None,
    }
}
