//! The document as a whole.

use std::sync::Arc;

use foldhash::HashSet;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use model_resource_schema::naming;
use serde_json::{Value, json};

use crate::description::{ActionDescription, ApiDescription};
use crate::openapi::components::{DocumentComponents, texts};
use crate::openapi::json_writer::JsonObjectWriter;
use crate::openapi::merge;
use crate::openapi::objects::ObjectSchemas;
use crate::openapi::operation::{OperationWriter, first_segment, tag};
use crate::openapi::operation_id::OperationIds;
use crate::openapi::path::template;
use crate::openapi::security::SecuritySchemes;
use crate::openapi::settings::OpenApiSettings;
use crate::openapi::shared_parts::SharedParts;

/// Parts of a document that are the same for every caller.
pub(super) struct DocumentSource {
    settings: OpenApiSettings,
    ids: OperationIds,
    security: SecuritySchemes,
}

impl DocumentSource {
    /// Creates the source of an api's documents; `anonymous` is the part that an anonymous caller can use.
    pub(super) fn new(whole: &ApiDescription, anonymous: &ApiDescription, settings: OpenApiSettings) -> Self {
        Self {
            ids: OperationIds::of(whole),
            security: SecuritySchemes::new(settings.credentials.clone(), anonymous),
            settings,
        }
    }

    /// Member `servers`, for a request that outer routers have stripped a prefix from.
    pub(super) fn servers(&self, outer_prefix: &str) -> Value {
        self.settings.info.servers(outer_prefix)
    }

    /// Text of the document of the part of an api that a caller can use, without `servers`.
    ///
    /// Each operation is written and dropped before the next: as a tree of JSON values, the document of a large api
    /// takes many times the memory of its text, and the time to fill it.
    pub(super) fn document(&self, api: &ApiDescription) -> Vec<u8> {
        let mut out = Vec::with_capacity(estimated_size(api));
        let mut document = JsonObjectWriter::new(&mut out);
        document.member("openapi", "3.1.0");
        document.member("info", &self.settings.info.to_json(&api.name));
        document.member("tags", &self.tags(api));
        let (mut objects, mut shared) = (ObjectSchemas::new(api), SharedParts::default());
        document.object("paths", |paths| {
            self.write_paths(api, &mut objects, &mut shared, paths);
        });
        let components = self.components(objects, shared);
        document.object("components", |members| components.write(members));
        document.end();
        out
    }

    fn tags(&self, api: &ApiDescription) -> Vec<Value> {
        let (mut tags, mut known) = (Vec::new(), HashSet::default());
        for action in described(api) {
            let tag = tag(action, &api.prefix);
            if known.insert(tag.clone()) {
                tags.push(json!({"name": tag, "description": tag_description(api, action)}));
            }
        }
        for other in self.settings.merged.iter().flat_map(merge::tags) {
            if !tags.iter().any(|tag| tag.get("name") == other.get("name")) {
                tags.push(other.clone());
            }
        }
        tags
    }

    fn write_paths<'a>(
        &self,
        api: &'a ApiDescription,
        objects: &mut ObjectSchemas<'a>,
        shared: &mut SharedParts,
        paths: &mut JsonObjectWriter<'_>,
    ) {
        let mut writer = OperationWriter::new(&self.ids, &api.prefix, &self.security);
        let mut found: IndexMap<String, Vec<&'a ActionDescription>, RandomState> = IndexMap::default();
        for action in described(api) {
            let path = found.entry(template(&action.route.url)).or_default();
            if path.iter().all(|known| known.route.method != action.route.method) {
                path.push(action);
            }
        }
        for (path, actions) in &found {
            paths.object(path, |members| {
                let mut known = Vec::new();
                for action in actions {
                    let method = action.route.method.to_ascii_lowercase();
                    members.object(&method, |operation| {
                        writer.write(action, objects, shared, operation);
                    });
                    known.push(method);
                }
                merge::write_members(&self.settings.merged, path, &mut known, members);
            });
        }
        let mut known: HashSet<&str> = found.keys().map(String::as_str).collect();
        for path in self.settings.merged.iter().flat_map(merge::paths) {
            if known.insert(path) {
                paths.object(path, |members| {
                    merge::write_members(&self.settings.merged, path, &mut Vec::new(), members);
                });
            }
        }
    }

    fn components(&self, objects: ObjectSchemas<'_>, shared: SharedParts) -> DocumentComponents {
        let mut components = DocumentComponents::default();
        components.add("schemas", objects.into_schemas());
        components.add("schemas", texts(shared.filters.into_schemas()));
        components.add("parameters", shared.parameters);
        components.add("responses", shared.responses);
        components.add("headers", shared.headers);
        components.add("securitySchemes", texts(self.security.schemes()));
        for (kind, parts) in self.settings.merged.iter().flat_map(merge::components) {
            components.merge(kind, parts);
        }
        components
    }
}

/// Approximate size of a document, so that its memory is allocated once.
fn estimated_size(api: &ApiDescription) -> usize {
    const OPERATION: usize = 3 * 1024;
    const FILTER: usize = 100;
    let filters = |action: &ActionDescription| {
        let list = action.list.as_ref();
        let filters = list.into_iter().flat_map(|list| &list.filters);
        filters.map(|filter| filter.operators.len()).sum::<usize>()
    };
    described(api)
        .map(|action| OPERATION + filters(action) * FILTER)
        .sum()
}

/// Description of the tag of an action.
fn tag_description(api: &ApiDescription, action: &ActionDescription) -> String {
    let own = api.resource(action.endpoint).map(|resource| resource.description);
    match (own, action.model) {
        (Some(own), _) if !own.is_empty() => own.to_owned(),
        (_, Some(model)) => format!("Operations on {}.", naming::plural(&naming::label(model))),
        (_, None) => match first_segment(action, &api.prefix) {
            "/" => "Views of the api.".to_owned(),
            segment => format!("Views below `/{segment}`."),
        },
    }
}

/// Actions that a document can have.
fn described(api: &ApiDescription) -> impl Iterator<Item = &ActionDescription> {
    let methods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "TRACE"];
    let actions = api.actions.iter().map(Arc::as_ref);
    actions.filter(move |action| methods.contains(&action.route.method.as_str()))
}
