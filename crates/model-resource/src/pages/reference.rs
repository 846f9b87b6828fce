//! Search for the object that a foreign key references.

use serde::Serialize;

use crate::pages::site::{self, Site};

/// List in which a script searches for an object by its label.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ReferenceSearch {
    /// Path of the list.
    pub(crate) url: String,
    /// Field with the referenced key.
    pub(crate) key: String,
    /// Field with the label.
    pub(crate) label: String,
    /// Query parameter that searches: `q`, or a filter on the label.
    pub(crate) parameter: String,
    /// Envelope of the list; empty if there is none.
    pub(crate) envelope: String,
    /// Link to the form that creates such an object, if the caller may.
    pub(crate) new_url: Option<String>,
}

impl ReferenceSearch {
    /// Search for objects of a model, if the caller may list them.
    pub(crate) fn of(site: &Site<'_>, model: &str) -> Option<Self> {
        let list = site.collection(model)?;
        let schema = list.response.as_deref()?;
        let options = list.list.as_ref()?;
        let mut names = site::columns(schema).map(|(field, _)| field.name.as_str());
        let key = names.find(|name| *name == "id");
        let key = key.or_else(|| site::key_name(site.item(model)?, schema))?;
        let label = site.label_name(list, schema).unwrap_or(key);
        let filter = options.filters.iter().find(|filter| filter.field == label);
        let parameter = match filter {
            Some(filter) if filter.operators.contains(&"icontains") => format!("{label}[icontains]"),
            _ if !options.search.is_empty() => "q".to_owned(),
            _ => return None,
        };
        let url = site.href(&site.fill(&list.route.url, &[])?);
        let new_url = site
            .action(&list.route.url, "POST")
            .map(|_| format!("{url}?_view=new"));
        let envelope = schema.envelope.as_ref().map(|envelope| envelope.many.clone());
        Some(Self {
            url,
            key: key.to_owned(),
            label: label.to_owned(),
            parameter,
            envelope: envelope.unwrap_or_default(),
            new_url,
        })
    }
}
