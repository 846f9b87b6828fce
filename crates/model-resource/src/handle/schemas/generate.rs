//! Generation of JSON Schemas from types.

use std::borrow::Cow;
use std::marker::PhantomData;

use model_resource_schema::model::Model;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// JSON Schema of a type's values as they are serialized, for [`SerializerFields::schema`](crate::SerializerFields::schema).
/// Recursive types are in its `$defs`, and become components of the document.
///
/// ```
/// use model_resource::json_schema;
/// use serde_json::json;
///
/// assert_eq!(json_schema::<Vec<bool>>(), json!({"type": "array", "items": {"type": "boolean"}}));
/// ```
pub fn json_schema<T: JsonSchema + ?Sized>() -> Value {
    let mut definitions = Map::new();
    let mut schema = output::<T>(&mut definitions);
    if !definitions.is_empty() {
        schema["$defs"] = definitions.into();
    }
    schema
}

/// Schema of a type that is deserialized. Recursive types are added to the definitions.
pub(super) fn input<T: JsonSchema + ?Sized>(definitions: &mut Map<String, Value>) -> Value {
    generate::<T>(SchemaSettings::draft2020_12().for_deserialize(), definitions)
}

/// Schema of a type that is serialized. Recursive types are added to the definitions.
pub(super) fn output<T: JsonSchema + ?Sized>(definitions: &mut Map<String, Value>) -> Value {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize(), definitions)
}

fn generate<T: JsonSchema + ?Sized>(
    mut settings: SchemaSettings,
    definitions: &mut Map<String, Value>,
) -> Value {
    settings.inline_subschemas = true;
    settings.definitions_path = Cow::Borrowed("/components/schemas");
    let mut generator = SchemaGenerator::new(settings);
    let mut schema = generator.subschema_for::<T>().to_value();
    definitions.extend(generator.take_definitions(true));
    if let Value::Object(members) = &mut schema
        && !T::inline_schema()
        && !members.contains_key("$ref")
    {
        let name = || Value::String(T::schema_name().into_owned());
        members.entry("title").or_insert_with(name);
    }
    schema
}

/// Object of a model as its serializer writes it, as a member of a documented reply.
///
/// It is only for types that document a reply, and has no value. The OpenAPI document refers to the schema of the
/// model's objects.
///
/// ```
/// use model_resource::schemars::{self, JsonSchema};
/// use model_resource::{Model, ObjectOf, Reply, Result, route};
///
/// #[derive(Model)]
/// struct User {
///     #[column(primary_key)]
///     id: i64,
///     name: String,
/// }
///
/// #[derive(JsonSchema)]
/// struct Status {
///     authenticated: bool,
///     user: Option<ObjectOf<User>>,
/// }
///
/// #[route("/status", response = Status)]
/// async fn status() -> Result<Reply> {
///     Reply::json(&serde_json::json!({"authenticated": false, "user": null}))
/// }
/// ```
pub struct ObjectOf<M>(PhantomData<fn() -> M>);

impl<M: Model> JsonSchema for ObjectOf<M> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed(M::table().model)
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "object", "x-model": M::table().model})
    }
}
