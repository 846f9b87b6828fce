//! Labels of referenced objects: from the response, or read in batches as the same caller.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use futures_util::future::join_all;
use model_resource_schema::serializer::{ObjectSchema, OutputValue};

use crate::description::ActionDescription;
use crate::pages::content::Fetch;
use crate::pages::page_json::PageJson;
use crate::pages::site::{self, Site};
use crate::pages::urls::{PageQuery, push_segment};
use crate::routing::Converter;

/// Maximum keys in one request, that of the operator `in`.
const MAX_KEYS: usize = 200;
/// Maximum requests for the labels of one model.
const MAX_REQUESTS: usize = 5;

/// Labels and links of referenced objects, by model.
#[derive(Default)]
pub(crate) struct Labels(HashMap<&'static str, ModelLabels>);

/// Labels of one model's objects.
#[derive(Default)]
struct ModelLabels {
    /// Link to an object, before and after its key. `None` if the caller cannot open any.
    link: Option<(String, String)>,
    by_key: HashMap<String, ReferencedObject>,
    names: Option<LabelNames>,
}

/// Object that a foreign key references.
struct ReferencedObject {
    label: String,
    /// Key in the URL of the object, which need not be the referenced one; `None` if it has no URL.
    url_key: Option<String>,
}

/// Referenced model and the keys of its objects on a page.
pub(crate) type ReferencedKeys = HashMap<&'static str, BTreeSet<String>>;

impl Labels {
    /// Labels of the objects that foreign keys reference: of those that the response contains, and of others by
    /// requests. Objects that the caller does not see have none.
    pub(crate) async fn load(
        site: &Site<'_>,
        fetch: &dyn Fetch,
        mut keys: ReferencedKeys,
        contained: &[(&'static str, &PageJson<'_>)],
    ) -> Self {
        let mut labels = Self::default();
        for (model, object) in contained {
            let known = labels
                .0
                .entry(model)
                .or_insert_with(|| ModelLabels::new(site, model));
            let Some(names) = &known.names else {
                continue;
            };
            // Many rows contain the same object.
            let key = names.key(object).filter(|key| !known.by_key.contains_key(&**key));
            if let Some(key) = key {
                if let Some(keys) = keys.get_mut(model) {
                    keys.remove(&*key);
                }
                known.by_key.insert(key.into_owned(), names.read(object));
            }
        }
        keys.retain(|_, keys| !keys.is_empty());
        let loads = keys.iter().map(async |(model, keys)| {
            let mut loaded = ModelLabels::new(site, model);
            loaded.load(site, fetch, keys).await;
            (*model, loaded)
        });
        for (model, loaded) in join_all(loads).await {
            let known = labels.0.entry(model).or_default();
            known.link = loaded.link;
            known.by_key.extend(loaded.by_key);
        }
        labels
    }

    /// Key by which others reference a related object, if its label is known.
    pub(crate) fn key<'v>(&self, model: &str, object: &'v PageJson<'_>) -> Option<Cow<'v, str>> {
        let labels = self.0.get(model)?;
        let key = labels.names.as_ref()?.key(object)?;
        labels.by_key.contains_key(&*key).then_some(key)
    }

    /// Label of an object.
    pub(crate) fn label(&self, model: &str, key: &str) -> Option<&str> {
        let object = self.0.get(model)?.by_key.get(key)?;
        Some(&object.label)
    }

    /// Link to an object, if the caller sees it.
    pub(crate) fn link(&self, model: &str, key: &str) -> Option<String> {
        let labels = self.0.get(model)?;
        let (before, after) = labels.link.as_ref()?;
        let mut link = before.clone();
        push_segment(&mut link, labels.by_key.get(key)?.url_key.as_deref()?);
        link.push_str(after);
        Some(link)
    }
}

impl ModelLabels {
    /// Labels of a model's objects, of which none is known yet.
    fn new(site: &Site<'_>, model: &str) -> Self {
        let mut labels = Self::default();
        let Some(item) = site.item(model) else {
            return labels;
        };
        labels.names = item
            .response
            .as_deref()
            .and_then(|schema| LabelNames::of(site, item, schema));
        // The link is split where this key is.
        let sample = "0";
        let path = site.fill(&item.route.url, &[sample]);
        labels.link = path.and_then(|path| {
            let (before, after) = path.rsplit_once(sample)?;
            Some((site.href(before), after.to_owned()))
        });
        labels
    }

    async fn load(&mut self, site: &Site<'_>, fetch: &dyn Fetch, keys: &BTreeSet<String>) {
        let Some(names) = &self.names else {
            return;
        };
        let Some(list) = site.collection(names.model) else {
            return;
        };
        let Some(path) = site.fill(&list.route.url, &[]) else {
            return;
        };
        let keys: Vec<&String> = keys.iter().collect();
        let requests = keys.chunks(MAX_KEYS).take(MAX_REQUESTS);
        let requests = requests.map(|keys| fetch.get(names.query(keys).url(&path)));
        for content in join_all(requests).await {
            let json = content.json();
            let rows = site::list_rows(&json, list.response.as_deref());
            let read = rows
                .into_iter()
                .flatten()
                .filter_map(|row| Some((names.key(row)?.into_owned(), names.read(row))));
            self.by_key.extend(read);
        }
    }
}

/// Names of the fields that identify and name an object.
struct LabelNames {
    model: &'static str,
    key: String,
    url_key: String,
    converter: Option<Converter>,
    label: String,
}

impl LabelNames {
    fn of(site: &Site<'_>, item: &ActionDescription, schema: &ObjectSchema) -> Option<Self> {
        let url_key = site.key_name(item, schema)?;
        Some(Self {
            model: schema.model,
            key: site.primary_key_name(schema).unwrap_or(url_key).to_owned(),
            url_key: url_key.to_owned(),
            converter: site::key_converter(item),
            label: site.label_name(item, schema).unwrap_or(url_key).to_owned(),
        })
    }

    fn query(&self, keys: &[&String]) -> PageQuery {
        let escaped: Vec<String> = keys.iter().map(|key| escaped(key)).collect();
        let mut fields = vec![self.key.as_str(), &self.url_key, &self.label];
        fields.sort_unstable();
        fields.dedup();
        PageQuery(vec![
            (format!("{}[in]", self.key), escaped.join(",")),
            ("fields".to_owned(), fields.join(",")),
            ("limit".to_owned(), keys.len().to_string()),
        ])
    }

    /// Key by which others reference an object.
    fn key<'v>(&self, object: &'v PageJson<'_>) -> Option<Cow<'v, str>> {
        object.get(&self.key).and_then(site::key_text)
    }

    fn read(&self, object: &PageJson<'_>) -> ReferencedObject {
        let text = |name: &str| object.get(name).and_then(site::key_text);
        let label = object.get(&self.label).and_then(text_of);
        let label = label.or_else(|| Some(Cow::Owned(format!("#{}", text(&self.key)?))));
        let has_url = |key: &Cow<'_, str>| {
            let converter = self.converter.as_ref();
            converter.is_some_and(|converter| converter.takes(key))
        };
        ReferencedObject {
            label: label.unwrap_or_default().into_owned(),
            url_key: text(&self.url_key).filter(has_url).map(Cow::into_owned),
        }
    }
}

/// Related objects in rows, with their models.
pub(crate) fn contained<'v>(
    rows: &'v [PageJson<'v>],
    schema: &ObjectSchema,
) -> Vec<(&'static str, &'v PageJson<'v>)> {
    let related = schema.output.iter().filter_map(|field| match field.value {
        OutputValue::Related { model, .. } => Some((field.name.as_str(), model)),
        _ => None,
    });
    let related: Vec<(&str, &'static str)> = related.collect();
    let objects = rows.iter().flat_map(|row| {
        let values = related
            .iter()
            .filter_map(|(name, model)| Some((*model, row.get(name)?)));
        values.flat_map(|(model, value)| {
            let objects = match value {
                PageJson::Array(items) => items.as_slice(),
                other => std::slice::from_ref(other),
            };
            let objects = objects.iter().filter(|object| object.is_object());
            objects.map(move |object| (model, object))
        })
    });
    objects.collect()
}

/// Key in a list of values.
fn escaped(key: &str) -> String {
    key.replace('\\', "\\\\").replace(',', "\\,")
}

/// Text of a label; `None` if it is empty.
pub(crate) fn text_of<'v>(value: &'v PageJson<'_>) -> Option<Cow<'v, str>> {
    site::key_text(value).filter(|text| !text.trim().is_empty())
}
