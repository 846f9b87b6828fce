//! Description of the api as pages use it: which URL lists a model, which one shows an object, and how it is labelled.

use std::borrow::Cow;

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{ObjectSchema, OutputSchema, OutputValue};

use crate::description::{ActionDescription, ApiDescription};
use crate::pages::content::PageRequest;
use crate::pages::options::ResourcePage;
use crate::pages::page_json::PageJson;
use crate::pages::settings::CompiledPages;
use crate::pages::urls::PageQuery;
use crate::pages::{naming, urls};
use crate::routing::{Converter, Operation};

/// Names of fields that usually name an object, the best ones first.
const LABELS: [&str; 9] = [
    "name",
    "title",
    "label",
    "username",
    "fullName",
    "displayName",
    "subject",
    "slug",
    "email",
];

/// Caller's description of the api, with the parts of the URL that all links share.
pub(crate) struct Site<'a> {
    pub(crate) api: &'a ApiDescription,
    pub(crate) request: &'a PageRequest,
    pub(crate) pages: &'a CompiledPages,
    /// Values of the parameters in the api's prefix.
    prefix_values: Vec<String>,
}

impl<'a> Site<'a> {
    pub(crate) fn new(pages: &'a CompiledPages, api: &'a ApiDescription, request: &'a PageRequest) -> Self {
        let path = request.path.strip_prefix(request.mount.as_str());
        let path = path.unwrap_or(&request.path);
        let length = api.prefix.split('/').count();
        let own: Vec<&str> = path.split('/').take(length).collect();
        let prefix_values = urls::values(&api.prefix, &own.join("/")).unwrap_or_default();
        Self {
            api,
            request,
            pages,
            prefix_values,
        }
    }

    /// Path of the request without the prefix that a proxy strips.
    pub(crate) fn path(&self) -> &str {
        let path = &self.request.path;
        path.strip_prefix(self.request.mount.as_str()).unwrap_or(path)
    }

    /// Link to a path of the api.
    pub(crate) fn href(&self, path: &str) -> String {
        format!("{}{path}", self.request.mount)
    }

    /// Path of the overview.
    pub(crate) fn overview(&self) -> String {
        let path = urls::fill(&self.api.prefix, &self.prefix_values).unwrap_or_default();
        if path.is_empty() { "/".to_owned() } else { path }
    }

    /// Path of a rule whose last parameters have these values.
    pub(crate) fn fill(&self, rule: &str, values: &[&str]) -> Option<String> {
        let prefix = self.prefix_values.iter().cloned();
        let values: Vec<String> = prefix
            .chain(values.iter().map(|&value| value.to_owned()))
            .collect();
        urls::fill(rule, &values)
    }

    /// Number of parameters after those of the prefix.
    pub(crate) fn own_parameters(&self, action: &ActionDescription) -> usize {
        action.parameters.len().saturating_sub(self.prefix_values.len())
    }

    fn actions(&self) -> impl Iterator<Item = &'a ActionDescription> + use<'a> {
        self.api.actions.iter().map(|action| &**action)
    }

    /// Actions of a URL rule.
    pub(crate) fn actions_of(&self, rule: &str) -> impl Iterator<Item = &'a ActionDescription> {
        let actions = self.actions();
        actions.filter(move |action| action.route.url == rule)
    }

    /// Action of a rule for a method.
    pub(crate) fn action(&self, rule: &str, method: &str) -> Option<&'a ActionDescription> {
        self.actions_of(rule).find(|action| action.route.method == method)
    }

    /// Lists that are not below an object, in the order of registration.
    pub(crate) fn collections(&self) -> impl Iterator<Item = &'a ActionDescription> {
        let actions = self.actions();
        actions.filter(|action| is_get(action, Operation::List) && self.own_parameters(action) == 0)
    }

    /// List of all objects of a model.
    pub(crate) fn collection(&self, model: &str) -> Option<&'a ActionDescription> {
        self.collections().find(|action| action.model == Some(model))
    }

    /// Action that reads one object of a model, at a URL with one parameter.
    pub(crate) fn item(&self, model: &str) -> Option<&'a ActionDescription> {
        let mut actions = self.actions();
        actions.find(|action| {
            action.model == Some(model) && is_get(action, Operation::Get) && self.own_parameters(action) == 1
        })
    }

    /// Item action directly below a list: `/articles/<int:id>` of `/articles`.
    pub(crate) fn item_of_list(&self, list: &ActionDescription) -> Option<&'a ActionDescription> {
        let mut actions = self.actions().filter(|action| is_item(action));
        actions.find(|action| {
            let parent = action.route.url.rsplit_once('/').map(|(parent, _)| parent);
            action.model == list.model
                && parent.is_some_and(|parent| urls::same_shape(parent, &list.route.url))
        })
    }

    /// Title of a list: the plural of its model at the list of all objects, or else the last part of the URL.
    pub(crate) fn list_title(&self, list: &ActionDescription) -> String {
        if let Some(title) = self.options(list).and_then(|options| options.title.clone()) {
            return title;
        }
        let model = list.model.and_then(|model| self.api.model(model));
        let whole = model.filter(|model| model.list_url.as_deref() == Some(list.route.url.as_str()));
        whole.map_or_else(
            || url_title(&list.route.url),
            |model| naming::sentence(&model.plural),
        )
    }

    /// Options of an action's resource.
    pub(crate) fn options(&self, action: &ActionDescription) -> Option<&'a ResourcePage> {
        self.pages.resources.get(action.endpoint)
    }

    /// Lists in the navigation and the overview.
    pub(crate) fn shown_collections(&self) -> impl Iterator<Item = &'a ActionDescription> {
        let is_hidden =
            |action: &ActionDescription| self.options(action).is_some_and(|options| options.is_hidden);
        self.collections().filter(move |action| !is_hidden(action))
    }

    /// Label of a field: that of the resource's options, or else made from its name, for a foreign key without
    /// `Id`.
    pub(crate) fn field_label(
        &self,
        action: &ActionDescription,
        field: &str,
        label: &str,
        references: Option<&str>,
    ) -> String {
        let chosen = self.options(action).and_then(|options| options.label_of(field));
        match chosen {
            Some(chosen) => chosen.to_owned(),
            None => naming::field_words(field, label, references),
        }
    }

    /// Field that names an object of an action's resource, if there is a likely one.
    pub(crate) fn label_name<'s>(
        &self,
        action: &ActionDescription,
        schema: &'s ObjectSchema,
    ) -> Option<&'s str> {
        let chosen = self
            .options(action)
            .and_then(|options| options.title_field.as_deref());
        let declared = || self.api.model(schema.model)?.label_field.as_deref();
        let present = |chosen: &str| {
            let mut names = columns(schema).map(|(field, _)| field.name.as_str());
            names.find(|name| *name == chosen)
        };
        let chosen = chosen.and_then(present).or_else(|| declared().and_then(present));
        chosen.or_else(|| label_name(schema))
    }

    /// Name of the response field that identifies an object at this item URL: the column that the last parameter
    /// matches, or else the primary key.
    pub(crate) fn key_name<'s>(&self, item: &ActionDescription, schema: &'s ObjectSchema) -> Option<&'s str> {
        let column = item.parameters.last()?.column.as_deref();
        let mut names = columns(schema).map(|(field, _)| field.name.as_str());
        let own = names.find(|name| Some(*name) == column);
        own.or_else(|| self.primary_key_name(schema))
    }

    /// Name of the response field that is the primary key, if the response has it.
    pub(crate) fn primary_key_name<'s>(&self, schema: &'s ObjectSchema) -> Option<&'s str> {
        let key = self.api.model(schema.model)?.key.as_deref()?;
        let mut names = columns(schema).map(|(field, _)| field.name.as_str());
        names.find(|name| *name == key)
    }

    /// Documentation of a list's resource.
    pub(crate) fn description(&self, list: &ActionDescription) -> &'a str {
        let resource = self.api.resource(list.endpoint);
        resource.map_or("", |resource| resource.description)
    }
}

fn is_get(action: &ActionDescription, operation: Operation) -> bool {
    action.route.operation == Some(operation) && action.route.method == "GET"
}

fn is_item(action: &ActionDescription) -> bool {
    let operation = action.route.operation;
    let is_single = matches!(
        operation,
        Some(Operation::Get | Operation::Put | Operation::Patch | Operation::Delete)
    );
    is_single && !action.route.bulk && !action.route.filtered
}

/// Converter of the parameter that identifies an item. A key that it does not take has no URL.
pub(crate) fn key_converter(item: &ActionDescription) -> Option<Converter> {
    let parameter = item.parameters.last()?;
    Converter::parse(&parameter.converter).ok()
}

/// Columns among the fields of a response.
pub(crate) fn columns(schema: &ObjectSchema) -> impl Iterator<Item = (&OutputSchema, DataType)> {
    schema.output.iter().filter_map(|field| match field.value {
        OutputValue::Column { data_type, .. } => Some((field, data_type)),
        _ => None,
    })
}

/// Query that counts the rows of a list. Its one row has one field, since others may be long.
pub(crate) fn count_query(list: &ActionDescription, filter: &PageQuery) -> PageQuery {
    let field = list.response.as_deref().and_then(|schema| columns(schema).next());
    let query = filter.with("page", "1").with("pageSize", "1");
    match field {
        Some((field, _)) => query.with("fields", field.name.as_str()),
        None => query,
    }
}

/// Field that names an object, if there is a likely one.
fn label_name(schema: &ObjectSchema) -> Option<&str> {
    let texts = || {
        let texts = columns(schema).filter(|(_, data_type)| *data_type == DataType::Text);
        texts.map(|(field, _)| field.name.as_str())
    };
    let usual = LABELS.iter().find_map(|label| texts().find(|name| name == label));
    usual.or_else(|| texts().next())
}

/// Model that a field references, if it is a foreign key.
pub(crate) fn reference(field: &OutputSchema) -> Option<&'static str> {
    match field.value {
        OutputValue::Column { references, .. } => references,
        _ => None,
    }
}

/// Texts of a key, or of the keys in an array.
pub(crate) fn key_texts<'v>(value: &'v PageJson<'_>) -> impl Iterator<Item = Cow<'v, str>> {
    let keys = match value {
        PageJson::Array(keys) => keys.as_slice(),
        key => std::slice::from_ref(key),
    };
    keys.iter().filter_map(key_text)
}

/// Text of a key, as in URLs.
pub(crate) fn key_text<'v>(value: &'v PageJson<'_>) -> Option<Cow<'v, str>> {
    match value {
        PageJson::String(text) => Some(Cow::Borrowed(text)),
        PageJson::Number(number) => Some(Cow::Owned(number.to_string())),
        PageJson::Bool(true) => Some(Cow::Borrowed("true")),
        PageJson::Bool(false) => Some(Cow::Borrowed("false")),
        PageJson::Null | PageJson::Array(_) | PageJson::Object(_) => None,
    }
}

/// Title of a URL: made from its last segment that is not a parameter.
pub(crate) fn url_title(rule: &str) -> String {
    let segment = rule
        .rsplit('/')
        .find(|segment| !segment.is_empty() && !segment.starts_with('<'));
    naming::words(segment.unwrap_or("Overview"))
}

/// Objects of a list's response, out of its envelope.
pub(crate) fn list_rows<'v>(
    json: &'v PageJson<'v>,
    schema: Option<&ObjectSchema>,
) -> Option<&'v [PageJson<'v>]> {
    match schema.and_then(|schema| schema.envelope.as_ref()) {
        Some(envelope) => json.get(&envelope.many)?.as_array(),
        None => json.as_array(),
    }
}

/// Object of a response, out of its envelope.
pub(crate) fn single_object<'v>(
    json: &'v PageJson<'v>,
    schema: Option<&ObjectSchema>,
) -> Option<&'v PageJson<'v>> {
    let object = match schema.and_then(|schema| schema.envelope.as_ref()) {
        Some(envelope) => json.get(&envelope.one)?,
        None => json,
    };
    object.is_object().then_some(object)
}
