//! Templates of the pages: embedded, and each replaceable by its name.

use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, Value, value::Serde};
use serde::Serialize;

use crate::pages::escape::{push_exact, text};
use crate::pages::naming;

/// Templates by name.
const TEMPLATES: [(&str, &str); 13] = [
    ("layout.html", include_str!("templates/layout.html")),
    ("field.html", include_str!("templates/field.html")),
    ("overview.html", include_str!("templates/overview.html")),
    ("rows.html", include_str!("templates/rows.html")),
    ("list.html", include_str!("templates/list.html")),
    ("groups.html", include_str!("templates/groups.html")),
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
        let replaced_names: Vec<String> = replaced.iter().map(|(name, _)| name.clone()).collect();
        mistakes.extend(unknown_blocks(&replaced));
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
        for name in &replaced_names {
            mistakes.extend(unknown_part(&environment, name));
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

/// Mistake of a template that extends or includes a template, or applies a filter, that does not exist.
fn unknown_part(environment: &Environment<'_>, name: &str) -> Option<String> {
    let template = environment.get_template(name).ok()?;
    let error = template.render(()).err()?;
    // Other errors are those of rendering without values.
    let is_unknown = matches!(
        error.kind(),
        ErrorKind::TemplateNotFound
            | ErrorKind::UnknownFilter
            | ErrorKind::UnknownFunction
            | ErrorKind::UnknownMethod
            | ErrorKind::UnknownTest
    );
    is_unknown.then(|| mistake(name, &error))
}

/// Mistakes of templates that fill blocks which the template that they extend does not have.
fn unknown_blocks(replaced: &[(String, String)]) -> Vec<String> {
    let is_replaced = |name: &str| replaced.iter().any(|(known, _)| known == name);
    let own = TEMPLATES.iter().filter(|(name, _)| !is_replaced(name));
    let own = own.map(|(_, source)| *source);
    let sources = own.chain(replaced.iter().map(|(_, source)| source.as_str()));
    let extended = sources.filter(|source| !extends(source));
    let known: Vec<&str> = extended.flat_map(blocks).collect();
    let filled = replaced.iter().filter(|(_, source)| extends(source));
    let filled = filled.flat_map(|(name, source)| blocks(source).map(move |block| (name, block)));
    let unknown = filled.filter(|(_, block)| !known.contains(block));
    let mistake = |(name, block): (&String, &str)| {
        format!(
            "the template {name:?} of the pages fills the block `{block}`, which the template that it extends does not have; \
             there are {}",
            known.join(", ")
        )
    };
    unknown.map(mistake).collect()
}

fn extends(source: &str) -> bool {
    statements(source).any(|statement| statement.starts_with("extends "))
}

/// Names of a template's blocks.
fn blocks(source: &str) -> impl Iterator<Item = &str> {
    statements(source).filter_map(|statement| statement.strip_prefix("block ")?.split_whitespace().next())
}

/// Statements of a template, without their brackets.
fn statements(source: &str) -> impl Iterator<Item = &str> {
    let statements = source.split("{%").skip(1);
    let statements = statements.filter_map(|text| text.split_once("%}"));
    statements.map(|(statement, _)| statement.trim_matches(['-', '+']).trim())
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
