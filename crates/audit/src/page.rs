//! Comparison of a committed page with the application.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs, thread};

use crate::audit::Audited;
use crate::run::access_matrix;

/// Environment variable that writes the page instead of comparing it.
const UPDATE: &str = "UPDATE_ACCESS_MATRIX";

/// Asserts that a Markdown file equals the access matrix of an application.
///
/// The first argument is an [`Audited`] application: a `Manage` of model-resource-cli, or the value of
/// [`Audit::of`](crate::Audit::of) for an api. The second one is the path of the file, relative to the package.
///
/// The message of a failure has the changed lines, and the command that writes the page again: that of the test, with
/// `UPDATE_ACCESS_MATRIX=1` in the environment.
///
/// ```no_run
/// # use model_resource::Api;
/// use model_resource_audit::{Audit, assert_access_matrix};
///
/// # fn api() -> Api {
/// #     Api::new("library")
/// # }
/// # /*
/// #[test]
/// # */
/// fn access_is_as_documented() {
///     assert_access_matrix!(Audit::new().of(api), "docs/access.md");
/// }
/// ```
#[macro_export]
macro_rules! assert_access_matrix {
    ($application:expr, $file:expr $(,)?) => {
        $crate::assert_page(
            &$application,
            env!("CARGO_MANIFEST_DIR"),
            env!("CARGO_PKG_NAME"),
            $file,
        )
    };
}

/// Called by [`assert_access_matrix!`](crate::assert_access_matrix!).
#[doc(hidden)]
#[track_caller]
pub fn assert_page(application: &impl Audited, folder: &str, package: &str, file: &str) {
    let update = env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0");
    let thread = thread::current();
    let test = thread.name().filter(|name| *name != "main");
    let command = format!("{UPDATE}=1 cargo test -p {package} {}", test.unwrap_or_default());
    if let Err(difference) = compare(application, &Path::new(folder).join(file), file, update) {
        panic!("{difference}\nif it is meant, call `{}`", command.trim_end());
    }
}

/// Compares the file with the page, or writes it.
fn compare(application: &impl Audited, path: &Path, name: &str, update: bool) -> Result<(), String> {
    let page = match access_matrix(application) {
        Ok(matrix) => matrix.page(),
        Err(error) => panic!("{error}"),
    };
    if update {
        let write = || {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, &page)
        };
        return write().map_err(|error| format!("{name} cannot be written: {error}"));
    }
    let committed = match fs::read_to_string(path) {
        Ok(committed) => committed,
        Err(error) => {
            return Err(format!(
                "{name}, the page with the access matrix, cannot be read: {error}"
            ));
        }
    };
    if committed == page {
        return Ok(());
    }
    Err(format!(
        "{name} is not what the application does:\n{}",
        differences(&committed, &page)
    ))
}

/// Lines of both pages that the other one does not have, apart from alignment.
fn differences(committed: &str, page: &str) -> String {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, now): (Vec<String>, Vec<String>) = (
        committed.lines().map(plain).collect(),
        page.lines().map(plain).collect(),
    );
    let (known, found): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), now.iter().collect());
    let gone = before
        .iter()
        .filter(|line| !found.contains(line))
        .map(|line| format!("- {line}"));
    let new = now
        .iter()
        .filter(|line| !known.contains(line))
        .map(|line| format!("+ {line}"));
    let lines: Vec<String> = gone.chain(new).collect();
    if lines.is_empty() {
        "only the order or the alignment of the lines differs".to_owned()
    } else {
        lines.join("\n")
    }
}
