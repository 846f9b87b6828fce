//! Shared schemas of objects: those of responses, and those of request bodies.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use model_resource_schema::serializer::{InputSchema, ObjectSchema, OutputSchema, OutputValue};
use serde_json::{Map, Value, json};

use crate::description::{ActionDescription, ApiDescription};
use crate::openapi::components::ComponentTexts;
use crate::openapi::errors;
use crate::openapi::field;
use crate::openapi::filter;
use crate::openapi::json::{members_of, object, schema_reference};
use crate::openapi::json_writer::{JsonObjectWriter, text};
use crate::routing::Operation;

/// Schemas of objects by name, each built once.
pub(super) struct ObjectSchemas<'d> {
    /// Object of each model at its item URL, to which relations refer.
    singles: HashMap<&'static str, &'d Arc<ObjectSchema>>,
    /// Names of the fields that clients may send, by model.
    inputs: HashMap<&'static str, HashSet<&'d str>>,
    outputs: HashMap<String, Vec<OutputSchema>>,
    bodies: HashMap<String, Vec<InputSchema>>,
    /// Texts of the fields of bodies, by model and name.
    fields: HashMap<(&'static str, String), Vec<FieldText>>,
    schemas: ComponentTexts,
    /// Whether there is no action, and so no error.
    is_empty: bool,
}

/// Field and the text of its schema.
type FieldText = (InputSchema, Arc<[u8]>);

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
                inputs.entry(model).or_default().extend(names);
            }
        }
        Self {
            singles,
            inputs,
            outputs: HashMap::default(),
            bodies: HashMap::default(),
            fields: HashMap::default(),
            schemas: ComponentTexts::default(),
            is_empty: api.actions.is_empty(),
        }
    }

    /// All schemas by name, those of errors included.
    pub(super) fn into_schemas(mut self) -> ComponentTexts {
        if !self.is_empty {
            let schemas = errors::schemas();
            self.schemas
                .extend(schemas.map(|(name, schema)| (name.to_owned(), text(&schema))));
        }
        self.schemas
    }

    /// Schema that was added under this name.
    fn added(&self, name: &str) -> Value {
        let text = self.schemas.get(name).map(Vec::as_slice);
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
    pub(super) fn with_members(&mut self, action: &ActionDescription, added: &Value) -> Value {
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
            self.schemas.entry(name.clone()).or_insert_with(|| text(schema));
        }
    }

    /// Schemas of the object that an action responds with.
    pub(super) fn response(&mut self, action: &ActionDescription, object: &ObjectSchema) -> OutputNames {
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
    pub(super) fn request(&mut self, action: &ActionDescription, object: &ObjectSchema) -> String {
        let role = match action.route.operation {
            Some(Operation::Put) => "Replace",
            Some(Operation::Patch) => "Update",
            Some(Operation::Create | Operation::List | Operation::Get | Operation::Delete) | None => "Create",
        };
        let item = if action.bulk_key.is_some() { "Item" } else { "" };
        let base = format!("{}{role}{item}", object.model);
        let (name, is_new) = place(&mut self.bodies, &self.schemas, &base, &object.input);
        if is_new {
            let body = self.body(object, role == "Update");
            self.schemas.insert(name.clone(), body);
        }
        name
    }

    /// Text of the schema of a body. A change leaves fields alone that it does not have, so it has no defaults.
    fn body(&mut self, object: &ObjectSchema, is_change: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let mut schema = JsonObjectWriter::new(&mut out);
        schema.member("type", "object");
        schema.object("properties", |properties| {
            for input in &object.input {
                let mut input = input.clone();
                input.is_required = false;
                if is_change {
                    input.default = None;
                }
                let text = self.field(object.model, input);
                properties.with(&text.0, |out| out.extend_from_slice(&text.1));
            }
        });
        let required = object.input.iter().filter(|input| input.is_required);
        let required: Vec<&str> = required.map(|input| input.name.as_str()).collect();
        if !required.is_empty() {
            schema.member("required", &required);
        }
        let needs = |input: &InputSchema| Some((input.name.clone(), json!([input.needs?])));
        let needs: Map<_, _> = object.input.iter().filter_map(needs).collect();
        if !needs.is_empty() {
            schema.member("dependentRequired", &Value::from(needs));
        }
        schema.member("additionalProperties", &false);
        schema.end();
        out
    }

    /// Name and schema of a field that clients may send. Most fields are the same in all bodies of a model.
    fn field(&mut self, model: &'static str, input: InputSchema) -> (String, Arc<[u8]>) {
        let name = input.name.clone();
        let known = self.fields.entry((model, name.clone())).or_default();
        if let Some((_, text)) = known.iter().find(|(known, _)| *known == input) {
            return (name, Arc::clone(text));
        }
        let mut schema = field::input(&input);
        let single = self.singles.get(model);
        if single.is_some_and(|single| single.output.iter().all(|member| member.name != name)) {
            schema["writeOnly"] = true.into();
        }
        let text: Arc<[u8]> = text(&schema).into();
        known.push((input, Arc::clone(&text)));
        (name, text)
    }

    /// Adds the schemas of an object in responses, unless they exist.
    fn output(
        &mut self,
        base: &str,
        model: &str,
        description: &str,
        members: &[OutputSchema],
    ) -> OutputNames {
        let (complete, is_new) = place(&mut self.outputs, &self.schemas, base, members);
        let selected = selected_name(&complete);
        if is_new {
            // Keeps its place before the schemas of related objects, which may refer to it.
            self.schemas.insert(complete.clone(), Vec::new());
            self.schemas.insert(selected.clone(), Vec::new());
            let mut properties = Map::new();
            for member in members {
                let mut schema = self.member(&complete, member);
                if self.is_read_only(model, &member.name) {
                    schema.insert("readOnly".to_owned(), true.into());
                }
                properties.insert(member.name.clone(), schema.into());
            }
            let is_required = |member: &&OutputSchema| !member.is_expandable && !member.is_private;
            let required = members.iter().filter(is_required);
            let required: Vec<&str> = required.map(|member| member.name.as_str()).collect();
            let about_partial = format!(
                "The members of {} that the parameter `fields` selects.",
                field::with_article(base)
            );
            let partial = members_of([
                ("type", "object".into()),
                ("description", about_partial.into()),
                ("properties", properties.into()),
                ("additionalProperties", false.into()),
            ]);
            let mut whole = object(json!({"allOf": [schema_reference(&selected)], "required": required}));
            field::describe(&mut whole, [description.to_owned()]);
            self.schemas.insert(complete.clone(), text(&whole));
            self.schemas.insert(selected.clone(), text(&partial));
        }
        OutputNames { complete, selected }
    }

    /// Whether clients can send other fields of the model, but not this one.
    fn is_read_only(&self, model: &str, name: &str) -> bool {
        self.inputs
            .get(model)
            .is_some_and(|inputs| !inputs.contains(name))
    }

    fn member(&mut self, owner: &str, member: &OutputSchema) -> Map<String, Value> {
        let mut schema = match &member.value {
            OutputValue::Column {
                data_type,
                nullable,
                references,
                value_descriptions,
                ..
            } => {
                let mut schema = field::output(*data_type, *nullable, *references);
                field::describe(&mut schema, field::about_values(*data_type, value_descriptions));
                schema
            }
            OutputValue::Related {
                model,
                is_many,
                fields,
            } => self.related(owner, &member.name, (model, *is_many), fields),
            // The type of a computed value is not known.
            _ => Map::new(),
        };
        let after = schema.remove("description");
        let after = after.as_ref().and_then(Value::as_str).map(str::to_owned);
        let expandable = member
            .is_expandable
            .then(|| format!("Only with `expand={}`.", member.name));
        let private = member
            .is_private
            .then(|| "Left out where the caller may not see it.".to_owned());
        let texts = [Some(member.description.to_owned()), expandable, private, after];
        field::describe(&mut schema, texts.into_iter().flatten());
        schema
    }

    /// Schema of related objects.
    fn related(
        &mut self,
        owner: &str,
        name: &str,
        (model, is_many): (&str, bool),
        fields: &[OutputSchema],
    ) -> Map<String, Value> {
        if fields.is_empty() {
            let related = if is_many {
                json!({"type": "array"})
            } else {
                json!({"type": ["object", "null"]})
            };
            return object(related);
        }
        let single = self.singles.get(model).copied();
        let own = single.filter(|single| same_members(&single.output, fields));
        let names = match own {
            Some(single) => self.output(model, model, single.description, &single.output),
            None => self.output(&format!("{owner}{}", capitalized(name)), model, "", fields),
        };
        let either = |with_null: bool| {
            let mut any = vec![
                schema_reference(&names.complete),
                schema_reference(&names.selected),
            ];
            if with_null {
                any.push(json!({"type": "null"}));
            }
            any
        };
        let mut schema = Map::new();
        if is_many {
            schema.insert("type".to_owned(), "array".into());
            schema.insert("items".to_owned(), json!({"anyOf": either(false)}));
        } else {
            schema.insert("anyOf".to_owned(), either(true).into());
        }
        schema
    }
}

/// Finds the name of a schema with equal content, or a free name: the base, or the base with a number.
fn place<T: Clone + PartialEq>(
    known: &mut HashMap<String, Vec<T>>,
    schemas: &ComponentTexts,
    base: &str,
    content: &[T],
) -> (String, bool) {
    let is_taken = |name: &str| {
        schemas.contains_key(name) || errors::SCHEMAS.contains(&name) || filter::is_value_name(name)
    };
    let numbered = (2_usize..).map(|number| format!("{base}{number}"));
    for name in std::iter::once(base.to_owned()).chain(numbered) {
        match known.get(&name) {
            Some(other) if other == content => return (name, false),
            None if !is_taken(&name) && !is_taken(&selected_name(&name)) => {
                known.insert(name.clone(), content.to_vec());
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
    let name = |member: &OutputSchema| (member.name.clone(), member.is_expandable, member.is_private);
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| name(one) == name(other))
}

fn capitalized(name: &str) -> String {
    let mut characters = name.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters.as_str().chars()).collect()
}
