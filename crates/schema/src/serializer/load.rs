//! Loading of a JSON body into a draft, with the errors of all fields at once.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::constraints::Constraints;
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
    /// Maximum nesting of arrays and objects in a body.
    pub const MAX_DEPTH: usize = 64;

    /// Loads a body into a draft and returns the errors of all fields.
    pub fn load(
        &self,
        body: &str,
        mode: WriteMode,
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
            hooks => Some(run_pre_load(hooks, object, mode, &mut errors)?),
        };
        let object = changed.as_deref().unwrap_or(object);
        let mut loading = Loading {
            serializer: self,
            mode,
            limits,
            draft,
            errors,
            seen: vec![None; self.inputs.len()],
        };
        loading.read(object)?;
        let errors = loading.finish();
        Ok(if errors.is_empty() {
            self.validate(draft, mode)
        } else {
            errors
        })
    }

    /// Runs the hooks after loading and validates the whole draft: after its fields were read, and again if the row
    /// has changed since.
    pub fn validate(&self, draft: &mut AnyDraft, mode: WriteMode) -> Errors {
        let mut errors = Errors::new();
        for hook in &self.post_load {
            hook(draft, mode, &mut errors);
        }
        if errors.is_empty() {
            (self.validate)(draft, mode, &mut errors);
        }
        errors
    }

    /// Whether [`CompiledSerializer::convert`] has anything to do for this draft.
    pub fn converts(&self, draft: &AnyDraft) -> bool {
        self.conversions
            .iter()
            .any(|(name, _, _)| draft.extra(name).is_some())
    }

    /// Converts extra fields to columns and returns the errors. May block.
    pub fn convert(&self, draft: &mut AnyDraft) -> Errors {
        let mut errors = Errors::new();
        for (name, column, convert) in &self.conversions {
            let Some(value) = draft.take_extra(name) else {
                continue;
            };
            match convert(value.borrow()) {
                Ok(value) => draft.set(*column, value),
                Err(message) => errors.add(*name, message),
            }
            // A batch check that runs when the draft is written may read it.
            if !self.batch_checks().is_empty() {
                draft.keep_converted(name, value);
            }
        }
        errors
    }

    /// Returns the text of the object inside its envelope.
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
        let Some(envelope) = &self.projection.envelope else {
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
        if let Some(inner) = inner.and_then(object)
            && !others
        {
            return Ok(Some(inner));
        }
        let text = format!("Expected an object with the single key \"{}\".", envelope.one);
        errors.add_object(Message::new(code::OBJECT, text));
        Ok(None)
    }
}

/// Restrictions on the columns that a body may set.
#[derive(Debug)]
pub struct WriteRules<'a> {
    /// Values from the URL; a body may repeat them but not change them.
    pub from_url: &'a [(usize, Value)],
    /// Values that the policy presets on rows this caller creates; a body may repeat them but not change them.
    pub presets: &'a [(usize, Value)],
    /// Columns hidden from the caller.
    pub hidden: AnyColumns,
    /// Columns that the caller may not set.
    pub read_only: AnyColumns,
    /// Treatment of members that cannot be set.
    pub read_only_members: ReadOnlyMembers,
}

/// Treatment of the members of a body that are read-only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOnlyMembers {
    /// Ignores them, because clients send back what they received.
    Ignore,
    /// Reports each as an error.
    Reject,
}

impl WriteRules<'_> {
    /// No restrictions.
    pub const NONE: WriteRules<'static> = WriteRules {
        from_url: &[],
        presets: &[],
        hidden: AnyColumns::NONE,
        read_only: AnyColumns::NONE,
        read_only_members: ReadOnlyMembers::Ignore,
    };
}

/// State of loading one body into a draft.
struct Loading<'a> {
    serializer: &'a CompiledSerializer,
    mode: WriteMode,
    limits: &'a WriteRules<'a>,
    draft: &'a mut AnyDraft,
    errors: Errors,
    /// Spelling of each field that the body contains.
    seen: Vec<Option<Spelling>>,
}

impl Loading<'_> {
    fn read(&mut self, object: &str) -> Result<(), MalformedJson> {
        let mut unknown = HashSet::new();
        let mut expected = 0;
        let mut twice = None;
        read_object(object, |key, value| {
            let known = self.serializer.position(&key, expected);
            let known = known.filter(|(position, _)| !self.is_hidden(&self.serializer.inputs[*position]));
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
                    self.reject_spellings(&self.serializer.inputs[position]);
                }
                Some((position, _)) => {
                    expected = position + 1;
                    self.read_field(&self.serializer.inputs[position], value);
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
            InputTarget::ReadOnly(position) => {
                self.compare_with_fixed(&field.name, *position, json);
                self.reject_read_only(&field.name);
            }
            InputTarget::Column(input) if self.is_fixed(input.position) => {
                self.compare_with_fixed(&field.name, Some(input.position), json);
            }
            InputTarget::Column(input) if self.is_read_only(input) => self.reject_read_only(&field.name),
            InputTarget::Column(input) => match read_column(input, json, self.mode) {
                Ok(value) => self.draft.set(input.position, value),
                Err(message) => self.errors.add(field.name.as_str(), message),
            },
            InputTarget::Nested(position) => {
                let relation = &self.serializer.nested[*position];
                self.draft.set_related_text(relation.name, json.get().to_owned());
            }
            InputTarget::Extra(extra) => match read_extra(extra, json) {
                Ok(value) => self.draft.set_extra(extra.name, value),
                Err(message) => self.errors.add(field.name.as_str(), message),
            },
        }
    }

    /// Rejects a read-only field, if the request wants that.
    fn reject_read_only(&mut self, name: &str) {
        if self.limits.read_only_members == ReadOnlyMembers::Reject {
            self.errors.add(name, Message::read_only());
        }
    }

    /// Rejects a field that the body contains in both spellings, since the intended value is unknown.
    fn reject_spellings(&mut self, field: &InputField) {
        if let Some(alias) = field.alias {
            let message = format!("Sent twice, as {} and as {alias}; send one of them.", field.name);
            self.errors.add(field.name.as_str(), message);
        }
    }

    /// Compares a field with its fixed value. A body may repeat it, because clients send back what they received.
    fn compare_with_fixed(&mut self, name: &str, position: Option<usize>, json: &RawValue) {
        let of = |decided: &'_ [(usize, Value)]| {
            let mut decided = decided.iter();
            let (position, value) = decided.find(|(decided, _)| Some(*decided) == position)?;
            Some(self.serializer.table().columns[*position].load(json).as_ref() == Ok(value))
        };
        if of(self.limits.from_url) == Some(false) {
            self.errors.add(name, Message::url_mismatch());
        } else if of(self.limits.presets) == Some(false) {
            let message = Message::new(code::PRESET, "Set by the server; leave it out.");
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
            InputTarget::Extra(_) | InputTarget::Nested(_) => None,
        };
        position.is_some_and(|position| self.limits.hidden.contains(position))
    }

    fn is_read_only(&self, input: &ColumnInput) -> bool {
        self.limits.read_only.contains(input.position) || self.limits.hidden.contains(input.position)
    }

    /// Checks the values that the URL decides like those of a body. Columns that clients cannot send are checked, too.
    fn check_url_values(&mut self) {
        let table = self.serializer.table();
        for (position, value) in self.limits.from_url {
            let mut inputs = self.serializer.inputs.iter();
            let input = inputs.find_map(|field| match &field.target {
                InputTarget::Column(input) if input.position == *position => Some((field, input)),
                _ => None,
            });
            match input {
                Some((field, input)) => {
                    if let Err(message) = check_column(input, value, self.mode) {
                        self.errors.add(field.name.as_str(), message);
                    }
                }
                None => {
                    let column = &table.columns[*position];
                    let constraints = Constraints::of(column);
                    let message = constraints.and_then(|constraints| constraints.violation(value));
                    if let Some(message) = message {
                        self.errors.add(column.wire_name(), message);
                    }
                }
            }
        }
    }

    /// Sets the fixed values and reports missing fields.
    fn finish(mut self) -> Errors {
        for (field, seen) in self.serializer.inputs.iter().zip(&self.seen) {
            if seen.is_some() {
                continue;
            }
            let message = match &field.target {
                InputTarget::Column(input) => {
                    let is_settable = !self.is_fixed(input.position) && !self.is_read_only(input);
                    let required = input.is_required && is_settable;
                    (required && self.mode != WriteMode::Update).then(|| input.column.required_message())
                }
                InputTarget::Extra(extra) => {
                    let required = extra.required_on_create && self.mode == WriteMode::Create;
                    required.then(|| Message::required(&naming::label(extra.name)))
                }
                InputTarget::ReadOnly(_) | InputTarget::Nested(_) => None,
            };
            if let Some(message) = message {
                self.errors.add(field.name.as_str(), message);
            }
        }
        if self.mode == WriteMode::Create {
            self.check_url_values();
            for (position, value) in self.limits.presets.iter().chain(self.limits.from_url) {
                self.draft.set(*position, value.clone());
            }
        }
        self.errors
    }
}

impl CompiledSerializer {
    /// Returns the position of the field with this wire name and its spelling. Clients mostly send fields in our
    /// order, so the next one is tried first.
    fn position(&self, key: &str, expected: usize) -> Option<(usize, Spelling)> {
        let spelling = |position: usize| Some((position, self.inputs.get(position)?.spelling(key)?));
        spelling(expected).or_else(|| (0..self.inputs.len()).find_map(spelling))
    }
}

fn read_column(input: &ColumnInput, json: &RawValue, mode: WriteMode) -> Result<Value, Message> {
    let value = input.column.load(json)?;
    check_column(input, &value, mode)?;
    Ok(value)
}

fn check_column(input: &ColumnInput, value: &Value, mode: WriteMode) -> Result<(), Message> {
    if let Some(message) = input.check.violation(value) {
        return Err(message);
    }
    if value.is_null() {
        return if input.is_nullable {
            Ok(())
        } else {
            Err(input.column.null_message())
        };
    }
    for validate in &input.validators {
        validate(value.borrow(), mode)?;
    }
    Ok(())
}

fn read_extra(extra: &ExtraTarget, json: &RawValue) -> Result<Value, Message> {
    let value = extra.data_type.load(json)?;
    match extra.check.violation(&value) {
        Some(message) => Err(message),
        None if value.is_null() => Err(Message::null(&naming::label(extra.name))),
        None => Ok(value),
    }
}
