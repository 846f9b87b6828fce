//! The access matrix from the command line.

use model_resource_audit::{Audit, AuditError, Fixture, access_matrix};
use model_resource_security::Security;
use tempfile::TempDir;

use crate::library::{Member, manage, printed, refused, run, with_account_routes};

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

/// AUD-10: accounts are added for the audit: a user, the owner, one with each role and a disabled one, with a token and a
/// session of the owner. The fixture gets them, and logins succeed.
#[test]
fn accounts_are_added_for_the_audit() {
    let audit = Audit::new()
        .accounts(Security::<Member>::new)
        .fixture(async |rows: Fixture| {
            let owner: Member = rows.account("owner")?;
            assert_eq!((owner.name.as_str(), owner.roles.as_str()), ("owner", ""));
            assert!(rows.account::<Member>("stranger").is_err());
            Ok::<(), AuditError>(())
        });
    let manage = with_account_routes().audit(audit);
    let table = access_matrix(&manage).unwrap().table();
    let expected = [
        "METHOD URL ROW ANONYMOUS USER OWNER ADMIN DISABLED",
        "POST /api/v1/auth/login 200 200 200 200 401",
        "POST /api/v1/auth/users/<int:id>/disable 401 403 403 204 401",
        "GET /api/v1/auth/tokens 401 200 (1) 200 (2) 200 (1) 401",
        "DELETE /api/v1/auth/tokens/<int:id> 401 404 204 404 401",
        "DELETE /api/v1/auth/sessions/<int:id> 401 404 204 404 401",
        "DELETE /api/v1/books/<int:id> 401 403 403 403 401",
    ];
    let lines = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<String> = lines.collect();
    for line in expected {
        assert!(lines.iter().any(|known| known == line), "{line}\n{table}");
    }
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
