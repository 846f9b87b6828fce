//! `migrations!`: the files of a folder as migrations.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

use crate::diagnostics::Diagnostics;

/// Folders for one kind of database.
const FOLDERS: [&str; 2] = ["sqlite", "postgres"];

/// Expands to the migrations in a folder, relative to that of the package.
pub(crate) fn expand(path: &LitStr) -> syn::Result<TokenStream> {
    let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let written = path.value();
    let folder = Path::new(&package).join(&written);
    let files = list(&folder).map_err(|error| {
        let message = if error.kind() == io::ErrorKind::NotFound {
            format!(
                "the folder `{written}` does not exist beside `Cargo.toml`: create it, with the folders `sqlite` and \
                 `postgres` if the application runs on both databases"
            )
        } else {
            format!("the folder `{written}` cannot be read: {error}")
        };
        syn::Error::new_spanned(path, message)
    })?;
    let mut diagnostics = Diagnostics::default();
    for mistake in mistakes(&files) {
        diagnostics.add(path, format!("{written}/{mistake}"));
    }
    diagnostics.into_result()?;
    let files = files.iter().map(|file| {
        if file.ends_with('/') {
            return quote!((#file, ""));
        }
        let path = text(&folder.join(file));
        quote!((#file, ::core::include_str!(#path)))
    });
    let folder = text(&folder);
    Ok(quote! {
        ::model_resource::store::Migrations::embedded(::model_resource::store::EmbeddedMigrations {
            package: #package,
            folder: #folder,
            caller: ::core::file!(),
            is_read_at_start: ::core::cfg!(debug_assertions),
            files: &[#(#files),*],
        })
    })
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Lists the SQL files of a folder and of the folders in it, by their paths below it. `sqlite/` is the folder
/// itself, which may still be empty.
fn list(folder: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for (name, path) in entries(folder)? {
        if path.is_dir() {
            let inner = entries(&path)?.into_iter();
            let inner = inner.filter(|(file, path)| is_sql(file, path));
            files.extend(inner.map(|(file, _)| format!("{name}/{file}")));
            if FOLDERS.contains(&name.as_str()) {
                files.push(format!("{name}/"));
            }
        } else if is_sql(&name, &path) {
            files.push(name);
        }
    }
    files.sort();
    Ok(files)
}

fn is_sql(file: &str, path: &Path) -> bool {
    file.ends_with(".sql") && path.is_file()
}

fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    Ok(found)
}

/// Returns what is wrong with the files, with the remedy. The program checks the same again when it reads the folder.
fn mistakes(files: &[String]) -> Vec<String> {
    let mut mistakes = Vec::new();
    let mut seen: Vec<(&str, FileName<'_>)> = Vec::new();
    let has_folders = files.iter().any(|file| file.contains('/'));
    for path in files.iter().filter(|path| !path.ends_with('/')) {
        let (folder, file) = path.split_once('/').unwrap_or(("", path));
        if !folder.is_empty() && !FOLDERS.contains(&folder) {
            mistakes.push(format!(
                "{path}: the folders of migrations are `sqlite` and `postgres`"
            ));
        } else if folder.is_empty() && has_folders {
            mistakes.push(format!("{path}: move the file into `sqlite` or `postgres`"));
        }
        let Some(name) = FileName::parse(file) else {
            mistakes.push(format!(
                "{path}: a migration has a name such as V3__tags.sql, or V3__tags.down.sql to take it back"
            ));
            continue;
        };
        let has_same = |(other, known): &&(&str, FileName<'_>)| {
            *other == folder && known.version == name.version && known.is_down == name.is_down
        };
        if seen.iter().any(|known| has_same(&known)) {
            mistakes.push(format!(
                "{path}: another migration has this version: give one of them the next free version"
            ));
        }
        seen.push((folder, name));
    }
    for (folder, down) in seen.iter().filter(|(_, name)| name.is_down) {
        let is_up = |(other, up): &&(&str, FileName<'_>)| {
            other == folder && !up.is_down && up.version == down.version && up.name == down.name
        };
        if !seen.iter().any(|up| is_up(&up)) {
            let (version, name) = (down.version, down.name);
            mistakes.push(format!(
                "{folder}/V{version}__{name}.down.sql: there is no migration that it takes back"
            ));
        }
    }
    mistakes
}

/// Parts of a file's name.
struct FileName<'f> {
    version: u32,
    name: &'f str,
    is_down: bool,
}

impl<'f> FileName<'f> {
    fn parse(file: &'f str) -> Option<Self> {
        let stem = file.strip_suffix(".sql")?;
        let (stem, is_down) = match stem.strip_suffix(".down") {
            Some(stem) => (stem, true),
            None => (stem, false),
        };
        let (version, name) = stem.strip_prefix('V')?.split_once("__")?;
        let is_number = version.chars().all(|c| c.is_ascii_digit());
        let version = version.parse().ok().filter(|version| *version > 0 && is_number)?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then_some(Self {
            version,
            name,
            is_down,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|file| (*file).to_owned()).collect();
        mistakes(&files)
    }

    #[test]
    fn files_of_migrations_are_accepted() {
        let none: [&str; 0] = [];
        assert_eq!(found(&["V1__a.down.sql", "V1__a.sql", "V12__b_2.sql"]), none);
        assert_eq!(
            found(&["postgres/", "postgres/V1__a.sql", "sqlite/V1__a.sql"]),
            none
        );
    }

    #[test]
    fn each_mistake_is_reported_with_its_remedy() {
        for (files, parts) in [
            (
                &["V1_a.sql", "Vx__a.sql"][..],
                &["V1_a.sql: a migration", "Vx__a.sql: a migration"][..],
            ),
            (&["V1__a.sql", "V1__b.sql"], &["V1__b.sql: another migration"]),
            (
                &["sqlite/V1__a.sql", "sqlite/V01__b.sql"],
                &["sqlite/V01__b.sql: another migration"],
            ),
            (
                &["sqlite/V1__a.down.sql"],
                &["sqlite/V1__a.down.sql: there is no migration"],
            ),
            (&["V1__a.sql", "sqlite/"], &["V1__a.sql: move the file"]),
            (&["postgresql/V1__a.sql"], &["postgresql/V1__a.sql: the folders"]),
        ] {
            let found = found(files);
            assert_eq!(found.len(), parts.len(), "{found:?}");
            for (mistake, part) in found.iter().zip(parts) {
                assert!(mistake.starts_with(part), "{mistake}");
            }
        }
    }
}
