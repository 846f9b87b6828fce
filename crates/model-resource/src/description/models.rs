//! Models of the described actions.

use model_resource_schema::column::Table;
use model_resource_schema::naming;

use crate::description::action::ActionDescription;
use crate::description::caller_key::DescriptionKey;
use crate::description::described_action::DescribedAction;
use crate::description::model::ModelDescription;
use crate::routing::Operation;

impl ModelDescription {
    fn new(table: &'static Table, key: Option<&DescriptionKey>) -> Self {
        let wire_name = |column: usize| {
            let is_hidden = key.is_some_and(|key| key.rules(table).hidden.contains(column));
            (!is_hidden).then(|| table.columns[column].wire_name())
        };
        let label = naming::label(table.model);
        Self {
            name: table.model,
            plural: naming::plural(&label),
            label,
            description: table.description,
            key: wire_name(table.primary_key),
            label_field: table.label.and_then(wire_name),
            list_url: None,
            search: Vec::new(),
            item_url: None,
            item_key: None,
        }
    }

    /// Adds the URL of a read.
    fn add(&mut self, table: &'static Table, action: &DescribedAction, described: &ActionDescription) {
        let url = &described.route.url;
        match (action.operation(), described.parameters.as_slice()) {
            (Some(Operation::List), []) if self.list_url.is_none() => {
                self.list_url = Some(url.clone());
                let list = described.list.as_ref();
                self.search = list.map(|list| list.search.clone()).unwrap_or_default();
            }
            (Some(Operation::Get), [_]) => {
                let Some(key) = action.binding.key else { return };
                if self.item_url.is_none() || key.column == table.primary_key {
                    self.item_url = Some(url.clone());
                    self.item_key = Some(table.columns[key.column].wire_name());
                }
            }
            _ => {}
        }
    }
}

/// Describes the models of these actions, in their order, to the caller with this key or to everybody.
pub(super) fn describe_models<'a>(
    actions: impl Iterator<Item = (&'a DescribedAction, &'a ActionDescription)>,
    key: Option<&DescriptionKey>,
) -> Vec<ModelDescription> {
    let mut models: Vec<(&'static Table, ModelDescription)> = Vec::new();
    let mut positions = foldhash::HashMap::default();
    for (action, described) in actions {
        let Some(table) = action.binding.table else {
            continue;
        };
        let position = *positions.entry(table.id()).or_insert(models.len());
        if position == models.len() {
            models.push((table, ModelDescription::new(table, key)));
        }
        models[position].1.add(table, action, described);
    }
    models.into_iter().map(|(_, model)| model).collect()
}
