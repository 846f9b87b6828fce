//! Validation of URL patterns such as `/users/<int:id>`.

use syn::{Ident, LitStr};

use crate::diagnostics::Diagnostics;
use crate::suggest;

const CONVERTERS: &[&str] = &["any(..)", "float", "int", "path", "string", "uuid"];

/// Reports a mistake in the URL; every message names the remedy.
pub(crate) fn check(url: &LitStr, diagnostics: &mut Diagnostics) {
    if let Err(message) = validate(&url.value()) {
        diagnostics.add(url, message);
    }
}

fn validate(url: &str) -> Result<(), String> {
    if !url.starts_with('/') {
        return Err(format!("a URL starts with a slash: write \"/{url}\""));
    }
    if url.contains(['{', '}']) {
        return Err("write a parameter as `<id>` or `<int:id>`, not as `{id}`".to_owned());
    }
    if let Some(name) = url.split('/').find_map(|part| part.strip_prefix(':')) {
        return Err(format!(
            "write a parameter as `<{name}>` or `<int:{name}>`, not as `:{name}`"
        ));
    }
    let mut names = Vec::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('<') {
        check_closing(before)?;
        let (parameter, after) = after
            .split_once('>')
            .ok_or("this `<` is never closed: write a parameter as `<id>` or `<int:id>`")?;
        let name = check_parameter(parameter)?;
        if names.contains(&name) {
            return Err(format!(
                "the parameter `{name}` is used twice: give each parameter its own name"
            ));
        }
        names.push(name);
        rest = after;
    }
    check_closing(rest)
}

fn check_closing(text: &str) -> Result<(), String> {
    if text.contains('>') {
        Err("this `>` closes nothing: write a parameter as `<id>` or `<int:id>`".to_owned())
    } else {
        Ok(())
    }
}

/// Validates the text between `<` and `>` and returns the parameter's name.
fn check_parameter(parameter: &str) -> Result<&str, String> {
    let (converter, name) = match parameter.rsplit_once(':') {
        Some((converter, name)) => (Some(converter), name),
        None => (None, parameter),
    };
    if let Some(converter) = converter {
        check_converter(converter, name)?;
    }
    match syn::parse_str::<Ident>(name) {
        Ok(_) => Ok(name),
        Err(_) => Err(format!(
            "`{name}` is no name for a parameter: write an identifier, such as `id` in `<int:id>`"
        )),
    }
}

fn check_converter(converter: &str, parameter: &str) -> Result<(), String> {
    let (name, choices) = match converter.split_once('(') {
        Some((name, choices)) => (name, Some(choices)),
        None => (converter, None),
    };
    match (name, choices) {
        ("float" | "int" | "path" | "string" | "uuid", None) => Ok(()),
        ("float" | "int" | "path" | "string" | "uuid", Some(_)) => Err(format!(
            "the converter `{name}` takes no arguments: write `<{name}:id>`"
        )),
        ("any", Some(choices)) => match choices.strip_suffix(')') {
            Some(choices) if choices.split(',').all(|choice| !choice.trim().is_empty()) => Ok(()),
            _ => Err("list the texts that `any` takes: write `<any(draft,final):state>`".to_owned()),
        },
        ("any", None) => Err("list the texts that `any` takes: write `<any(draft,final):state>`".to_owned()),
        _ => {
            let unknown = suggest::unknown("converter", name, CONVERTERS);
            Err(format!(
                "{unknown}; write `<{parameter}>` for any text without a slash"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_urls_are_taken() {
        for url in [
            "/",
            "/users",
            "/users/<int:id>",
            "/a/<b>/<path:rest>",
            "/<any(a, b):x>.json",
            "/<uuid:id>",
        ] {
            assert_eq!(validate(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn a_complaint_names_the_remedy() {
        for (url, remedy) in [
            ("", "write \"/\""),
            ("users", "write \"/users\""),
            ("/users/{id}", "not as `{id}`"),
            ("/users/:id", "`<int:id>`"),
            ("/users/<int:id", "never closed"),
            ("/users/id>", "closes nothing"),
            ("/users/<itn:id>", "did you mean `int`?"),
            (
                "/users/<slug:name>",
                "float, int, path, string, uuid; write `<name>`",
            ),
            ("/users/<int:>", "such as `id`"),
            ("/users/<int:user-id>", "such as `id`"),
            ("/users/<int(2):id>", "takes no arguments"),
            ("/users/<any:id>", "`<any(draft,final):state>`"),
            ("/users/<any():id>", "`<any(draft,final):state>`"),
            ("/<id>/<id>", "is used twice"),
        ] {
            let message = validate(url).expect_err(url);
            assert!(message.contains(remedy), "{url}: {message}");
        }
    }
}
