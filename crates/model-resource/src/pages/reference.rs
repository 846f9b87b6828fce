//! Search for the object that a foreign key references.

use model_resource_schema::serializer::ObjectSchema;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::naming;
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
    /// Model in words, such as "category".
    pub(crate) model: String,
    /// Path of the objects before their keys; empty if they have no page.
    pub(crate) item_url: String,
    /// Field with the key in the URL of an object, which need not be the referenced one.
    pub(crate) url_key: String,
}

impl ReferenceSearch {
    /// Search for objects of a model, if the caller may list them.
    pub(crate) fn of(site: &Site<'_>, model: &str) -> Option<Self> {
        let list = site.collection(model)?;
        let schema = list.response.as_deref()?;
        let key = site.primary_key_name(schema);
        let key = key.or_else(|| site.key_name(site.item(model)?, schema))?;
        let label = site.label_name(list, schema).unwrap_or(key);
        Self::new(site, list, key, label)
    }

    /// Search for objects of a model that are named by this field. Another one than the primary key is their label, too.
    pub(crate) fn by(site: &Site<'_>, model: &str, field: &str) -> Option<Self> {
        let list = site.collection(model)?;
        let schema = list.response.as_deref()?;
        if site.primary_key_name(schema) == Some(field) {
            return Self::of(site, model);
        }
        let (shown, _) = site::columns(schema).find(|(column, _)| column.name == field)?;
        Self::new(site, list, &shown.name, &shown.name)
    }

    fn new(site: &Site<'_>, list: &ActionDescription, key: &str, label: &str) -> Option<Self> {
        let schema = list.response.as_deref()?;
        let options = list.list.as_ref()?;
        let model = schema.model;
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
        let (item_url, url_key) = item_page(site, model, schema).unwrap_or_default();
        let envelope = schema.envelope.as_ref().map(|envelope| envelope.many.clone());
        Some(Self {
            url,
            key: key.to_owned(),
            label: label.to_owned(),
            parameter,
            envelope: envelope.unwrap_or_default(),
            new_url,
            model: naming::words(model).to_lowercase(),
            item_url,
            url_key,
        })
    }
}

/// Path of a model's objects before their keys, and the field with the key.
fn item_page(site: &Site<'_>, model: &str, schema: &ObjectSchema) -> Option<(String, String)> {
    let item = site.item(model)?;
    let key = site.key_name(item, schema)?;
    // The path is split where this key is.
    let path = site.fill(&item.route.url, &["0"])?;
    let before = path.strip_suffix("/0")?;
    Some((site.href(&format!("{before}/")), key.to_owned()))
}
