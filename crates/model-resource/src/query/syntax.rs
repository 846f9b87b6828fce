//! Query syntaxes of lists.

/// Query syntax that clients may use for lists, in addition to the native one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QuerySyntax {
    /// Only the native syntax.
    #[default]
    Native,
    /// The syntax of `ra-data-simple-rest`, a data provider of react-admin: `sort=["title","ASC"]`, `range=[0,24]`,
    /// `filter={"title":"Rust","id":[1,2],"q":"text"}`. The answer to a `range` reports the total in `Content-Range`.
    ///
    /// In a filter, an array matches any of its values, and `null` matches the absence of a value. An object holds
    /// either operators (`{"rating":{"gte":4}}`) or fields of a related row (`{"category":{"name":"Rust"}}`). `q` is
    /// the search.
    SimpleRest,
}
