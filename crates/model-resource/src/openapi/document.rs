//! The document as a whole.

use foldhash::HashSet;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use model_resource_schema::naming;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::description::{ActionDescription, ApiDescription};
use crate::openapi::objects::ObjectSchemas;
use crate::openapi::operation::{OperationObject, OperationWriter, first_segment, tag};
use crate::openapi::operation_id::OperationIds;
use crate::openapi::path::template;
use crate::openapi::security::SecuritySchemes;
use crate::openapi::settings::OpenApiSettings;
use crate::openapi::shared_parts::SharedParts;

/// OpenAPI document. Operations are typed, because a tree of JSON values takes several times as long to build.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Document<'d> {
    openapi: &'static str,
    info: Value,
    pub(super) tags: Vec<Value>,
    #[serde(serialize_with = "as_map")]
    pub(super) paths: IndexMap<String, PathItem<'d>, RandomState>,
    pub(super) components: Map<String, Value>,
}

/// Members of a path by name: operations by method, and what other documents have.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(transparent)]
pub(super) struct PathItem<'d>(
    #[serde(serialize_with = "as_map")] pub(super) IndexMap<String, PathMember<'d>, RandomState>,
);

/// Member of a path.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(super) enum PathMember<'d> {
    Operation(Box<OperationObject<'d>>),
    Merged(&'d Value),
}

fn as_map<S: Serializer, T: Serialize>(
    map: &IndexMap<String, T, RandomState>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map)
}

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
    pub(super) fn document<'d>(&'d self, api: &'d ApiDescription) -> Document<'d> {
        let mut objects = ObjectSchemas::new(api);
        let mut shared = SharedParts::default();
        let writer = OperationWriter {
            ids: &self.ids,
            prefix: &api.prefix,
            security: &self.security,
        };
        let mut document = Document {
            openapi: "3.1.0",
            info: self.settings.info.to_json(&api.name),
            tags: Vec::new(),
            paths: IndexMap::default(),
            components: Map::new(),
        };
        let mut known = HashSet::default();
        let actions = api.actions.iter().filter(|action| action.route.method != "HEAD");
        for action in actions {
            let path = document.paths.entry(template(&action.route.url)).or_default();
            let method = action.route.method.to_ascii_lowercase();
            if is_described(&method) && !path.0.contains_key(&method) {
                let operation = writer.operation(action, &mut objects, &mut shared);
                path.0.insert(method, PathMember::Operation(Box::new(operation)));
            }
            let tag = tag(action, &api.prefix);
            if known.insert(tag.clone()) {
                let description = tag_description(api, action);
                document
                    .tags
                    .push(json!({"name": tag, "description": description}));
            }
        }
        document.components = self.components(objects, shared);
        for other in &self.settings.merged {
            document.merge(other);
        }
        document
    }

    fn components(&self, objects: ObjectSchemas<'_>, shared: SharedParts) -> Map<String, Value> {
        let mut schemas = objects.into_schemas();
        schemas.extend(shared.filters.into_schemas());
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

/// Whether a path of the document can have this method.
fn is_described(method: &str) -> bool {
    [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ]
    .contains(&method)
}
