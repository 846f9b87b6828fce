//! Relations that the page of an object shows although its response does not have them: those through a join model, and
//! those of objects that no list shows.

use model_resource_schema::serializer::{ObjectSchema, OutputSchema, OutputValue};

use crate::pages::content::{Fetch, FetchedResponse};
use crate::pages::page_json::PageJson;
use crate::pages::site::Site;
use crate::pages::urls::PageQuery;

/// Maximum relations that are read.
const MAX_RELATIONS: usize = 6;

/// Object of a page, and its relations that are read on request.
#[derive(Clone, Copy)]
pub(crate) struct ShownObject<'v> {
    pub(crate) object: &'v PageJson<'v>,
    pub(crate) joined: Option<&'v PageJson<'v>>,
}

impl<'v> ShownObject<'v> {
    /// Value of a field.
    pub(crate) fn get(self, name: &str) -> Option<&'v PageJson<'v>> {
        let joined = || self.joined.and_then(|joined| joined.get(name));
        self.object.get(name).or_else(joined)
    }
}

/// Whether a field is written only on request, and no list of its own shows it.
pub(crate) fn is_joined(site: &Site<'_>, field: &OutputSchema) -> bool {
    let is_shown = match field.value {
        OutputValue::Related { is_joined: true, .. } | OutputValue::RelatedValues { .. } => true,
        OutputValue::Related { model, is_many, .. } => is_many && !is_listed(site, model),
        _ => false,
    };
    field.is_expandable && is_shown
}

/// Whether the caller can list the objects of a model.
fn is_listed(site: &Site<'_>, model: &str) -> bool {
    let mut actions = site.api.actions.iter();
    actions.any(|action| action.model == Some(model) && action.list.is_some())
}

/// Reads the relations that no list shows. Without them, and if they have too many objects, the page shows the rest.
pub(crate) async fn fetch_joined(
    site: &Site<'_>,
    schema: &ObjectSchema,
    fetch: &dyn Fetch,
) -> Option<FetchedResponse> {
    let fields = schema.output.iter().filter(|field| is_joined(site, field));
    let names: Vec<&str> = fields
        .map(|field| field.name.as_str())
        .take(MAX_RELATIONS)
        .collect();
    if names.is_empty() {
        return None;
    }
    let names = names.join(",");
    let query = PageQuery::default()
        .with("expand", names.as_str())
        .with("fields", names.as_str());
    let content = fetch.get(query.url(site.path())).await;
    content.status.is_success().then_some(content)
}
