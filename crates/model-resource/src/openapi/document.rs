//! The document as a whole.

use foldhash::HashSet;
use model_resource_schema::naming;
use serde_json::{Map, Value, json};

use crate::description::ApiDescription;
use crate::openapi::json::object;
use crate::openapi::merge::merge;
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

    /// Document of the part of an api that a caller can use, without `servers`.
    pub(super) fn document(&self, api: &ApiDescription) -> Map<String, Value> {
        let mut objects = ObjectSchemas::new(api);
        let mut shared = SharedParts::default();
        let writer = OperationWriter {
            ids: &self.ids,
            prefix: &api.prefix,
            security: &self.security,
        };
        let mut paths = Map::new();
        let (mut tags, mut known) = (Vec::new(), HashSet::default());
        let actions = api.actions.iter().filter(|action| action.route.method != "HEAD");
        for action in actions {
            let path = paths.entry(template(&action.route.url));
            let path = path.or_insert_with(|| Value::Object(Map::new()));
            let method = action.route.method.to_ascii_lowercase();
            if is_described(&method) && path.get(&method).is_none() {
                path[method] = writer.operation(action, &mut objects, &mut shared);
            }
            let tag = tag(action, &api.prefix);
            if known.insert(tag.clone()) {
                let own = api.resource(action.endpoint).map(|resource| resource.description);
                let description = match (own, action.model) {
                    (Some(own), _) if !own.is_empty() => own.to_owned(),
                    (_, Some(model)) => format!("Operations on {}.", naming::plural(&naming::label(model))),
                    (_, None) => match first_segment(action, &api.prefix) {
                        "/" => "Views of the api.".to_owned(),
                        segment => format!("Views below `/{segment}`."),
                    },
                };
                tags.push(json!({"name": tag, "description": description}));
            }
        }
        let mut document = object(json!({
            "openapi": "3.1.0",
            "info": self.settings.info.to_json(&api.name),
            "tags": tags,
            "paths": paths,
            "components": self.components(objects, shared),
        }));
        for other in &self.settings.merged {
            merge(&mut document, other);
        }
        document
    }

    fn components(&self, objects: ObjectSchemas<'_>, shared: SharedParts) -> Value {
        let mut schemas = objects.into_schemas();
        schemas.extend(shared.values);
        let parts = [
            ("schemas", schemas),
            ("parameters", shared.parameters),
            ("responses", shared.responses),
            ("headers", shared.headers),
            ("securitySchemes", self.security.schemes()),
        ];
        let used = parts.into_iter().filter(|(_, parts)| !parts.is_empty());
        used.map(|(name, parts)| (name.to_owned(), Value::Object(parts)))
            .collect()
    }
}

/// Whether a path of the document can have this method.
fn is_described(method: &str) -> bool {
    [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ]
    .contains(&method)
}
