//! `model-resource new`: writes an application with one resource, its migration and its tests.

use std::path::{Component, Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::scaffold::add_resource::{parsed, plan};
use crate::scaffold::edit::REGISTRY;
use crate::scaffold::files::PlannedFiles;
use crate::scaffold::names::{ModelName, check_package};

/// Writes an application that builds, serves, and has a migration and tests
#[derive(Args)]
pub(super) struct NewApplication {
    /// Name of the application and of its folder, such as `my-library`
    name: String,
    /// Use a checkout of model-resource instead of the published crates
    #[arg(long, value_name = "FOLDER")]
    path: Option<PathBuf>,
}

/// Fields of the resource that every new application has, an example to change or delete.
const NOTE_FIELDS: [&str; 2] = ["title:string", "body:text"];

impl NewApplication {
    pub(super) fn run(self) -> Result<String, Failure> {
        let name = &self.name;
        check_package(name)?;
        let folder = Path::new(name);
        if folder.exists() {
            return Err(format!("{name} exists already; nothing was written").into());
        }
        let mut files = PlannedFiles::below(folder);
        for (path, text) in TEMPLATES {
            files.add(path, filled(text, name));
        }
        files.add("Cargo.toml", self.manifest()?);
        let note = ModelName::parse("Note")?;
        plan(&mut files, name, &note, &parsed(&NOTE_FIELDS)?);
        let report = files.write()?;
        Ok(format!(
            "{report}
Next, test and serve it:
  cd {name}
  cargo test
  cargo run
  model-resource add resource Book title:string isbn:string:unique
"
        ))
    }

    fn manifest(&self) -> Result<String, Failure> {
        let dependency = |package: &str, folder: &str, features: &str| -> Result<String, Failure> {
            let place = match &self.path {
                Some(checkout) => {
                    let place = checkout.join("crates").join(folder);
                    place.metadata().map_err(|error| {
                        format!("{} is no checkout of model-resource: {error}", checkout.display())
                    })?;
                    format!("path = {:?}", from_application(&place).display().to_string())
                }
                None => format!("version = {:?}", env!("CARGO_PKG_VERSION")),
            };
            Ok(format!("{package} = {{ {place}{features} }}\n"))
        };
        let mut manifest = filled(MANIFEST, &self.name);
        manifest += &dependency("model-resource", "model-resource", "")?;
        manifest += &dependency("model-resource-audit", "audit", "")?;
        manifest += &dependency(
            "model-resource-cli",
            "cli",
            ", features = [\"audit\", \"sqlite\"]",
        )?;
        manifest += "tokio = { version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }\n\n[dev-dependencies]\n";
        manifest += &dependency(
            "model-resource-testing",
            "testing",
            ", default-features = false, features = [\"cli\", \"sqlite\"]",
        )?;
        manifest += "serde_json = \"1\"\n";
        Ok(manifest)
    }
}

/// Returns a path of the current folder as a path of the folder of the application in it. An absolute path stays as it is.
fn from_application(path: &Path) -> PathBuf {
    // Normalizes `./x`.
    let path: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    Path::new("..").join(path)
}

const MANIFEST: &str = include_str!("templates/Cargo.toml.txt");

/// Files whose text depends on nothing but the name of the application.
const TEMPLATES: [(&str, &str); 8] = [
    (".gitignore", include_str!("templates/gitignore.txt")),
    ("README.md", include_str!("templates/README.md.txt")),
    ("src/main.rs", include_str!("templates/main.rs.txt")),
    ("src/lib.rs", include_str!("templates/lib.rs.txt")),
    (REGISTRY, include_str!("templates/resources.rs.txt")),
    ("tests/migrations.rs", include_str!("templates/migrations.rs.txt")),
    (
        "migrations/sqlite/V1__create_notes.sql",
        include_str!("templates/create_notes.sql.txt"),
    ),
    (
        "migrations/sqlite/V1__create_notes.down.sql",
        include_str!("templates/create_notes.down.sql.txt"),
    ),
];

/// Puts the name of the application into a template.
fn filled(template: &str, name: &str) -> String {
    template
        .replace("{name}", name)
        .replace("{library}", &name.replace('-', "_"))
}
