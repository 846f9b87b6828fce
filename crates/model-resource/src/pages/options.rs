//! Options of a resource's pages, declared where the resource is.

use std::marker::PhantomData;

use model_resource_schema::column_type::ColumnType;
use model_resource_schema::json::write_value;
use model_resource_schema::model::{Field, Model};
use model_resource_schema::query::Columns;

/// Options of a resource's HTML pages; see [`ModelResource::page`](crate::ModelResource::page). Pages need none of them.
///
/// ```
/// use model_resource::{Columns, Model, ModelResource, PageOptions, RowAction, model_resource};
///
/// #[derive(Model)]
/// struct Article {
///     #[column(primary_key)]
///     id: i64,
///     title: String,
///     body: String,
///     published: bool,
/// }
///
/// struct ArticleResource;
///
/// #[model_resource(Article, "/articles", "/articles/<int:id>")]
/// impl ModelResource for ArticleResource {
///     fn page() -> PageOptions<Article> {
///         PageOptions::new()
///             .column(Article::TITLE)
///             .column(Article::PUBLISHED)
///             .group("Text", Columns::of(Article::TITLE).and(Article::BODY))
///             .label(Article::BODY, "Text")
///             .help(Article::TITLE, "A short headline.")
///             .action(RowAction::set("Publish", Article::PUBLISHED, true))
///     }
/// }
/// ```
#[must_use]
pub struct PageOptions<M> {
    page: ResourcePage,
    marker: PhantomData<fn() -> M>,
}

/// Type-erased options, by the names of fields in JSON.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResourcePage {
    pub(crate) title: Option<String>,
    pub(crate) columns: Vec<String>,
    pub(crate) title_field: Option<String>,
    pub(crate) groups: Vec<(String, Vec<String>)>,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) help: Vec<(String, String)>,
    pub(crate) actions: Vec<AnyRowAction>,
    pub(crate) is_hidden: bool,
}

impl<M: Model> PageOptions<M> {
    /// Creates the default options.
    pub fn new() -> Self {
        Self {
            page: ResourcePage::default(),
            marker: PhantomData,
        }
    }

    /// Sets the title of the list, which is the plural of the model's name by default.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.page.title = Some(title.into());
        self
    }

    /// Adds a column to the table of the list, after those added before. Without any, the table has the key, the label
    /// and a few short values.
    pub fn column<T: ColumnType>(mut self, field: Field<M, T>) -> Self {
        self.page.columns.push(field.column().wire_name());
        self
    }

    /// Sets the field that names an object in links and titles, which is a text such as `name` or `title` by default.
    pub fn title_field<T: ColumnType>(mut self, field: Field<M, T>) -> Self {
        self.page.title_field = Some(field.column().wire_name());
        self
    }

    /// Puts these fields under a heading, in forms and on the page of an object. Other fields come after all groups.
    pub fn group(mut self, heading: impl Into<String>, fields: Columns<M>) -> Self {
        let fields = fields.into_any();
        let columns = M::table().columns.iter().enumerate();
        let named = columns.filter(|(position, _)| fields.contains(*position));
        let names = named.map(|(_, column)| column.wire_name()).collect();
        self.page.groups.push((heading.into(), names));
        self
    }

    /// Sets the label of a field in lists and forms, which is made from its name by default.
    pub fn label<T: ColumnType>(mut self, field: Field<M, T>, label: impl Into<String>) -> Self {
        self.page.labels.push((field.column().wire_name(), label.into()));
        self
    }

    /// Sets the help of a field in forms, which is the first sentence of its doc comment by default.
    pub fn help<T: ColumnType>(mut self, field: Field<M, T>, help: impl Into<String>) -> Self {
        self.page.help.push((field.column().wire_name(), help.into()));
        self
    }

    /// Adds an action that people apply to the rows they select.
    pub fn action(mut self, action: RowAction<M>) -> Self {
        self.page.actions.push(action.action);
        self
    }

    /// Leaves the resource out of the navigation and the overview. Its URLs still have pages.
    pub fn hidden(mut self) -> Self {
        self.page.is_hidden = true;
        self
    }

    /// Erases the model.
    pub(crate) fn into_page(self) -> ResourcePage {
        self.page
    }
}

impl<M: Model> Default for PageOptions<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// Action on selected rows: a change of fields, or a request to an endpoint for each row.
#[must_use]
pub struct RowAction<M> {
    action: AnyRowAction,
    marker: PhantomData<fn() -> M>,
}

/// Type-erased action.
#[derive(Debug, Clone)]
pub(crate) struct AnyRowAction {
    pub(crate) label: String,
    /// Path below the item that gets a POST; `None` for a change of fields.
    pub(crate) path: Option<String>,
    /// Changed fields as JSON.
    pub(crate) body: String,
}

impl<M: Model> RowAction<M> {
    /// Creates an action that sets a field to a value.
    pub fn set<T: ColumnType>(label: impl Into<String>, field: Field<M, T>, value: T) -> Self {
        let action = AnyRowAction {
            label: label.into(),
            path: None,
            body: format!("{{{}}}", member(field, &value)),
        };
        Self {
            action,
            marker: PhantomData,
        }
    }

    /// Sets a further field.
    pub fn and_set<T: ColumnType>(mut self, field: Field<M, T>, value: T) -> Self {
        self.action.body.pop();
        self.action.body.push(',');
        self.action.body.push_str(&member(field, &value));
        self.action.body.push('}');
        self
    }

    /// Creates an action that sends a POST to a path below each item: `post("Disable", "disable")` for
    /// `/users/<int:id>/disable`.
    pub fn post(label: impl Into<String>, path: impl Into<String>) -> Self {
        let action = AnyRowAction {
            label: label.into(),
            path: Some(path.into().trim_start_matches('/').to_owned()),
            body: String::new(),
        };
        Self {
            action,
            marker: PhantomData,
        }
    }
}

/// Member of a JSON object.
fn member<M: Model, T: ColumnType>(field: Field<M, T>, value: &T) -> String {
    let mut out = Vec::new();
    write_value(&mut out, value.to_value());
    let name = serde_json::Value::String(field.column().wire_name());
    format!("{name}:{}", String::from_utf8_lossy(&out))
}

impl ResourcePage {
    /// Whether an option names a field.
    pub(crate) fn names_fields(&self) -> bool {
        !self.columns.is_empty() || self.field_names().next().is_some()
    }

    /// Names of the fields of all options but the columns.
    pub(crate) fn field_names(&self) -> impl Iterator<Item = &str> {
        let grouped = self.groups.iter().flat_map(|(_, names)| names);
        let texts = self.labels.iter().chain(&self.help).map(|(name, _)| name);
        self.title_field
            .iter()
            .chain(grouped)
            .chain(texts)
            .map(String::as_str)
    }

    /// Label of a field.
    pub(crate) fn label_of(&self, field: &str) -> Option<&str> {
        let mut labels = self.labels.iter();
        labels
            .find(|(name, _)| name == field)
            .map(|(_, text)| text.as_str())
    }

    /// Help of a field.
    pub(crate) fn help_of(&self, field: &str) -> Option<&str> {
        let mut help = self.help.iter();
        help.find(|(name, _)| name == field)
            .map(|(_, text)| text.as_str())
    }

    /// Puts items under the headings of the groups, and the others under none at the end.
    pub(crate) fn grouped<T>(&self, items: Vec<T>, name: impl Fn(&T) -> &str) -> Vec<(String, Vec<T>)> {
        let mut rest = items;
        let mut groups = Vec::new();
        for (title, names) in &self.groups {
            let is_own = |item: &T| names.iter().any(|known| known == name(item));
            let (own, others): (Vec<T>, Vec<T>) = rest.into_iter().partition(is_own);
            rest = others;
            if !own.is_empty() {
                groups.push((title.clone(), own));
            }
        }
        if !rest.is_empty() || groups.is_empty() {
            groups.push((String::new(), rest));
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_grouped_and_the_others_come_last() {
        let page = ResourcePage {
            groups: vec![("Text".to_owned(), vec!["title".to_owned(), "body".to_owned()])],
            ..ResourcePage::default()
        };
        let grouped = page.grouped(vec!["id", "title", "rating", "body"], |name| name);
        let expected = [
            ("Text".to_owned(), vec!["title", "body"]),
            (String::new(), vec!["id", "rating"]),
        ];
        assert_eq!(grouped, expected);
        assert_eq!(
            ResourcePage::default()
                .grouped(Vec::<&str>::new(), |name| name)
                .len(),
            1
        );
    }
}
