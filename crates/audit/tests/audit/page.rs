//! `assert_access_matrix!`: a committed page is compared with the application, or written.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use model_resource::{Api, Model, model_resource};
use model_resource_audit::{Audit, assert_access_matrix};
use tempfile::TempDir;

/// Environment variable with the file of the page.
const FILE: &str = "TEST_ACCESS_PAGE";

#[derive(Debug, Clone, Model)]
#[model(table = "buoys")]
struct Buoy {
    #[column(primary_key)]
    id: i64,
    color: String,
}

#[model_resource(Buoy, "/buoys")]
struct BuoyResource;

fn api() -> Api {
    Api::new("sea").model_resource::<BuoyResource>()
}

#[test]
#[ignore = "the other tests start it"]
fn comparison() {
    let file = std::env::var(FILE).expect("started by another test");
    assert_access_matrix!(Audit::new().of(api).tables([]), &file);
}

/// Runs the comparison in a process of its own, with this value of the variable that writes the page.
fn compare(file: &Path, update: &str) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["page::comparison", "--exact", "--ignored"])
        .env(FILE, file)
        .env("UPDATE_ACCESS_MATRIX", update)
        .output()
        .unwrap()
}

/// AUD-2: a page that is missing or differs fails the test with the lines and the command, which writes it.
#[test]
fn a_page_is_compared_and_written_on_request() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("docs/access.md");
    let failed = |update: &str| {
        let output = compare(&file, update);
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let missing = failed("");
    assert!(
        missing.contains("the page with the access matrix, cannot be read"),
        "{missing}"
    );
    let command =
        "if it is meant, call `UPDATE_ACCESS_MATRIX=1 cargo test -p model-resource-audit page::comparison`";
    assert!(missing.contains(command), "{missing}");
    assert!(!file.exists(), "nothing is written without the variable");

    assert!(compare(&file, "1").status.success());
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.contains("POST    /buoys       201\n"), "{page}");
    assert!(compare(&file, "0").status.success());

    fs::write(
        &file,
        page.replace("POST    /buoys       201", "POST    /buoys       403"),
    )
    .unwrap();
    let changed = failed("");
    assert!(
        changed.contains("is not what the application does:\n- POST /buoys 403\n+ POST /buoys 201\n"),
        "{changed}"
    );
    assert!(changed.contains(command), "{changed}");
    fs::write(&file, page.replace("POST    /buoys  ", "POST  /buoys    ")).unwrap();
    assert!(failed("").contains("only the order or the alignment of the lines differs"));
}
