//! Rows that the requests of an action are about, and the paths to them.

use model_resource::schema::json::url_text;
use model_resource::schema::value::{Value, ValueRef};
use model_resource::{ActionDescription, ApiDescription, Operation, ParameterDescription};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::audit::Audit;
use crate::fixture::{FixtureRow, RowUse};

/// Characters of a parameter that are encoded in a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Endpoints of the account routes at the URL of an account.
const ACCOUNT_VIEWS: [&str; 2] = ["disable_user", "enable_user"];

/// Row that a request is about.
pub(crate) struct Target<'a> {
    /// State of the row, and of those that it belongs to.
    pub(crate) state: String,
    pub(crate) path: String,
    /// Row of the action's model, if the request is about one.
    pub(crate) row: Option<&'a FixtureRow>,
}

/// Source of the targets of all actions.
pub(crate) struct Targets<'a> {
    pub(crate) audit: &'a Audit,
    pub(crate) description: &'a ApiDescription,
    pub(crate) rows: &'a [FixtureRow],
}

/// Whether the action changes or deletes several rows that the request names.
pub(crate) fn is_bulk_change(action: &ActionDescription) -> bool {
    let route = &action.route;
    (route.bulk || route.filtered) && route.operation != Some(Operation::Create)
}

/// Whether the URL is that of one row.
pub(crate) fn is_item(action: &ActionDescription) -> bool {
    let operation = action.route.operation;
    let is_of_one = matches!(
        operation,
        Some(Operation::Get | Operation::Put | Operation::Patch | Operation::Delete)
    );
    action.restores || (is_of_one && !is_bulk_change(action))
}

/// Model whose rows the requests of an action are about.
pub(crate) fn base_model(
    action: &ActionDescription,
    parameters: &[ParameterDescription],
) -> Option<&'static str> {
    if is_item(action) || is_bulk_change(action) {
        return action.model;
    }
    parameters.iter().rev().find_map(|parameter| parameter.model)
}

/// Parameters of an action. Those of a view identify the rows of the resource whose URL it continues, and those of the
/// account routes an account.
pub(crate) fn parameters(
    audit: &Audit,
    description: &ApiDescription,
    action: &ActionDescription,
) -> Vec<ParameterDescription> {
    let mut parameters = action.parameters.clone();
    if action.model.is_some() {
        return parameters;
    }
    let resources = description.actions.iter().filter(|other| {
        let rest = action.route.url.strip_prefix(&other.route.url);
        other.model.is_some() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if let Some(nearest) = resources.max_by_key(|other| other.route.url.len()) {
        for (own, known) in parameters.iter_mut().zip(&nearest.parameters) {
            *own = known.clone();
        }
    } else if let (Some(accounts), Some(last)) = (audit.accounts_table, parameters.last_mut())
        && ACCOUNT_VIEWS.iter().any(|view| action.endpoint.ends_with(view))
    {
        last.model = Some(accounts.model);
        last.key = Some(accounts.key().wire_name());
    }
    parameters
}

impl<'a> Targets<'a> {
    /// Returns the rows that the requests of an action are about; one without a row if there are no parameters.
    pub(crate) fn of(&self, action: &ActionDescription) -> Result<Vec<Target<'a>>, String> {
        let url = below(&self.description.prefix, &action.route.url);
        let declared: Vec<_> = self.audit.rows.iter().filter(|row| row.url == url).collect();
        if !declared.is_empty() {
            let targets = declared.into_iter().map(|row| {
                Ok(Target {
                    state: row.state.clone(),
                    path: self.path(action, |name| {
                        let own = row.params.iter().find(|(known, _)| known == name);
                        own.map(|(_, value)| value.clone())
                    })?,
                    row: None,
                })
            });
            return targets.collect();
        }
        let parameters = parameters(self.audit, self.description, action);
        let Some(model) = base_model(action, &parameters) else {
            let path = self.path(action, |_| None)?;
            let state = String::new();
            return Ok(vec![Target {
                state,
                path,
                row: None,
            }]);
        };
        let mut targets = Vec::new();
        for row in self.requested(model, action.restores) {
            targets.extend(self.target(action, &parameters, row)?);
        }
        if targets.is_empty() {
            let deleted = if action.restores { "deleted " } else { "" };
            return Err(format!(
                "no {deleted}row of `{model}` is found at this URL: add one in the fixture, with its parents, or its parameters by \
                 `.row(..)`"
            ));
        }
        Ok(targets)
    }

    /// Requested rows of a model.
    pub(crate) fn requested(&self, model: &str, deleted: bool) -> Vec<&'a FixtureRow> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.table.model == model && row.is_deleted() == deleted);
        let (own, others): (Vec<_>, Vec<_>) =
            rows.partition(|row| matches!(row.use_of, RowUse::Requested(_)));
        if !own.is_empty() {
            return own;
        }
        let generated = others.into_iter().filter(|row| row.use_of == RowUse::Generated);
        generated.collect()
    }

    /// Returns the target at a row; `None` if no row that the URL also names belongs to it.
    fn target(
        &self,
        action: &ActionDescription,
        parameters: &[ParameterDescription],
        row: &'a FixtureRow,
    ) -> Result<Option<Target<'a>>, String> {
        let mut known = vec![row];
        // At the URL of a bulk change, all parameters are about the parents of the row.
        let mut is_named = is_bulk_change(action);
        let mut values = Vec::new();
        for parameter in parameters.iter().rev() {
            let Some(model) = parameter.model else { continue };
            let value = if !is_named && row.table.model == model {
                is_named = true;
                own_value(row, parameter)
            } else {
                self.parent_value(&mut known, parameter, model)
            };
            let Some(value) = value else { return Ok(None) };
            values.push((parameter.name.clone(), value));
        }
        let path = self.path(action, |name| {
            let found = values.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone())
        })?;
        let mut states: Vec<&str> = Vec::new();
        for state in known.iter().rev().map(|row| row.state()) {
            if !state.is_empty() && !states.contains(&state) {
                states.push(state);
            }
        }
        let is_own = Some(row.table.model) == action.model && (is_item(action) || is_bulk_change(action));
        Ok(Some(Target {
            state: states.join(", "),
            path,
            row: is_own.then_some(row),
        }))
    }

    /// Value of a parameter that identifies a parent of the known rows, which is then known too.
    fn parent_value(
        &self,
        known: &mut Vec<&'a FixtureRow>,
        parameter: &ParameterDescription,
        model: &str,
    ) -> Option<String> {
        let key = known
            .iter()
            .find_map(|row| foreign_key(row, parameter, model))?
            .clone();
        let is_parent = |row: &&FixtureRow| row.table.model == model && *row.key() == key;
        let Some(parent) = self.rows.iter().find(is_parent) else {
            // Created by the application through the store, so that only its key is known.
            return Some(url_text(key.borrow()));
        };
        known.push(parent);
        own_value(parent, parameter)
    }

    /// Fills the parameters of the action's URL with these values, or else with those that the application declares.
    fn path(
        &self,
        action: &ActionDescription,
        value: impl Fn(&str) -> Option<String>,
    ) -> Result<String, String> {
        let mut path = String::new();
        let mut rest = action.route.url.as_str();
        for parameter in &action.parameters {
            let name = &parameter.name;
            let declared = || {
                let mut params = self.audit.params.iter();
                params
                    .find(|(known, _)| known == name)
                    .map(|(_, value)| value.clone())
            };
            let url = below(&self.description.prefix, &action.route.url);
            let missing = || {
                format!(
                    "`{name}` identifies no row: add `.param(\"{name}\", ..)`, or `.row(\"{url}\", \"\", [(\"{name}\", ..)])`"
                )
            };
            let value = value(name).or_else(declared).ok_or_else(missing)?;
            let (before, after) = rest.split_once('<').unwrap_or((rest, ""));
            let (_, after) = after.split_once('>').unwrap_or((after, ""));
            path += before;
            let parts: Vec<String> = match parameter.converter.as_str() {
                "path" => value.split('/').map(encode).collect(),
                _ => vec![encode(&value)],
            };
            path += &parts.join("/");
            rest = after;
        }
        Ok(path + rest)
    }
}

/// URL without the prefix of the api.
pub(crate) fn below<'u>(prefix: &str, url: &'u str) -> &'u str {
    url.strip_prefix(prefix).unwrap_or(url)
}

pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

fn own_value(row: &FixtureRow, parameter: &ParameterDescription) -> Option<String> {
    let value = match &parameter.key {
        Some(key) => row.value(key)?,
        None => row.key(),
    };
    Some(url_text(value.borrow()))
}

/// Value of the row's foreign key to a model, if it has one.
fn foreign_key<'r>(row: &'r FixtureRow, parameter: &ParameterDescription, model: &str) -> Option<&'r Value> {
    let columns = row.table.columns.iter().zip(row.record.values());
    let mut keys = columns.filter(|(column, value)| {
        column.referenced_model() == Some(model) && value.borrow() != ValueRef::Null
    });
    let named = |(column, _): &(&model_resource::schema::column::Column, &Value)| {
        parameter.column.as_ref() == Some(&column.wire_name())
    };
    let found = keys.clone().find(named).or_else(|| keys.next());
    found.map(|(_, value)| value)
}
