//! Templates of the pages: embedded, and each replaceable by its name.

use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, Value, value::Serde};
use serde::Serialize;

use crate::pages::escape::{push_exact, text};
use crate::pages::naming;

/// Templates by name.
const TEMPLATES: [(&str, &str); 11] = [
    ("layout.html", include_str!("templates/layout.html")),
    ("field.html", include_str!("templates/field.html")),
    ("overview.html", include_str!("templates/overview.html")),
    ("list.html", include_str!("templates/list.html")),
    ("import.html", include_str!("templates/import.html")),
    ("object.html", include_str!("templates/object.html")),
    ("form.html", include_str!("templates/form.html")),
    ("delete.html", include_str!("templates/delete.html")),
    ("view.html", include_str!("templates/view.html")),
    ("json.html", include_str!("templates/json.html")),
    ("error.html", include_str!("templates/error.html")),
];

/// Compiled templates.
pub(crate) struct Templates(Environment<'static>);

impl Templates {
    /// Compiles the templates, with these in place of those of the same names.
    pub(crate) fn compile(replaced: Vec<(String, String)>) -> Result<Self, Vec<String>> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_formatter(write_escaped);
        environment.add_filter("shown", |value: &str| Value::from_safe_string(text(value)));
        environment.add_filter("words", |value: &str| naming::words(value));
        environment.add_filter("grouped", naming::grouped);
        let mut mistakes = Vec::new();
        for (name, source) in TEMPLATES {
            if let Err(error) = environment.add_template(name, source) {
                mistakes.push(mistake(name, &error));
            }
        }
        for (name, source) in replaced {
            if !TEMPLATES.iter().any(|(known, _)| *known == name) {
                let names: Vec<&str> = TEMPLATES.iter().map(|(name, _)| *name).collect();
                mistakes.push(format!(
                    "the pages have no template {name:?}; there are {}",
                    names.join(", ")
                ));
            } else if let Err(error) = environment.add_template_owned(name.clone(), source) {
                mistakes.push(mistake(&name, &error));
            }
        }
        if mistakes.is_empty() {
            Ok(Self(environment))
        } else {
            Err(mistakes)
        }
    }

    /// Renders a template.
    pub(crate) fn render(&self, name: &str, view: &impl Serialize) -> Result<String, Error> {
        self.0.get_template(name)?.render(Value::from(Serde(view)))
    }
}

fn mistake(name: &str, error: &Error) -> String {
    let line = error
        .line()
        .map(|line| format!(", line {line}"))
        .unwrap_or_default();
    format!("the template {name:?} of the pages is not valid: {error}{line}")
}

/// Writes a value so that it is safe in elements and in attributes with quotation marks.
fn write_escaped(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let written = match value.as_str() {
        _ if value.is_none() || value.is_undefined() => Ok(()),
        Some(text) if value.is_safe() => out.write_str(text),
        Some(text) => write_text(out, text),
        None => write_text(out, &value.to_string()),
    };
    written.map_err(|error| Error::new(ErrorKind::WriteFailure, "cannot write").with_source(error))
}

fn write_text(out: &mut Output<'_>, text: &str) -> std::fmt::Result {
    let mut escaped = String::with_capacity(text.len());
    push_exact(&mut escaped, text);
    out.write_str(&escaped)
}
