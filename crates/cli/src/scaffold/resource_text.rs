//! Text of the file of a resource: its model and its URLs.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use model_resource_schema::naming::plural;

use crate::scaffold::field::{FieldKind, FieldSpec};
use crate::scaffold::names::ModelName;

/// Returns the file of a resource, as rustfmt formats it.
pub(super) fn resource_text(name: &ModelName, fields: &[FieldSpec]) -> String {
    let ModelName {
        model,
        table,
        url,
        words,
        ..
    } = name;
    let mut text = format!(
        "//! {} at `/{url}`.\n\n{}\n",
        heading(words),
        imports(name, fields)
    );
    let article = if words.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "An"
    } else {
        "A"
    };
    let _ = write!(
        text,
        "/// {article} {words}.\n#[derive(Debug, Clone, Model)]\n#[model(table = \"{table}\")]\npub struct {model} {{\n"
    );
    text.push_str("    #[column(primary_key)]\n    pub id: i64,\n");
    for line in fields.iter().flat_map(|field| field.lines(name)) {
        let _ = writeln!(text, "    {line}");
    }
    let _ = write!(
        text,
        "    #[column(created)]
    pub created_at: Timestamp,
    #[column(updated)]
    pub updated_at: Timestamp,
}}

/// Operations on every {words}: list, create, get, put, patch and delete.
#[model_resource({model}, \"/{url}\", \"/{url}/<int:id>\")]
pub struct {model}Resource;
"
    );
    text
}

/// Returns the plural of a model's words, as the beginning of a sentence.
fn heading(words: &str) -> String {
    let plural = plural(words);
    let mut chars = plural.chars();
    let mut heading: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    heading.push_str(chars.as_str());
    heading
}

fn imports(name: &ModelName, fields: &[FieldSpec]) -> String {
    let mut types = BTreeSet::from(["Model", "Timestamp"]);
    let mut models: BTreeSet<String> = BTreeSet::new();
    for field in fields {
        match &field.kind {
            FieldKind::Value(ty) => types.extend(ty.import),
            FieldKind::Reference(other) if other == name => {}
            FieldKind::Reference(other) => {
                models.insert(format!(
                    "use crate::resources::{}::{};\n",
                    other.module, other.model
                ));
            }
        }
    }
    let types: Vec<&str> = types.into_iter().collect();
    let mut imports = format!("use model_resource::{{{}, model_resource}};\n", types.join(", "));
    if !models.is_empty() {
        imports.push('\n');
        imports.extend(models);
    }
    imports
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_plural_words() {
        assert_eq!(heading("invoice line"), "Invoice lines");
        assert_eq!(heading("category"), "Categories");
    }

    #[test]
    fn a_resource_is_a_model_and_its_urls() {
        let name = ModelName::parse("Book").expect("a name");
        let fields = ["title:string", "price:decimal?", "author:Author", "sequel:Book?"]
            .map(|field| field.parse().expect("a field"));
        assert_eq!(
            resource_text(&name, &fields),
            r#"//! Books at `/books`.

use model_resource::{Decimal, Model, Timestamp, model_resource};

use crate::resources::author::Author;

/// A book.
#[derive(Debug, Clone, Model)]
#[model(table = "books")]
pub struct Book {
    #[column(primary_key)]
    pub id: i64,
    #[column(min_length = 1, max_length = 200)]
    pub title: String,
    #[column(precision = 10, scale = 2)]
    pub price: Option<Decimal>,
    #[column(references = Author)]
    pub author_id: i64,
    #[column(references = Self)]
    pub sequel_id: Option<i64>,
    #[column(created)]
    pub created_at: Timestamp,
    #[column(updated)]
    pub updated_at: Timestamp,
}

/// Operations on every book: list, create, get, put, patch and delete.
#[model_resource(Book, "/books", "/books/<int:id>")]
pub struct BookResource;
"#
        );
    }
}
