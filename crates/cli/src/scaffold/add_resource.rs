//! `model-resource add resource`: adds a model with its resource and a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use clap::Args;

use crate::failure::Failure;
use crate::scaffold::edit::{REGISTRY, registered};
use crate::scaffold::field::{FieldKind, FieldSpec};
use crate::scaffold::field_type::TYPES;
use crate::scaffold::files::PlannedFiles;
use crate::scaffold::names::ModelName;
use crate::scaffold::resource_text::resource_text;
use crate::scaffold::test_text::test_text;

/// Adds a model with its resource and a test
#[derive(Args)]
#[command(after_help = after_help())]
pub(super) struct AddResource {
    /// Name of the model, such as `Book`
    name: String,
    /// Fields, such as `title:string`, `isbn:string:unique`, `pages:int?` and `author:Author`
    #[arg(value_name = "NAME:TYPE[?][:unique]")]
    fields: Vec<String>,
}

fn after_help() -> String {
    let types = TYPES.map(|ty| format!("  {:<9} {}", ty.name, ty.meaning));
    format!(
        "Types:\n{}\n  {:<9} reference to a row of the model Author, in the column author_id\n\n\
         A question mark after the type makes a field optional. Every resource has the fields id, createdAt and updatedAt.",
        types.join("\n"),
        "Author"
    )
}

impl AddResource {
    pub(super) fn run(self, folder: &Path) -> Result<String, Failure> {
        let name = ModelName::parse(&self.name)?;
        let fields = parsed(&self.fields)?;
        let registry = folder.join(REGISTRY);
        let text = fs::read_to_string(&registry).map_err(|error| {
            format!(
                "{} cannot be read ({error}): run this command in an application that `model-resource new` wrote",
                registry.display()
            )
        })?;
        check_references(folder, &name, &fields)?;
        let mut files = PlannedFiles::below(folder);
        plan(&mut files, &package(folder)?, &name, &fields);
        files.change(REGISTRY, registered(&text, &name)?);
        let report = files.write()?;
        Ok(format!(
            "{report}\nNext, write the migration and run the tests:\n  cargo run -- make-migration add_{}\n  cargo test\n",
            name.table
        ))
    }
}

/// Adds the files of a resource and its test.
pub(super) fn plan(files: &mut PlannedFiles, package: &str, name: &ModelName, fields: &[FieldSpec]) {
    files.add(
        format!("src/resources/{}.rs", name.module),
        resource_text(name, fields),
    );
    files.add(
        format!("tests/{}.rs", name.table),
        test_text(package, name, fields),
    );
}

/// Parses the fields. A name may occur once.
pub(super) fn parsed(fields: &[impl AsRef<str>]) -> Result<Vec<FieldSpec>, Failure> {
    let fields: Vec<FieldSpec> = fields
        .iter()
        .map(|field| field.as_ref().parse())
        .collect::<Result<_, _>>()?;
    let mut names = BTreeSet::new();
    match fields.iter().find(|field| !names.insert(&field.name)) {
        Some(twice) => Err(format!("the field {:?} is there twice", twice.name).into()),
        None => Ok(fields),
    }
}

/// Fails if a referenced model is not one of the application's resources.
fn check_references(folder: &Path, name: &ModelName, fields: &[FieldSpec]) -> Result<(), Failure> {
    for field in fields {
        let FieldKind::Reference(other) = &field.kind else {
            continue;
        };
        let file = format!("src/resources/{}.rs", other.module);
        if other != name && !folder.join(&file).exists() {
            let model = &other.model;
            return Err(format!(
                "the field {:?} references {model}, but there is no {file}: add the resource {model} first",
                field.name
            )
            .into());
        }
        if other == name && !field.optional {
            return Err(format!(
                "the field {:?} references its own model, so that the first row could not be created: make it optional by `{name}?`",
                field.name,
                name = other.model
            )
            .into());
        }
    }
    Ok(())
}

/// Returns the name of the application's package.
fn package(folder: &Path) -> Result<String, Failure> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    let manifest: toml::Table = manifest.parse().map_err(|error| format!("Cargo.toml: {error}"))?;
    let name = manifest.get("package").and_then(|package| package.get("name"));
    let name = name.and_then(toml::Value::as_str);
    Ok(name.ok_or("Cargo.toml names no package")?.to_owned())
}
