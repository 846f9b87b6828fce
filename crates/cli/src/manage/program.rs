//! Names of a program, and what it says about itself.

/// Names of a program: its own, and those of its settings.
#[derive(Debug, Clone)]
pub(crate) struct ProgramNames {
    pub(crate) name: String,
    pub(crate) about: Option<String>,
    pub(crate) version: Option<&'static str>,
    pub(crate) commit: Option<&'static str>,
    /// Prefix of the environment variables, such as `LIBRARY_`.
    pub(crate) prefix: String,
    /// File of settings that is read if it exists and no other is named.
    pub(crate) file: String,
    /// URL of the database that is used if no other is named.
    pub(crate) database: String,
}

impl ProgramNames {
    /// Derives the names from that of the program.
    pub(crate) fn of(name: String) -> Self {
        Self {
            about: None,
            version: None,
            commit: None,
            prefix: environment_prefix(&name),
            file: format!("{name}.toml"),
            database: format!("sqlite:{name}.db"),
            name,
        }
    }

    /// Version and commit, as `--version` prints them.
    pub(crate) fn full_version(&self) -> Option<String> {
        let version = self.version?;
        Some(match self.commit {
            Some(commit) => format!("{version} ({commit})"),
            None => version.to_owned(),
        })
    }
}

/// Converts a name such as `my-library` to the prefix `MY_LIBRARY_`.
fn environment_prefix(name: &str) -> String {
    let letter = |char: char| {
        if char.is_ascii_alphanumeric() {
            char.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(letter).chain(['_']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_derived_from_that_of_the_program() {
        let names = ProgramNames::of("my-library".to_owned());
        assert_eq!(names.prefix, "MY_LIBRARY_");
        assert_eq!(names.file, "my-library.toml");
        assert_eq!(names.database, "sqlite:my-library.db");
        assert_eq!(names.full_version(), None);
    }

    #[test]
    fn the_version_has_the_commit_if_there_is_one() {
        let mut names = ProgramNames::of("library".to_owned());
        names.version = Some("1.2.3");
        assert_eq!(names.full_version().as_deref(), Some("1.2.3"));
        names.commit = Some("abc");
        assert_eq!(names.full_version().as_deref(), Some("1.2.3 (abc)"));
    }
}
