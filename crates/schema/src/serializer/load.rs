//! Reading a JSON body into a draft by a plan: every field's problem at once, nothing trusted.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::draft::AnyDraft;
use crate::errors::Errors;
use crate::message::{Message, code};
use crate::naming::{self, shortened};
use crate::query::AnyColumns;
use crate::serializer::compiled::{
    ColumnInput, CompiledSerializer, ExtraTarget, InputField, InputTarget, Spelling,
};
use crate::serializer::declaration::WriteMode;
use crate::serializer::hooks::run_pre_load;
use crate::serializer::json_object::{Go, MalformedJson, malformed, read_object, refuse_depth, repeated};
use crate::value::Value;

impl CompiledSerializer {
    /// Arrays and objects may stand in each other so deep.
    pub const MAX_DEPTH: usize = 64;

    /// Reads a body onto a draft and says what is wrong with it, field by field.
    pub fn load(
        &self,
        body: &str,
        onto: WriteMode,
        draft: &mut AnyDraft,
        limits: &WriteRules<'_>,
    ) -> Result<Errors, MalformedJson> {
        refuse_depth(body, Self::MAX_DEPTH)?;
        let mut errors = Errors::new();
        let Some(object) = self.unwrap(body, &mut errors)? else {
            return Ok(errors);
        };
        let changed = match self.pre_load.as_slice() {
            [] => None,
            hooks => Some(run_pre_load(hooks, object, onto, &mut errors)?),
        };
        let object = changed.as_deref().unwrap_or(object);
        let mut loading = Loading {
            plan: self,
            onto,
            limits,
            draft,
            errors,
            seen: vec![None; self.inputs.len()],
        };
        loading.read(object)?;
        let errors = loading.finish();
        Ok(if errors.is_empty() {
            self.validate(draft, onto)
        } else {
            errors
        })
    }

    /// Runs the hooks after loading and checks the draft as a whole: when its fields were read, and once more if the row
    /// below it has changed since.
    pub fn validate(&self, draft: &mut AnyDraft, onto: WriteMode) -> Errors {
        let mut errors = Errors::new();
        for hook in &self.post_load {
            hook(draft, onto, &mut errors);
        }
        if errors.is_empty() {
            (self.validate)(draft, onto, &mut errors);
        }
        errors
    }

    /// Whether [`CompiledSerializer::convert`] has anything to do for this draft.
    pub fn converts(&self, draft: &AnyDraft) -> bool {
        self.conversions
            .iter()
            .any(|(name, _, _)| draft.extra(name).is_some())
    }

    /// Stores the extra inputs that belong into columns, and says which of them could not be read. May be slow.
    pub fn convert(&self, draft: &mut AnyDraft) -> Errors {
        let mut errors = Errors::new();
        for (name, column, convert) in &self.conversions {
            let Some(value) = draft.take_extra(name) else {
                continue;
            };
            match convert(value.borrow()) {
                Ok(value) => draft.set(*column, value),
                Err(complaint) => errors.add(*name, complaint),
            }
            // A batch check that runs when the draft is written reads it.
            if !self.batch_checks().is_empty() {
                draft.keep_converted(name, value);
            }
        }
        errors
    }

    /// The text of the object to read, out of its envelope.
    fn unwrap<'a>(&self, body: &'a str, errors: &mut Errors) -> Result<Option<&'a str>, MalformedJson> {
        let object = |text: &'a str| text.trim_ascii_start().starts_with('{').then_some(text);
        if body.trim_ascii().is_empty() {
            return Err(MalformedJson(
                "The request body is empty; send a JSON object.".to_owned(),
            ));
        }
        if object(body).is_none() {
            serde_json::from_str::<&RawValue>(body).map_err(|error| malformed(&error, None))?;
            errors.add_object(Message::not_an_object());
            return Ok(None);
        }
        let Some(envelope) = &self.shape.envelope else {
            return Ok(Some(body));
        };
        let mut inner = None;
        let mut others = false;
        read_object(body, |key, value| {
            if key == envelope.one && inner.is_none() {
                inner = Some(value.get());
            } else {
                others = true;
            }
            Go::On
        })?;
        match inner.and_then(object).filter(|_| !others) {
            Some(inner) => Ok(Some(inner)),
            None => {
                let text = format!("Expected an object with the single key \"{}\".", envelope.one);
                errors.add_object(Message::new(code::OBJECT, text));
                Ok(None)
            }
        }
    }
}

/// What a body cannot decide.
#[derive(Debug)]
pub struct WriteRules<'a> {
    /// Columns that have the value of the URL; a body may repeat it and not contradict it.
    pub from_url: &'a [(usize, Value)],
    /// Columns that new rows of whoever sends it have this value in, likewise.
    pub presets: &'a [(usize, Value)],
    /// Columns that are not there for whoever sends it.
    pub hidden: AnyColumns,
    /// Columns that whoever sends it cannot set.
    pub read_only: AnyColumns,
}

impl WriteRules<'_> {
    /// Nothing is decided beforehand.
    pub const NONE: WriteRules<'static> = WriteRules {
        from_url: &[],
        presets: &[],
        hidden: AnyColumns::NONE,
        read_only: AnyColumns::NONE,
    };
}

/// One body on its way into a draft.
struct Loading<'a> {
    plan: &'a CompiledSerializer,
    onto: WriteMode,
    limits: &'a WriteRules<'a>,
    draft: &'a mut AnyDraft,
    errors: Errors,
    /// How the client spelt each field that the body has.
    seen: Vec<Option<Spelling>>,
}

impl Loading<'_> {
    fn read(&mut self, object: &str) -> Result<(), MalformedJson> {
        let mut unknown = HashSet::new();
        let mut expected = 0;
        let mut twice = None;
        read_object(object, |key, value| {
            let known = self.plan.position(&key, expected);
            let known = known.filter(|(position, _)| !self.is_hidden(&self.plan.inputs[*position]));
            let earlier = known.and_then(|(position, spelling)| self.seen[position].replace(spelling));
            let repeated = match known {
                Some((_, spelling)) => earlier == Some(spelling),
                None => !unknown.insert(key.clone().into_owned()),
            };
            if repeated {
                twice = Some(key.into_owned());
                return Go::Stop;
            }
            match known {
                Some((position, _)) if earlier.is_some() => {
                    self.reject_spellings(&self.plan.inputs[position]);
                }
                Some((position, _)) => {
                    expected = position + 1;
                    self.read_field(&self.plan.inputs[position], value);
                }
                None => self.errors.add(shortened(&key), Message::unknown()),
            }
            if self.errors.is_full() { Go::Stop } else { Go::On }
        })?;
        match twice {
            Some(key) => Err(repeated(&key)),
            None => Ok(()),
        }
    }

    fn read_field(&mut self, field: &InputField, json: &RawValue) {
        match &field.target {
            InputTarget::ReadOnly(position) => self.compare_with_fixed(&field.name, *position, json),
            InputTarget::Column(input) if self.is_fixed(input.position) => {
                self.compare_with_fixed(&field.name, Some(input.position), json);
            }
            InputTarget::Column(input) if self.is_read_only(input) => {}
            InputTarget::Column(input) => match read_column(input, json, self.onto) {
                Ok(value) => self.draft.set(input.position, value),
                Err(complaint) => self.errors.add(field.name.as_str(), complaint),
            },
            InputTarget::Extra(extra) => match read_extra(extra, json) {
                Ok(value) => self.draft.set_extra(extra.name, value),
                Err(complaint) => self.errors.add(field.name.as_str(), complaint),
            },
        }
    }

    /// Rejects a field that the body has in both spellings: which of the two values is meant is unknown.
    fn reject_spellings(&mut self, field: &InputField) {
        if let Some(alias) = field.alias {
            let message = format!("Sent twice, as {} and as {alias}; send one of them.", field.name);
            self.errors.add(field.name.as_str(), message);
        }
    }

    /// A body may repeat what is decided: clients send back what they got.
    fn compare_with_fixed(&mut self, name: &str, position: Option<usize>, json: &RawValue) {
        let of = |decided: &'_ [(usize, Value)]| {
            let mut decided = decided.iter();
            let (position, value) = decided.find(|(decided, _)| Some(*decided) == position)?;
            Some(self.plan.table().columns[*position].load(json).as_ref() == Ok(value))
        };
        if of(self.limits.from_url) == Some(false) {
            self.errors.add(name, Message::url_mismatch());
        } else if of(self.limits.presets) == Some(false) {
            let message = Message::new(code::PRESET, "Cannot be chosen: leave it out.");
            self.errors.add(name, message);
        }
    }

    fn is_fixed(&self, position: usize) -> bool {
        let mut decided = self.limits.from_url.iter().chain(self.limits.presets);
        decided.any(|(decided, _)| *decided == position)
    }

    fn is_hidden(&self, field: &InputField) -> bool {
        let position = match &field.target {
            InputTarget::ReadOnly(position) => *position,
            InputTarget::Column(input) => Some(input.position),
            InputTarget::Extra(_) => None,
        };
        position.is_some_and(|position| self.limits.hidden.contains(position))
    }

    fn is_read_only(&self, input: &ColumnInput) -> bool {
        self.limits.read_only.contains(input.position) || self.limits.hidden.contains(input.position)
    }

    /// Sets what is decided and reports what is missing.
    fn finish(mut self) -> Errors {
        for (field, seen) in self.plan.inputs.iter().zip(&self.seen) {
            if seen.is_some() {
                continue;
            }
            let message = match &field.target {
                InputTarget::Column(input) => {
                    let is_settable = !self.is_fixed(input.position) && !self.is_read_only(input);
                    let required = input.is_required && is_settable;
                    (required && self.onto != WriteMode::Update).then(|| input.column.required_message())
                }
                InputTarget::Extra(extra) => {
                    let required = extra.required_on_create && self.onto == WriteMode::Create;
                    required.then(|| Message::required(&naming::label(extra.name)))
                }
                InputTarget::ReadOnly(_) => None,
            };
            if let Some(message) = message {
                self.errors.add(field.name.as_str(), message);
            }
        }
        if self.onto == WriteMode::Create {
            for (position, value) in self.limits.presets.iter().chain(self.limits.from_url) {
                self.draft.set(*position, value.clone());
            }
        }
        self.errors
    }
}

impl CompiledSerializer {
    /// The position of the field with this wire name, and how the client spelt it. Clients mostly send fields in our
    /// order, so the next one is tried first.
    fn position(&self, key: &str, expected: usize) -> Option<(usize, Spelling)> {
        let spelling = |position: usize| Some((position, self.inputs.get(position)?.spelling(key)?));
        spelling(expected).or_else(|| (0..self.inputs.len()).find_map(spelling))
    }
}

fn read_column(input: &ColumnInput, json: &RawValue, onto: WriteMode) -> Result<Value, Message> {
    let value = input.column.load(json)?;
    if let Some(message) = input.check.violation(&value) {
        return Err(message);
    }
    if value.is_null() {
        return if input.is_nullable {
            Ok(value)
        } else {
            Err(input.column.null_message())
        };
    }
    for validate in &input.validators {
        validate(value.borrow(), onto)?;
    }
    Ok(value)
}

fn read_extra(extra: &ExtraTarget, json: &RawValue) -> Result<Value, Message> {
    let value = extra.kind.load(json)?;
    match extra.check.violation(&value) {
        Some(message) => Err(message),
        None if value.is_null() => Err(Message::null(&naming::label(extra.name))),
        None => Ok(value),
    }
}
