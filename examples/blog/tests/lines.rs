//! Lines of the blog beside those of the same in Django REST framework.

use std::path::Path;

#[test]
fn the_readme_has_the_numbers_of_lines_and_ours_are_not_more() {
    test_support::assert_lines_of_readme(Path::new(env!("CARGO_MANIFEST_DIR")), "blog");
}
