//! The likeliest mistakes do not compile, and the message names the remedy.

#[test]
fn the_likeliest_mistakes_are_refused_with_the_remedy() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
