//! Shared schemas of objects: those of responses, and those of request bodies.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use model_resource_schema::serializer::{
    InputSchema, NestedSchema, ObjectSchema, OutputSchema, OutputValue, WriteMode,
};
use serde_json::{Map, Value, json};

use crate::description::{ActionDescription, ApiDescription};
use crate::openapi::body_texts::BodyTexts;
use crate::openapi::components::ComponentTexts;
use crate::openapi::data_type::accept_null;
use crate::openapi::errors;
use crate::openapi::field;
use crate::openapi::filter;
use crate::openapi::json::{Reference, schema_reference};
use crate::openapi::json_patch;
use crate::openapi::json_writer::{JsonObjectWriter, text};
use crate::openapi::keywords::SchemaKeywords;
use crate::routing::Operation;

/// Schemas of objects by name, each built once.
pub(super) struct ObjectSchemas<'d> {
    /// Object of each model at its item URL, to which relations refer.
    singles: HashMap<&'static str, &'d Arc<ObjectSchema>>,
    /// Names of the fields that clients may send, by model.
    inputs: HashMap<&'static str, HashSet<&'d str>>,
    outputs: HashMap<String, &'d [OutputSchema]>,
    bodies: HashMap<String, (&'d [InputSchema], &'d [NestedSchema])>,
    body_texts: BodyTexts<'d>,
    schemas: ComponentTexts,
    /// Buffer in which the text of a schema is written.
    buffer: Vec<u8>,
    /// Whether there is no action, and so no error.
    is_empty: bool,
}

/// Names of the schemas of an object in responses.
pub(super) struct OutputNames {
    /// Object with all members.
    pub(super) complete: String,
    /// Object with the members that `fields` selects.
    pub(super) selected: String,
}

impl<'d> ObjectSchemas<'d> {
    pub(super) fn new(api: &'d ApiDescription) -> Self {
        let mut singles = HashMap::default();
        let mut inputs: HashMap<_, HashSet<_>> = HashMap::default();
        for action in &api.actions {
            if let (Some(model), Some(Operation::Get), Some(response)) =
                (action.model, action.route.operation, &action.response)
            {
                singles.entry(model).or_insert(response);
            }
            if let (Some(model), Some(request)) = (action.model, &action.request) {
                let names = request.input.iter().map(|field| field.name.as_str());
                // The key by which a body identifies its object is not changed by it.
                let names = names.filter(|name| action.bulk_key.as_deref() != Some(*name));
                let relations = request.nested.iter().map(|relation| relation.name);
                inputs.entry(model).or_default().extend(names.chain(relations));
            }
        }
        Self {
            singles,
            inputs,
            outputs: HashMap::default(),
            bodies: HashMap::default(),
            body_texts: BodyTexts::default(),
            schemas: ComponentTexts::default(),
            buffer: Vec::new(),
            is_empty: api.actions.is_empty(),
        }
    }

    /// Refers to the schema of a JSON Patch.
    pub(super) fn json_patch(&mut self) -> Reference<'static> {
        if !self.schemas.contains_key(json_patch::NAME) {
            let schema = text(&json_patch::schema()).into();
            self.schemas.insert(json_patch::NAME.to_owned(), schema);
        }
        Reference::new("schemas", json_patch::NAME)
    }

    /// All schemas by name, those of errors included.
    pub(super) fn into_schemas(mut self) -> ComponentTexts {
        if !self.is_empty {
            let schemas = errors::schemas();
            self.schemas
                .extend(schemas.map(|(name, schema)| (name.to_owned(), text(&schema).into())));
        }
        self.schemas
    }

    /// Schema that was added under this name.
    fn added(&self, name: &str) -> Value {
        let text = self.schemas.get(name).map(AsRef::as_ref);
        serde_json::from_slice(text.unwrap_or_default()).unwrap_or_default()
    }

    /// Schema of a model's object; any object if the caller cannot get one by itself.
    pub(super) fn of_model(&mut self, model: &str) -> Value {
        match self.singles.get(model).copied() {
            Some(single) => {
                let names = self.output(model, model, single.description, &single.output);
                schema_reference(&names.complete)
            }
            None => json!({"type": "object"}),
        }
    }

    /// Schema of the object that an action responds with, and more members.
    pub(super) fn with_members(&mut self, action: &'d ActionDescription, added: &Value) -> Value {
        let Some(shown) = &action.response else {
            return added.clone();
        };
        let names = self.response(action, shown);
        let mut whole = self.added(&names.selected);
        let complete = self.added(&names.complete);
        let required = [&complete["required"], &added["required"]];
        let required = required.into_iter().filter_map(Value::as_array).flatten();
        whole["required"] = required.cloned().collect();
        if let (Some(properties), Some(added)) = (
            whole["properties"].as_object_mut(),
            added["properties"].as_object(),
        ) {
            properties.extend(added.clone());
        }
        whole["description"] = shown.description.into();
        whole
    }

    /// Adds schemas of recursive types, to which those of handlers refer.
    pub(super) fn define(&mut self, definitions: &Map<String, Value>) {
        for (name, schema) in definitions {
            self.schemas
                .entry(name.clone())
                .or_insert_with(|| text(schema).into());
        }
    }

    /// Schemas of the object that an action responds with.
    pub(super) fn response(&mut self, action: &ActionDescription, object: &'d ObjectSchema) -> OutputNames {
        let is_list = action.route.operation == Some(Operation::List);
        let is_own = |single: &&Arc<ObjectSchema>| !same_members(&single.output, &object.output);
        let differs = is_list && self.singles.get(object.model).is_some_and(is_own);
        let name = if differs {
            format!("{}ListItem", object.model)
        } else {
            object.model.to_owned()
        };
        self.output(&name, object.model, object.description, &object.output)
    }

    /// Schema of the object that a body is loaded into.
    pub(super) fn request(&mut self, action: &ActionDescription, object: &'d ObjectSchema) -> String {
        let (role, mode) = match action.route.operation {
            Some(Operation::Put) => ("Replace", WriteMode::Replace),
            Some(Operation::Patch) => ("Update", WriteMode::Update),
            Some(Operation::Create | Operation::List | Operation::Get | Operation::Delete) | None => {
                ("Create", WriteMode::Create)
            }
        };
        let item = if action.bulk_key.is_some() { "Item" } else { "" };
        let base = format!("{}{role}{item}", object.model);
        let (name, is_new) = place(
            &mut self.bodies,
            &self.schemas,
            &base,
            (object.input.as_slice(), object.nested.as_slice()),
        );
        if is_new {
            let shown = self.singles.get(object.model).map(|single| single.as_ref());
            let body = self.body_texts.schema(object, mode, shown);
            self.schemas.insert(name.clone(), body);
        }
        name
    }

    /// Adds the schemas of an object in responses, unless they exist.
    fn output(
        &mut self,
        base: &str,
        model: &str,
        description: &str,
        members: &'d [OutputSchema],
    ) -> OutputNames {
        let (complete, is_new) = place(&mut self.outputs, &self.schemas, base, members);
        let selected = selected_name(&complete);
        let output = OutputNames { complete, selected };
        if is_new {
            // Keeps its place before the schemas of related objects, which may refer to it.
            let whole = complete_schema(&output, description, members);
            self.schemas.insert(output.complete.clone(), whole);
            self.schemas.insert(output.selected.clone(), Box::default());
            let part = self.selected_schema(base, &output, model, members);
            self.schemas.insert(output.selected.clone(), part);
        }
        output
    }

    /// Text of the schema of an object with the members that `fields` selects.
    fn selected_schema(
        &mut self,
        base: &str,
        output: &OutputNames,
        model: &str,
        members: &'d [OutputSchema],
    ) -> Box<[u8]> {
        let mut out = std::mem::take(&mut self.buffer);
        out.clear();
        let mut schema = JsonObjectWriter::new(&mut out);
        schema.member("type", "object");
        let base = field::with_article(base);
        let about = format!("The members of {base} that the parameter `fields` selects.");
        schema.member("description", &about);
        schema.object("properties", |properties| {
            for member in members {
                let mut schema = self.member(&output.complete, member);
                if self.is_read_only(model, &member.name) {
                    schema.set("readOnly", true);
                }
                properties.member(&member.name, &schema);
            }
        });
        schema.member("additionalProperties", &false);
        schema.end();
        let text = out.as_slice().into();
        self.buffer = out;
        text
    }

    /// Whether clients can send other fields of the model, but not this one.
    fn is_read_only(&self, model: &str, name: &str) -> bool {
        self.inputs
            .get(model)
            .is_some_and(|inputs| !inputs.contains(name))
    }

    fn member(&mut self, owner: &str, member: &'d OutputSchema) -> SchemaKeywords {
        let mut notes = [None, None];
        let mut schema = match &member.value {
            OutputValue::Column {
                data_type,
                nullable,
                references,
                value_descriptions,
                ..
            } => {
                notes = [
                    references.map(field::key_of),
                    field::about_values(*data_type, value_descriptions),
                ];
                field::output(*data_type, *nullable)
            }
            OutputValue::Related {
                model,
                is_many,
                fields,
                ..
            } => self.related(owner, &member.name, (model, *is_many), fields),
            OutputValue::RelatedValues {
                model,
                is_many,
                data_type,
                nullable,
                are_keys,
            } => {
                notes[0] = are_keys.then(|| field::keys_of(model, *is_many));
                field::related_values(*data_type, *nullable, *is_many)
            }
            _ => self.computed(member),
        };
        let expandable = member.is_expandable;
        let expandable = expandable.then(|| format!("Only with `expand={}`.", member.name));
        let private = "Left out where the caller may not see it.";
        let private = member.is_private.then_some(private);
        let [references, values] = &notes;
        let texts = [
            Some(member.description),
            expandable.as_deref(),
            private,
            references.as_deref(),
            values.as_deref(),
        ];
        if let Some(text) = field::sentences(texts.into_iter().flatten()) {
            schema.set("description", text);
        }
        schema
    }

    /// Schema of a computed value: what the serializer declares.
    fn computed(&mut self, member: &OutputSchema) -> SchemaKeywords {
        let declared = member.schema.as_ref().map(SchemaKeywords::from);
        let mut schema = declared.unwrap_or_default();
        if let Some(Value::Object(definitions)) = schema.take("$defs") {
            self.define(&definitions);
        }
        schema
    }

    /// Schema of related objects.
    fn related(
        &mut self,
        owner: &str,
        name: &str,
        (model, is_many): (&str, bool),
        fields: &'d [OutputSchema],
    ) -> SchemaKeywords {
        if fields.is_empty() {
            let mut schema = SchemaKeywords::of_type(if is_many { "array" } else { "object" });
            if !is_many {
                accept_null(&mut schema);
            }
            return schema;
        }
        let single = self.singles.get(model).copied();
        let own = single.filter(|single| same_members(&single.output, fields));
        let names = match own {
            Some(single) => self.output(model, model, single.description, &single.output),
            None => self.output(&format!("{owner}{}", capitalized(name)), model, "", fields),
        };
        let mut any = vec![
            schema_reference(&names.complete),
            schema_reference(&names.selected),
        ];
        if is_many {
            SchemaKeywords::of_type("array").with("items", json!({"anyOf": any}))
        } else {
            any.push(json!({"type": "null"}));
            SchemaKeywords::default().with("anyOf", any)
        }
    }
}

/// Text of the schema of an object with all members.
fn complete_schema(names: &OutputNames, description: &str, members: &[OutputSchema]) -> Box<[u8]> {
    let mut out = Vec::new();
    let mut schema = JsonObjectWriter::new(&mut out);
    schema.member("allOf", &[schema_reference(&names.selected)]);
    let required = members
        .iter()
        .filter(|member| !member.is_expandable && !member.is_private);
    let required: Vec<&str> = required.map(|member| member.name.as_str()).collect();
    schema.member("required", &required);
    if !description.is_empty() {
        schema.member("description", description);
    }
    schema.end();
    out.into()
}

/// Finds the name of a schema with equal content, or a free name: the base, or the base with a number.
fn place<C: PartialEq + Copy>(
    known: &mut HashMap<String, C>,
    schemas: &ComponentTexts,
    base: &str,
    content: C,
) -> (String, bool) {
    let is_taken = |name: &str| {
        schemas.contains_key(name) || errors::SCHEMAS.contains(&name) || filter::is_value_name(name)
    };
    let numbered = (2_usize..).map(|number| format!("{base}{number}"));
    for name in std::iter::once(base.to_owned()).chain(numbered) {
        match known.get(&name) {
            Some(other) if *other == content => return (name, false),
            None if !is_taken(&name) && !is_taken(&selected_name(&name)) => {
                known.insert(name.clone(), content);
                return (name, true);
            }
            Some(_) | None => {}
        }
    }
    unreachable!("the numbers do not end")
}

/// Name of the schema of an object with selected members.
fn selected_name(complete: &str) -> String {
    format!("{complete}Fields")
}

/// Whether two objects have the same members. The members of their relations are not compared, since they may be
/// described to different depths.
fn same_members(one: &[OutputSchema], other: &[OutputSchema]) -> bool {
    let is_same = |(one, other): (&OutputSchema, &OutputSchema)| {
        one.name == other.name
            && one.is_expandable == other.is_expandable
            && one.is_private == other.is_private
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

fn capitalized(name: &str) -> String {
    let mut characters = name.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters.as_str().chars()).collect()
}
