//! The access matrix, compared with the committed one.

use model_resource_audit::assert_access_matrix;

/// AUD-1, AUD-2: docs/reference/access.md is what the application does.
#[test]
fn the_committed_matrix_matches_the_application() {
    assert_access_matrix!(backend::app::manage(), "../docs/reference/access.md");
}
