//! In which words clients may ask for lists.

/// In which words clients may ask for lists, beside those of this framework.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum QuerySyntax {
    /// In no others.
    #[default]
    Native,
    /// In those of `ra-data-simple-rest`, a data provider of react-admin: `sort=["title","ASC"]`, `range=[0,24]`,
    /// `filter={"title":"Rust","id":[1,2],"q":"text"}`. A list of which a range is asked says in `Content-Range` how many
    /// objects there are.
    ///
    /// In a filter an array means any of its values, `null` no value, an object either operators (`{"rating":{"gte":4}}`)
    /// or fields of what a relation leads to (`{"category":{"name":"Rust"}}`), and `q` is the search.
    SimpleRest,
}
