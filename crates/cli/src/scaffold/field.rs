//! Fields of a resource as the command line names them: `title:string`, `isbn:string?:unique`, `author:Author`.

use std::str::FromStr;

use model_resource_schema::naming;

use crate::failure::Failure;
use crate::scaffold::field_type::FieldType;
use crate::scaffold::names::{ModelName, check_field};

/// Field of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldSpec {
    /// Name in Rust and in the database; with `_id` for a reference.
    pub(super) name: String,
    pub(super) kind: FieldKind,
    /// Whether the field can be null.
    pub(super) optional: bool,
    /// Whether two rows cannot have the same value.
    pub(super) unique: bool,
}

/// Type of a field, or the model that it references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldKind {
    Value(&'static FieldType),
    Reference(ModelName),
}

impl FromStr for FieldSpec {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let mut parts = text.split(':');
        let (name, ty) = (parts.next().unwrap_or_default(), parts.next());
        check_field(name)?;
        let Some(ty) = ty else {
            return Err(format!("the field {name:?} has no type: write `{name}:string`").into());
        };
        let (ty, optional) = match ty.strip_suffix('?') {
            Some(ty) => (ty, true),
            None => (ty, false),
        };
        let kind = kind(name, ty)?;
        let mut unique = false;
        for option in parts {
            match option {
                "unique" if !unique => unique = true,
                "unique" => return Err(format!("the field {name:?} is unique twice").into()),
                _ => {
                    return Err(format!(
                        "the option {option:?} of the field {name:?} is not known: there is only `unique`"
                    )
                    .into());
                }
            }
        }
        if unique && matches!(&kind, FieldKind::Value(ty) if ty.name == "json") {
            return Err(format!(
                "the field {name:?} cannot be unique: databases do not compare JSON documents"
            )
            .into());
        }
        let name = match kind {
            FieldKind::Reference(_) if !name.ends_with("_id") => format!("{name}_id"),
            _ => name.to_owned(),
        };
        Ok(Self {
            name,
            kind,
            optional,
            unique,
        })
    }
}

/// Parses the type of a field; one in CamelCase is the model that the field references.
fn kind(name: &str, ty: &str) -> Result<FieldKind, Failure> {
    if ty.starts_with(|char: char| char.is_ascii_uppercase()) {
        return Ok(FieldKind::Reference(ModelName::parse(ty)?));
    }
    let found = FieldType::find(ty).map(FieldKind::Value);
    found.ok_or_else(|| {
        let names = FieldType::names();
        format!("the type {ty:?} of the field {name:?} is not known: use {names}, or the name of a model")
            .into()
    })
}

impl FieldSpec {
    /// Lines of the field in the struct of its model, without indentation.
    pub(super) fn lines(&self, owner: &ModelName) -> Vec<String> {
        let mut options: Vec<String> = Vec::new();
        if self.unique {
            options.push("unique".to_owned());
        }
        let ty = match &self.kind {
            FieldKind::Value(ty) => {
                options.extend(ty.options.iter().map(ToString::to_string));
                ty.rust
            }
            FieldKind::Reference(model) => {
                let other = if model == owner { "Self" } else { &model.model };
                options.push(format!("references = {other}"));
                "i64"
            }
        };
        let mut lines = Vec::new();
        if !options.is_empty() {
            lines.push(format!("#[column({})]", options.join(", ")));
        }
        lines.push(if self.optional {
            format!("pub {}: Option<{ty}>,", self.name)
        } else {
            format!("pub {}: {ty},", self.name)
        });
        lines
    }

    /// Name of the field in JSON.
    pub(super) fn json_name(&self) -> String {
        naming::camel_case(&self.name)
    }

    /// Name of the field in messages.
    pub(super) fn label(&self) -> String {
        naming::label(&self.name)
    }

    /// Example in JSON. `None` for a reference, whose value is the key of another row.
    pub(super) fn example(&self) -> Option<&'static str> {
        match &self.kind {
            FieldKind::Value(ty) => Some(ty.example),
            FieldKind::Reference(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let book = ModelName::parse("Book").expect("a name");
        text.parse::<FieldSpec>().expect("a field").lines(&book)
    }

    fn message(text: &str) -> String {
        text.parse::<FieldSpec>().expect_err("no field").to_string()
    }

    #[test]
    fn a_field_is_a_column_with_its_options() {
        assert_eq!(
            lines("title:string"),
            [
                "#[column(min_length = 1, max_length = 200)]",
                "pub title: String,"
            ]
        );
        assert_eq!(lines("pages:int?"), ["pub pages: Option<i64>,"]);
        assert_eq!(lines("code:int:unique"), ["#[column(unique)]", "pub code: i64,"]);
        assert_eq!(
            lines("author:Author?"),
            ["#[column(references = Author)]", "pub author_id: Option<i64>,"]
        );
        let field: FieldSpec = "page_count2:int".parse().expect("a field");
        assert_eq!(field.json_name(), "pageCount2");
    }

    #[test]
    fn a_wrong_field_names_the_remedy() {
        assert_eq!(
            message("title"),
            "the field \"title\" has no type: write `title:string`"
        );
        assert!(message("title:varchar").contains("use string, text, email, int"));
        assert!(message("title:string:index").contains("there is only `unique`"));
        assert!(message("data:json:unique").contains("cannot be unique"));
        assert!(message("Title:string").contains("snake_case"));
    }
}
