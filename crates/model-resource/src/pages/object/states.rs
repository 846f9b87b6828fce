//! States that the object of a page can have next, by the transitions of its columns.

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::InputSchema;
use model_resource_schema::transitions::Transitions;
use serde::Serialize;

use crate::description::{ActionDescription, first_sentence};
use crate::pages::form::{WrittenObject, one_envelope};
use crate::pages::page_json::PageJson;
use crate::pages::required_headers::{requires_key, requires_version};
use crate::pages::row_permission::{RowPermission, RowPermissions};
use crate::pages::site::{self, Site};

/// Changes of state that the page of an object offers.
#[derive(Serialize)]
pub(crate) struct StateChanges {
    /// Path of the object.
    url: String,
    /// Whether it is sent with an `Idempotency-Key`.
    is_keyed: bool,
    /// Version of the object that the page shows, if a change needs it; else empty.
    version: String,
    object: WrittenObject,
    columns: Vec<StateColumn>,
}

/// Column whose value is a state.
#[derive(Serialize)]
struct StateColumn {
    label: String,
    current: String,
    next: Vec<NextState>,
}

/// State that may follow the current one.
#[derive(Serialize)]
struct NextState {
    name: &'static str,
    /// First sentence of its documentation; empty if there is none.
    description: String,
    /// Body of the request that changes the state.
    body: String,
    /// Whether no way leads back to the current state.
    is_one_way: bool,
}

impl StateChanges {
    /// Changes that the caller may make to the object. `None` if there are none.
    pub(crate) fn of(
        site: &Site<'_>,
        item: &ActionDescription,
        object: &PageJson<'_>,
        version: String,
        permissions: &RowPermissions,
    ) -> Option<Self> {
        let patch = site.request.action_of("PATCH")?;
        let schema = patch.request.as_deref()?;
        if permissions.change != RowPermission::Granted {
            return None;
        }
        let envelope = one_envelope(Some(schema));
        let inputs = schema
            .input
            .iter()
            .filter(|input| input.preset.is_none() && !input.transitions.is_any())
            .filter(|input| !permissions.frozen.contains(&input.name));
        let columns: Vec<StateColumn> = inputs
            .filter_map(|input| {
                let label = site.field_label(item, &input.name, &input.label, None);
                StateColumn::new(input, label, object.get(&input.name)?, &envelope)
            })
            .collect();
        (!columns.is_empty()).then(|| Self {
            url: site.request.path.clone(),
            is_keyed: requires_key(patch),
            version: Some(version)
                .filter(|_| requires_version(patch))
                .unwrap_or_default(),
            object: WrittenObject::of(site, item, object),
            columns,
        })
    }
}

impl StateColumn {
    /// States after the current one. `None` if nothing follows it.
    fn new(input: &InputSchema, label: String, current: &PageJson<'_>, envelope: &str) -> Option<Self> {
        let current = site::key_text(current)?;
        let next = input
            .transitions
            .after(&current)
            .into_iter()
            .map(|name| NextState {
                name,
                description: description(input, name),
                body: body(&input.name, name, envelope),
                is_one_way: !leads_to(input.transitions, name, &current),
            });
        let next: Vec<NextState> = next.collect();
        (!next.is_empty()).then(|| Self {
            label,
            current: current.into_owned(),
            next,
        })
    }
}

/// Body that sets the state.
fn body(field: &str, name: &str, envelope: &str) -> String {
    let change = serde_json::json!({ field: name });
    if envelope.is_empty() {
        change.to_string()
    } else {
        serde_json::json!({ envelope: change }).to_string()
    }
}

/// First sentence of the documentation of an enum's value.
fn description(input: &InputSchema, name: &str) -> String {
    let DataType::Enum(names) = input.data_type else {
        return String::new();
    };
    let position = names.iter().position(|known| *known == name);
    let description = position.and_then(|position| input.value_descriptions.get(position));
    description.map_or_else(String::new, |description| first_sentence(description))
}

/// Whether some transitions lead from one state to another one.
fn leads_to(transitions: Transitions, from: &'static str, to: &str) -> bool {
    let mut reached = vec![from];
    let mut position = 0;
    while let Some(state) = reached.get(position) {
        let next = transitions.after(state);
        for state in next {
            if !reached.contains(&state) {
                reached.push(state);
            }
        }
        position += 1;
    }
    reached.contains(&to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_back_may_have_several_steps() {
        let ticket = Transitions::new(&[
            ("open", &["closed"]),
            ("closed", &["reviewed"]),
            ("reviewed", &["open", "gone"]),
        ]);
        assert!(leads_to(ticket, "closed", "open"));
        assert!(!leads_to(ticket, "gone", "open"));
    }
}
