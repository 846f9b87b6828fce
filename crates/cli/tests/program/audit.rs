//! The access matrix from the command line.

use model_resource_audit::{Audit, AuditError, Fixture, access_matrix};
use tempfile::TempDir;

use crate::library::{manage, printed, refused, run};

/// AUD-8: `audit` prints the matrix as a table, a page or JSON, and touches no database.
#[test]
fn the_access_matrix_is_printed_as_a_table_a_page_and_json() {
    let folder = TempDir::new().unwrap();
    let table = printed(&run(folder.path(), &["audit"]));
    let line = "DELETE  /api/v1/books/<int:id>       401        403";
    assert!(table.contains(line), "{table}");
    let page = printed(&run(folder.path(), &["audit", "--markdown"]));
    assert!(
        page.contains("# Access matrix of `library`\n") && page.contains(line),
        "{page}"
    );
    let json = printed(&run(folder.path(), &["audit", "--json"]));
    assert!(json.contains("\"caller\": \"admin\""), "{json}");
    let both = run(folder.path(), &["audit", "--json", "--markdown"]);
    assert!(refused(&both, 2).contains("cannot be used with"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// AUD-8: the roles of the accounts need callers.
#[test]
fn a_role_without_a_caller_fails_the_audit() {
    let audit = Audit::new().fixture(async |rows: Fixture| {
        rows.bearer("somebody", "unknown");
        Ok::<(), AuditError>(())
    });
    let error = access_matrix(&manage().audit(audit)).unwrap_err();
    assert_eq!(
        error.mistakes(),
        ["no caller has the role `admin`: add one of this name in the fixture"]
    );
}
