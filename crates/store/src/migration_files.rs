//! Files of migrations: `V3__tags.sql`, and `V3__tags.down.sql` to take it back.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::dialect::SqlDialect;
use crate::migration::Migration;
use crate::migrations::{DatabaseLists, MigrationList, MigrationSource, Migrations, sorted};

/// Folders for one kind of database.
const FOLDERS: [&str; 2] = ["sqlite", "postgres"];

/// Name of a file of a migration.
struct MigrationFileName {
    version: u32,
    name: String,
    /// Whether the file takes the migration back.
    is_down: bool,
}

impl MigrationFileName {
    /// Reads a file's name; `None` if it is not that of a migration.
    fn parse(file: &str) -> Option<Self> {
        let stem = file.strip_suffix(".sql")?;
        let (stem, is_down) = match stem.strip_suffix(".down") {
            Some(stem) => (stem, true),
            None => (stem, false),
        };
        let (version, name) = stem.strip_prefix('V')?.split_once("__")?;
        let is_number = version.chars().all(|c| c.is_ascii_digit());
        let version = version.parse().ok().filter(|version| *version > 0 && is_number)?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_name.then(|| Self {
            version,
            name: name.to_owned(),
            is_down,
        })
    }
}

/// Migrations that `migrations!` compiles into a program.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct EmbeddedMigrations {
    /// Folder of the package.
    pub package: &'static str,
    /// Folder of the migrations.
    pub folder: &'static str,
    /// Source file that calls the macro, as `file!()` returns it.
    pub caller: &'static str,
    /// Whether to read the folder instead, if it exists.
    pub is_read_at_start: bool,
    /// Paths below the folder, such as `sqlite/V1__models.sql`, and texts of the files.
    pub files: &'static [(&'static str, &'static str)],
}

/// Path below the folder, with `/`, and text of a file.
type NamedText = (Cow<'static, str>, Cow<'static, str>);

impl Migrations {
    /// Creates the migrations of `migrations!`. Wrong names of files are errors of [`Store::migrate`](crate::Store::migrate).
    #[doc(hidden)]
    pub fn embedded(embedded: EmbeddedMigrations) -> Self {
        let folder = Path::new(embedded.folder);
        let is_read_at_start = embedded.is_read_at_start && folder.is_dir();
        let files = if is_read_at_start {
            read(folder)
                .map_err(|error| format!("cannot read the migrations in {}: {error}", folder.display()))
        } else {
            let files = embedded.files.iter();
            Ok(files
                .map(|(path, text)| ((*path).into(), (*text).into()))
                .collect())
        };
        let source = MigrationSource {
            folder: folder.to_owned(),
            caller: caller(embedded.package, embedded.caller),
            is_read_at_start,
        };
        let lists = files.and_then(|files| lists(folder, files));
        Self::of_lists(lists.unwrap_or_else(of_any), Some(source))
    }

    /// Reads the migrations of a folder with the folders `sqlite` and `postgres`, or with files for whichever database.
    ///
    /// ```
    /// use model_resource_store::{Migrations, SqlDialect};
    ///
    /// let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../backend/migrations");
    /// let migrations = Migrations::read(folder);
    /// assert_eq!(migrations.of(SqlDialect::Sqlite).unwrap()[0].name(), "models");
    /// ```
    pub fn read(folder: impl AsRef<Path>) -> Self {
        let folder = folder.as_ref();
        let files = read(folder);
        let files =
            files.map_err(|error| format!("cannot read the migrations in {}: {error}", folder.display()));
        let lists = files.and_then(|files| lists(folder, files));
        Self::of_lists(lists.unwrap_or_else(of_any), None)
    }

    /// Whether the folder has files that the program was compiled without.
    pub(crate) fn is_outdated(&self) -> bool {
        let source = self.source().filter(|source| !source.is_read_at_start);
        let found = source.and_then(|source| lists(&source.folder, read(&source.folder).ok()?).ok());
        found.is_some_and(|found| {
            SqlDialect::ALL
                .into_iter()
                .any(|dialect| match (found.of(dialect), self.lists().of(dialect)) {
                    (Some(Ok(found)), Some(Ok(own))) => found.len() > own.len(),
                    _ => false,
                })
        })
    }
}

/// Returns a mistake for whichever database.
fn of_any(cause: String) -> DatabaseLists {
    DatabaseLists::Shared(Err(cause))
}

/// Path of the source file, which the compiler gives from the folder that cargo runs it in: the workspace or the package.
fn caller(package: &str, file: &str) -> PathBuf {
    let mut folders = Path::new(package).ancestors();
    let found = folders.find(|folder| folder.join(file).is_file());
    found.map_or_else(|| PathBuf::from(file), |folder| folder.join(file))
}

/// Reads the files of a folder and of the folders in it.
fn read(folder: &Path) -> io::Result<Vec<NamedText>> {
    let mut files = Vec::new();
    for (name, path) in entries(folder)? {
        if path.is_dir() {
            for (file, path) in entries(&path)? {
                push_sql(&mut files, format!("{name}/{file}"), &path)?;
            }
        } else {
            push_sql(&mut files, name, &path)?;
        }
    }
    // A folder without files yet says that its database has migrations.
    for database in FOLDERS {
        if folder.join(database).is_dir() {
            files.push((format!("{database}/").into(), "".into()));
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    found.sort();
    Ok(found)
}

fn push_sql(files: &mut Vec<NamedText>, name: String, path: &Path) -> io::Result<()> {
    if name.ends_with(".sql") && path.is_file() {
        files.push((name.into(), fs::read_to_string(path)?.into()));
    }
    Ok(())
}

/// Sorts files by their database: first SQLite, then PostgreSQL.
fn lists(folder: &Path, files: Vec<NamedText>) -> Result<DatabaseLists, String> {
    let mut of_database: [Vec<NamedText>; 2] = Default::default();
    let mut of_any = Vec::new();
    let mut has_folder = [false; 2];
    for (path, text) in files {
        let Some((database, file)) = path.split_once('/') else {
            of_any.push((path, text));
            continue;
        };
        let position = FOLDERS.iter().position(|known| *known == database);
        let position = position.ok_or_else(|| {
            format!(
                "{}: the folders of migrations are `sqlite` and `postgres`",
                folder.join(&*path).display()
            )
        })?;
        has_folder[position] = true;
        if !file.is_empty() {
            of_database[position].push((file.to_owned().into(), text));
        }
    }
    if has_folder == [false; 2] {
        return Ok(DatabaseLists::Shared(list(folder, of_any)));
    }
    if let Some((file, _)) = of_any.first() {
        return Err(format!(
            "{}: move the file into `sqlite` or `postgres`",
            folder.join(&**file).display()
        ));
    }
    let [sqlite, postgres] = of_database;
    let list_of =
        |position: usize, files| has_folder[position].then(|| list(&folder.join(FOLDERS[position]), files));
    Ok(DatabaseLists::Separate([
        list_of(0, sqlite),
        list_of(1, postgres),
    ]))
}

/// Returns the migrations of a folder's files.
fn list(folder: &Path, files: Vec<NamedText>) -> MigrationList {
    let mut ups = Vec::new();
    let mut downs = Vec::new();
    for (file, text) in files {
        let Some(name) = MigrationFileName::parse(&file) else {
            return Err(format!(
                "{}: a migration has a name such as V3__tags.sql, or V3__tags.down.sql to take it back",
                folder.join(&*file).display()
            ));
        };
        if name.is_down {
            downs.push((file, name, text));
        } else {
            ups.push(Migration::new(name.version, name.name, text));
        }
    }
    for (file, name, text) in downs {
        let up = ups
            .iter_mut()
            .find(|up| up.version() == name.version && up.name() == name.name);
        match up {
            Some(up) => *up = up.clone().down(text),
            None => {
                let file = folder.join(&*file);
                return Err(format!(
                    "{}: there is no migration that it takes back",
                    file.display()
                ));
            }
        }
    }
    sorted(ups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[&'static str]) -> Result<DatabaseLists, String> {
        let files = files.iter().map(|file| ((*file).into(), (*file).into()));
        lists(Path::new("migrations"), files.collect())
    }

    #[test]
    fn files_without_folders_are_for_both_databases() {
        let lists = of(&["V2__b.sql", "V1__a.sql", "V1__a.down.sql"]).unwrap();
        let expected = [
            Migration::new(1, "a", "V1__a.sql").down("V1__a.down.sql"),
            Migration::new(2, "b", "V2__b.sql"),
        ];
        assert!(matches!(lists, DatabaseLists::Shared(Ok(list)) if list == expected));
    }

    #[test]
    fn a_database_without_a_folder_has_no_migrations() {
        let lists = of(&["sqlite/V1__a.sql"]).unwrap();
        assert_eq!(lists.of(SqlDialect::Sqlite).unwrap().as_ref().unwrap().len(), 1);
        assert_eq!(lists.of(SqlDialect::Postgres), None);
    }

    #[test]
    fn wrong_files_are_rejected_with_the_remedy() {
        let failure = |files: &[&'static str]| {
            let list = of(files).and_then(|lists| lists.of(SqlDialect::Sqlite).unwrap().clone());
            list.unwrap_err()
        };
        for (files, part) in [
            (&["V1_a.sql"][..], "V3__tags.sql"),
            (&["V0__a.sql"], "V3__tags.sql"),
            (&["V1__a b.sql"], "V3__tags.sql"),
            (&["V1__a.sql", "V01__b.sql"], "one version"),
            (&["V1__a.down.sql"], "no migration that it takes back"),
            (&["V1__a.sql", "sqlite/V2__a.sql"], "move the file"),
            (&["postgresql/V1__a.sql"], "`sqlite` and `postgres`"),
        ] {
            let message = failure(files);
            assert!(message.contains(part), "{files:?}: {message}");
        }
    }

    /// Returns the migrations of a program that was compiled with the first file of a folder with two.
    fn embedded(folder: &Path, is_read_at_start: bool) -> Migrations {
        for version in 1..=2 {
            fs::write(folder.join(format!("V{version}__a.sql")), "").unwrap();
        }
        Migrations::embedded(EmbeddedMigrations {
            package: ".",
            folder: folder.to_str().unwrap().to_owned().leak(),
            caller: "main.rs",
            is_read_at_start,
            files: &[("V1__a.sql", "")],
        })
    }

    #[test]
    fn a_debug_build_reads_the_folder_and_a_release_build_knows_that_it_lacks_files() {
        let folder = tempfile::TempDir::new().unwrap();
        let count = |migrations: &Migrations| migrations.of(SqlDialect::Sqlite).unwrap().len();
        let debug = embedded(folder.path(), true);
        assert_eq!((count(&debug), debug.is_outdated()), (2, false));
        let release = embedded(folder.path(), false);
        assert_eq!((count(&release), release.is_outdated()), (1, true));
        fs::remove_file(folder.path().join("V2__a.sql")).unwrap();
        assert!(!release.is_outdated());
    }

    #[test]
    fn a_program_without_its_folder_has_the_files_that_it_was_compiled_with() {
        let folder = tempfile::TempDir::new().unwrap();
        let gone = folder.path().join("gone");
        let migrations = Migrations::embedded(EmbeddedMigrations {
            package: ".",
            folder: gone.to_str().unwrap().to_owned().leak(),
            caller: "main.rs",
            is_read_at_start: true,
            files: &[("V1__a.sql", "SELECT 1;")],
        });
        let list = migrations.of(SqlDialect::Sqlite).unwrap();
        assert_eq!(list[0].up_sql(), "SELECT 1;");
        assert!(!migrations.is_outdated());
    }
}
