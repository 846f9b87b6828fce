//! Description of one model of an api.

/// Description of a model: its names, and the URLs at which its objects are found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelDescription {
    /// Name of the model, such as `BlogPost`.
    pub name: &'static str,
    /// Name for people, such as `Blog Post`.
    pub label: String,
    /// Name of several objects for people, such as `Blog Posts`.
    pub plural: String,
    /// Documentation, in Markdown: the doc comment of the model. Empty if there is none.
    pub description: &'static str,
    /// Name of the primary key in JSON; `None` if it is hidden from the caller.
    pub key: Option<String>,
    /// Name in JSON of the field that names an object for people, if the model declares one and the caller sees it.
    pub label_field: Option<String>,
    /// URL rule of the list of all objects, if there is one.
    pub list_url: Option<String>,
    /// Fields that `q` searches in that list; empty if it cannot be searched.
    pub search: Vec<String>,
    /// URL rule of one object whose only parameter is the primary key, or else another unique column.
    pub item_url: Option<String>,
    /// Name in JSON of the column that is the parameter of `item_url`.
    pub item_key: Option<String>,
}
