//! Type-erased hooks of a serializer: before and after loading, and before dumping.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::draft::{AnyDraft, Draft};
use crate::errors::Errors;
use crate::json::write_text;
use crate::model::{Model, Row};
use crate::serializer::declaration::{PostLoad, PreDump, PreLoad, SerializeError, WriteMode};
use crate::serializer::json_object::{Go, MalformedJson, read_object, repeated};

/// Erases the type of a hook after loading.
pub(super) fn post_load<M: Model>(
    hook: impl Fn(&mut Draft<M>, WriteMode, &mut Errors) + Send + Sync + 'static,
) -> PostLoad {
    Arc::new(
        move |draft: &mut AnyDraft, mode: WriteMode, errors: &mut Errors| {
            let mut typed = Draft::<M>::from_any(draft.take());
            hook(&mut typed, mode, errors);
            *draft = typed.into_any();
        },
    )
}

/// Erases the type of a hook before dumping.
pub(super) fn pre_dump<M: Model>(hook: impl Fn(&mut M) + Send + Sync + 'static) -> PreDump {
    Arc::new(move |row: &dyn Row| {
        let mut instance = M::from_row(row).map_err(|mismatch| SerializeError::before_dump(&mismatch))?;
        hook(&mut instance);
        Ok(Box::new(instance))
    })
}

/// Runs hooks over the text of a JSON object and returns the changed text.
///
/// Members that no hook changes keep their text, so that documents and numbers are loaded as they were sent.
pub(super) fn run_pre_load(
    hooks: &[PreLoad],
    object: &str,
    mode: WriteMode,
    errors: &mut Errors,
) -> Result<String, MalformedJson> {
    let mut sent: HashMap<String, (&RawValue, Option<Value>)> = HashMap::new();
    let (mut members, mut twice) = (Map::new(), None);
    read_object(object, |key, raw| {
        // A value that `Value` cannot hold, such as 1e999, is left to the loader, which has the field's own message.
        let value = serde_json::from_str::<Value>(raw.get()).ok();
        if sent.insert(key.to_string(), (raw, value.clone())).is_some() {
            twice = Some(key.into_owned());
            return Go::Stop;
        }
        if let Some(value) = value {
            members.insert(key.into_owned(), value);
        }
        Go::On
    })?;
    if let Some(key) = twice {
        return Err(repeated(&key));
    }
    for hook in hooks {
        hook(&mut members, mode, errors);
    }
    Ok(text_of(&members, &sent))
}

fn text_of(members: &Map<String, Value>, sent: &HashMap<String, (&RawValue, Option<Value>)>) -> String {
    let mut out = vec![b'{'];
    let mut write = |key: &str, text: &str| {
        if out.len() > 1 {
            out.push(b',');
        }
        write_text(&mut out, key);
        out.push(b':');
        out.extend_from_slice(text.as_bytes());
    };
    for (key, value) in members {
        match sent.get(key) {
            Some((raw, Some(unchanged))) if unchanged == value => write(key, raw.get()),
            _ => write(key, &value.to_string()),
        }
    }
    for (key, (raw, value)) in sent {
        if value.is_none() && !members.contains_key(key) {
            write(key, raw.get());
        }
    }
    out.push(b'}');
    String::from_utf8_lossy(&out).into_owned()
}
