//! Names of applications, models and fields, in the forms that files need.

use model_resource_schema::naming::{plural, snake_case};

use crate::failure::Failure;

/// Words that no identifier of Rust may be.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Names of packages that cargo refuses, or that the generated files use themselves.
const RESERVED_PACKAGES: &[&str] = &[
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "model-resource",
    "model_resource",
    "proc_macro",
    "proc-macro",
    "std",
    "test",
    "tokio",
];

/// Names of models that would hide a type which the generated files use.
const RESERVED_MODELS: &[&str] = &[
    "Api",
    "Bool",
    "Box",
    "Date",
    "Decimal",
    "Err",
    "Json",
    "Model",
    "None",
    "Ok",
    "Option",
    "Result",
    "Self",
    "Some",
    "String",
    "Time",
    "Timestamp",
    "Uuid",
    "Value",
    "Vec",
];

/// Checks the name of an application, which is that of its package.
pub(super) fn check_package(name: &str) -> Result<(), Failure> {
    let starts_with_letter = name.starts_with(|char: char| char.is_ascii_lowercase());
    let is_valid = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "-_".contains(char);
    if !starts_with_letter || !name.chars().all(is_valid) {
        return Err(format!(
            "{name:?} is no name of an application: use lower-case letters, digits and `-`, as in `my-library`"
        )
        .into());
    }
    let is_reserved = RESERVED_PACKAGES.contains(&name) || KEYWORDS.contains(&name);
    if is_reserved {
        return Err(
            format!("{name:?} has another meaning in Rust: choose another name, as in `my-{name}`").into(),
        );
    }
    Ok(())
}

/// Name of a model, in all its forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelName {
    /// `BookCopy`
    pub(super) model: String,
    /// `book_copy`, the module
    pub(super) module: String,
    /// `book_copies`, the table
    pub(super) table: String,
    /// `book-copies`, the URL
    pub(super) url: String,
    /// `book copy`, in sentences
    pub(super) words: String,
}

impl ModelName {
    /// Parses the name of a model in CamelCase.
    pub(super) fn parse(name: &str) -> Result<Self, Failure> {
        let starts_upper = name.starts_with(|char: char| char.is_ascii_uppercase());
        if !starts_upper || !name.chars().all(|char| char.is_ascii_alphanumeric()) {
            return Err(
                format!("{name:?} is no name of a model: write it in CamelCase, as in `BookCopy`").into(),
            );
        }
        let module = snake_case(name);
        if RESERVED_MODELS.contains(&name) || is_keyword(&module) || module == "mod" {
            return Err(
                format!("{name:?} has another meaning in the generated files: choose another name").into(),
            );
        }
        let table = plural(&module);
        Ok(Self {
            model: name.to_owned(),
            url: table.replace('_', "-"),
            words: module.replace('_', " "),
            table,
            module,
        })
    }
}

/// Checks the name of a field.
pub(super) fn check_field(name: &str) -> Result<(), Failure> {
    let starts_with_letter = name.starts_with(|char: char| char.is_ascii_lowercase());
    let is_valid = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
    if !starts_with_letter || !name.chars().all(is_valid) || name.contains("__") || name.ends_with('_') {
        return Err(
            format!("{name:?} is no name of a field: write it in snake_case, as in `page_count`").into(),
        );
    }
    if is_keyword(name) {
        return Err(format!("{name:?} is a keyword of Rust: choose another name of the field").into());
    }
    if ["id", "created_at", "updated_at"].contains(&name) {
        return Err(format!("every resource has the field {name:?} already").into());
    }
    Ok(())
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_name_has_all_its_forms() {
        let name = ModelName::parse("BookCopy").expect("a name");
        assert_eq!(
            [name.module, name.table, name.url, name.words],
            ["book_copy", "book_copies", "book-copies", "book copy"]
        );
    }

    #[test]
    fn names_that_would_not_compile_are_refused() {
        for name in [
            "",
            "book",
            "Book-Copy",
            "Böok",
            "Option",
            "Type",
            "String",
            "1Book",
            "Book Copy",
        ] {
            assert!(ModelName::parse(name).is_err(), "{name:?}");
        }
        for name in [
            "",
            "Title",
            "page-count",
            "type",
            "1st",
            "a__b",
            "a_",
            "id",
            "created_at",
            "tïtle",
        ] {
            assert!(check_field(name).is_err(), "{name:?}");
        }
        for name in [
            "",
            "Library",
            "my library",
            "1library",
            "../library",
            "test",
            "core",
            "async",
            "tokio",
        ] {
            assert!(check_package(name).is_err(), "{name:?}");
        }
        assert!(check_package("my-library").is_ok());
        assert!(check_field("page_count2").is_ok());
    }
}
