//! Numbers of lines of source code, without blank lines and comments.

use std::fs;
use std::path::Path;

/// Asserts that `README.md` of an example has the numbers of lines of its `src` and of the Django package of the same
/// application, and that the first is not greater.
#[track_caller]
pub fn assert_lines_of_readme(example: &Path, package: &str) {
    let ours = lines(&example.join("src"), "rs", "//");
    let theirs = lines(&example.join("django").join(package), "py", "#");
    assert!(
        ours <= theirs,
        "{ours} lines, and {theirs} in Django REST framework"
    );
    let readme = fs::read_to_string(example.join("README.md")).unwrap();
    let row = format!("| lines | {ours} | {theirs} |");
    assert!(readme.contains(&row), "README.md needs the row {row}");
}

/// Counts the lines of the files of a folder and those below it.
fn lines(folder: &Path, extension: &str, comment: &str) -> usize {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let counts = entries.map(|path| {
        if path.is_dir() {
            return lines(&path, extension, comment);
        }
        if path.extension().is_none_or(|found| found != extension) {
            return 0;
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(str::trim);
        lines
            .filter(|line| !line.is_empty() && !line.starts_with(comment))
            .count()
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_and_comments_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let source = "//! A\n\n/// B\nfn c() {\n    // D\n    e(); // F\n}\n";
        fs::create_dir(folder.path().join("g")).unwrap();
        fs::write(folder.path().join("g/a.rs"), source).unwrap();
        fs::write(folder.path().join("b.py"), "# A\n\nb = 1\n").unwrap();
        assert_eq!(lines(folder.path(), "rs", "//"), 3);
        assert_eq!(lines(folder.path(), "py", "#"), 1);
    }
}
