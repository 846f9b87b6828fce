//! Registration of a resource in `src/resources/mod.rs`.

use crate::failure::Failure;
use crate::scaffold::names::ModelName;

/// File that registers the resources of an application.
pub(super) const REGISTRY: &str = "src/resources/mod.rs";

/// Adds a resource to the text of [`REGISTRY`]. Fails if the file does not have the expected form, with the lines to add
/// by hand.
pub(super) fn registered(text: &str, name: &ModelName) -> Result<String, Failure> {
    let module = format!("mod {};", name.module);
    let call = format!(".model_resource::<{}::{}Resource>()", name.module, name.model);
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.iter().any(|line| line.trim_start_matches("pub ") == module) {
        return Err(format!("{REGISTRY} has `{module}` already").into());
    }
    let by_hand = || {
        format!(
            "{REGISTRY} has no function `register` that ends with a call: add `{module}` and `{call}` to the application by hand"
        )
    };
    let end = end_of_register(&lines).ok_or_else(by_hand)?;
    let indented = format!("        {call}");
    lines.insert(end, &indented);
    lines.insert(module_line(&lines, &module), &module);
    Ok(lines.join("\n") + "\n")
}

/// Returns the line of the brace that ends `register`, whose last expression is a chain of calls.
fn end_of_register(lines: &[&str]) -> Option<usize> {
    let start = lines.iter().position(|line| line.contains("fn register("))?;
    let end = start + lines[start..].iter().position(|line| *line == "}")?;
    let last = lines[start + 1..end]
        .iter()
        .rfind(|line| !line.trim().is_empty())?;
    let is_call = last.ends_with(')') || last.trim() == "api";
    is_call.then_some(end)
}

/// Returns the line of a new module: among the others in alphabetical order, or below the comment of the file.
fn module_line(lines: &[&str], module: &str) -> usize {
    let is_module = |line: &str| line.starts_with("mod ") && line.ends_with(';');
    let after = |line: &&str| is_module(line) && *line > module;
    let first_after = lines.iter().position(after);
    let last = lines
        .iter()
        .rposition(|line| is_module(line))
        .map(|line| line + 1);
    let below_comment = || {
        lines
            .iter()
            .take_while(|line| line.starts_with("//!") || line.is_empty())
            .count()
    };
    first_after.or(last).unwrap_or_else(below_comment)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//! Resources of the application.

mod author;
mod note;

use model_resource::Api;

/// Registers every resource.
pub(crate) fn register(api: Api) -> Api {
    api.model_resource::<note::NoteResource>()
}
";

    #[test]
    fn a_resource_gets_a_module_and_a_call() {
        let name = ModelName::parse("Book").expect("a name");
        let text = registered(TEXT, &name).expect("the usual form");
        assert_eq!(
            text,
            TEXT.replace("mod note;", "mod book;\nmod note;").replace(
                "NoteResource>()\n",
                "NoteResource>()\n        .model_resource::<book::BookResource>()\n"
            )
        );
        let again = registered(&text, &name).expect_err("it is there").to_string();
        assert_eq!(again, "src/resources/mod.rs has `mod book;` already");
    }

    #[test]
    fn another_form_is_left_as_it_is_with_the_lines_to_add() {
        let name = ModelName::parse("Book").expect("a name");
        for text in [
            "",
            "fn register(api: Api) -> Api {\n    let api = api.docs();\n    return api;\n}\n",
        ] {
            let message = registered(text, &name).expect_err("another form").to_string();
            assert!(message.ends_with(
                "add `mod book;` and `.model_resource::<book::BookResource>()` to the application by hand"
            ));
        }
    }
}
