//! Bodies of requests, derived from serializers and the arguments of views.

use model_resource::schema::serializer::{InputSchema, ObjectSchema, PresetSource};
use model_resource::schema::transitions::Transitions;
use model_resource::{ActionDescription, Envelope, Operation, Table};
use serde_json::{Map, Value, json};

use crate::fixture::FixtureRow;
use crate::generate::{SchemaValues, ValueSource, to_json};
use crate::targets::{Targets, below};

/// Seed of the values in bodies, which differ from those of the fixture.
const SEED: u32 = 1000;

/// Body of a request.
#[derive(Debug, Clone)]
pub(crate) struct AuditBody {
    content: BodyContent,
    envelope: Option<Envelope>,
    is_many: bool,
}

#[derive(Debug, Clone)]
enum BodyContent {
    /// A body of the application's own.
    Fixed(Value),
    /// An object, and values of members that it may have in addition.
    Object {
        members: Map<String, Value>,
        others: Map<String, Value>,
    },
}

impl AuditBody {
    /// The body as it is sent.
    pub(crate) fn json(&self) -> Value {
        let object = match &self.content {
            BodyContent::Fixed(value) => return value.clone(),
            BodyContent::Object { members, .. } => Value::Object(members.clone()),
        };
        match (&self.envelope, self.is_many) {
            (None, false) => object,
            (None, true) => json!([object]),
            (Some(envelope), false) => json!({ &envelope.one: object }),
            (Some(envelope), true) => json!({ &envelope.many: [object] }),
        }
    }

    /// Returns the body of a request about many objects, of which it has one.
    pub(crate) fn of_many(self) -> Self {
        Self {
            is_many: true,
            ..self
        }
    }

    /// Returns the body without the members that a response rejects, and with those that it requires: a policy may fix a
    /// column for one caller and require it from another. `None` if nothing would change.
    pub(crate) fn corrected(&self, response: &Value) -> Option<Self> {
        let BodyContent::Object { members, others } = &self.content else {
            return None;
        };
        let mut named = Vec::new();
        collect_names(response.get("errors")?, &mut named);
        let (mut members, mut others) = (members.clone(), others.clone());
        let mut is_changed = false;
        for name in named {
            if let Some(value) = members.shift_remove(&name) {
                others.insert(name, value);
                is_changed = true;
            } else if let Some(value) = others.shift_remove(&name) {
                members.insert(name, value);
                is_changed = true;
            }
        }
        is_changed.then(|| Self {
            content: BodyContent::Object { members, others },
            ..self.clone()
        })
    }
}

/// Collects the names of fields in the errors of one or of many objects.
fn collect_names(errors: &Value, names: &mut Vec<String>) {
    match errors {
        Value::Object(members) => {
            for (name, inner) in members {
                names.push(name.clone());
                collect_names(inner, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

/// Source of the bodies of all actions.
pub(crate) struct Bodies<'a> {
    pub(crate) targets: &'a Targets<'a>,
    pub(crate) tables: &'a [&'static Table],
}

impl Bodies<'_> {
    /// Returns the body of an action on a row, if it takes one.
    pub(crate) fn of(
        &self,
        action: &ActionDescription,
        row: Option<&FixtureRow>,
    ) -> Result<Option<AuditBody>, String> {
        let declared = self.declared(action);
        let own = match declared {
            Some(Value::Object(own)) => own.clone(),
            Some(other) => return Ok(Some(AuditBody::fixed(other.clone()))),
            None => Map::new(),
        };
        if let Some(schema) = &action.request {
            return Ok(Some(AuditBody {
                content: self.object(action, schema, row, own)?,
                envelope: schema.envelope.clone(),
                is_many: false,
            }));
        }
        let derived = action.handler.as_ref().and_then(|handler| {
            let definitions = &handler.definitions;
            let values = SchemaValues {
                definitions,
                members: &self.targets.audit.view_members,
                seed: SEED,
            };
            Some(values.value(handler.body.as_ref()?))
        });
        match derived {
            Some(Some(Value::Object(mut members))) => {
                members.extend(own);
                Ok(Some(AuditBody::fixed(Value::Object(members))))
            }
            Some(Some(other)) if declared.is_none() => Ok(Some(AuditBody::fixed(other))),
            Some(None) if declared.is_none() => Err(self.missing(action, "no valid body is known")),
            Some(_) | None => Ok(declared.map(|body| AuditBody::fixed(body.clone()))),
        }
    }

    fn declared(&self, action: &ActionDescription) -> Option<&Value> {
        let name = self.name(action);
        let mut bodies = self.targets.audit.bodies.iter();
        bodies.find(|body| body.action == name).map(|body| &body.body)
    }

    /// Name of an action in declarations.
    fn name(&self, action: &ActionDescription) -> String {
        let url = below(&self.targets.description.prefix, &action.route.url);
        format!("{} {url}", action.route.method)
    }

    fn missing(&self, action: &ActionDescription, problem: &str) -> String {
        format!("{problem}: add `.body(\"{}\", json!(..))`", self.name(action))
    }

    /// Object with the members that a body needs.
    fn object(
        &self,
        action: &ActionDescription,
        schema: &ObjectSchema,
        row: Option<&FixtureRow>,
        own: Map<String, Value>,
    ) -> Result<BodyContent, String> {
        let needed = self.needed(action, schema);
        let (mut members, mut others) = (Map::new(), Map::new());
        for (position, input) in schema.input.iter().enumerate() {
            if own.contains_key(&input.name) {
                continue;
            }
            let is_needed = needed.contains(&input.name.as_str());
            match self.value(action, schema, position, row) {
                Some(value) if is_needed => members.insert(input.name.clone(), value),
                Some(value) => others.insert(input.name.clone(), value),
                None if is_needed => {
                    let problem = format!("no value is known for `{}`", input.name);
                    return Err(self.missing(action, &problem));
                }
                None => None,
            };
        }
        members.extend(own);
        Ok(BodyContent::Object { members, others })
    }

    /// Names of the members that a body needs. A patch changes what a new object needs, or else the first member.
    fn needed<'s>(&self, action: &ActionDescription, schema: &'s ObjectSchema) -> Vec<&'s str> {
        let is_free = |input: &&InputSchema| input.preset != Some(PresetSource::Url);
        let inputs = || schema.input.iter().filter(is_free);
        let mut needed: Vec<&InputSchema> = inputs().filter(|input| input.is_required).collect();
        if action.route.operation == Some(Operation::Patch) {
            let siblings = self.targets.description.actions.iter();
            let siblings = siblings.filter(|other| other.endpoint == action.endpoint);
            let siblings: Vec<_> = siblings.filter_map(|other| other.request.as_ref()).collect();
            let is_required = |name: &str| {
                let mut all = siblings.iter().flat_map(|request| &request.input);
                all.any(|input| input.name == name && input.is_required)
            };
            let is_key = |input: &&InputSchema| action.bulk_key.as_ref() == Some(&input.name);
            let plain = || inputs().filter(|input| !is_key(input) && input.needs.is_none());
            let required: Vec<_> = plain().filter(|input| is_required(&input.name)).collect();
            let first = plain().next();
            needed.extend(if required.is_empty() {
                Vec::from_iter(first)
            } else {
                required
            });
        }
        let beside = needed.clone().into_iter().filter_map(|input| input.needs);
        let names: Vec<&str> = needed.iter().map(|input| input.name.as_str()).collect();
        names.into_iter().chain(beside).collect()
    }

    /// Value of one input.
    fn value(
        &self,
        action: &ActionDescription,
        schema: &ObjectSchema,
        position: usize,
        row: Option<&FixtureRow>,
    ) -> Option<Value> {
        let input = &schema.input[position];
        let present = row.and_then(|row| row.value(&input.name));
        let present = present
            .map(|value| to_json(value.borrow()))
            .filter(|value| !value.is_null());
        let identifies = action.bulk_key.as_ref() == Some(&input.name);
        let is_kept = identifies || input.references.is_some() || !input.transitions.is_any();
        if is_kept && present.is_some() {
            return present;
        }
        if let Some(model) = input.references {
            let rows = self.targets.requested(model, false);
            return rows.first().map(|row| to_json(row.key().borrow()));
        }
        let generated = self.generated(schema.model, input, position);
        generated
            .or(present)
            .or_else(|| self.repeated(schema.model, input))
    }

    fn generated(&self, model: &str, input: &InputSchema, position: usize) -> Option<Value> {
        let table = self.tables.iter().find(|table| table.model == model);
        let column = table.and_then(|table| {
            let mut columns = table.columns.iter();
            columns.find(|column| column.wire_name() == input.name)
        });
        let source = ValueSource {
            data_type: input.data_type,
            constraints: &input.constraints,
            transitions: column.map_or(Transitions::ANY, |column| column.transitions),
            column,
            position: u32::try_from(position).unwrap_or_default(),
        };
        source.value(SEED).map(|value| to_json(value.borrow()))
    }

    /// Value of a row that another one may have, too.
    fn repeated(&self, model: &str, input: &InputSchema) -> Option<Value> {
        let rows = self.targets.requested(model, false);
        let row = rows.first().filter(|_| !input.is_unique)?;
        row.value(&input.name).map(|value| to_json(value.borrow()))
    }
}

impl AuditBody {
    fn fixed(body: Value) -> Self {
        Self {
            content: BodyContent::Fixed(body),
            envelope: None,
            is_many: false,
        }
    }
}
