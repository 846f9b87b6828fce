//! Aggregates: `group=branchId,month(loanedAt)`, `count`, `sum(fee)`, `having[count][gte]=5`.

use model_resource_schema::data_type::DataType;
use model_resource_schema::naming::Quoted;
use model_resource_schema::query::{AnyAggregate, AnyColumns, AnyGroupValue, AnyWhere, GroupSort, Predicate};
use model_resource_schema::serializer::Projection;
use model_resource_store::AnyQuery;

use crate::list::{AggregateRequest, PageUrl};
use crate::pipeline::{Error, Result};
use crate::query::filter::{Operator, predicate};
use crate::query::group_names::{AGGREGATE_FUNCTIONS, GroupFunction, KEY_FUNCTIONS, group_name, group_type};
use crate::query::options::is_function;
use crate::query::page::take_group_page;
use crate::query::parameters::{Parameters, QueryString, invalid_parameter};
use crate::query::parse::{list_parameters, read_filters, take_search};
use crate::query::price::PricedQuery;
use crate::query::settings::ListSettings;
use crate::query::sort::{MAX_KEYS, default_nulls, read_nulls};

/// Maximum keys and aggregates of a query, each.
pub(super) const MAX_GROUP_VALUES: usize = 10;
/// Maximum conditions on groups.
const MAX_CONDITIONS: usize = 10;

/// Parses the parameters of a request for groups of these rows.
pub(crate) fn read_aggregate(
    query: &QueryString,
    external_path: impl FnOnce() -> String,
    select: AnyQuery,
    projection: &Projection,
    settings: &ListSettings<'_>,
) -> Result<AggregateRequest> {
    let mut parameters = list_parameters(query, settings)?;
    let url = PageUrl {
        path: settings.path.to_owned(),
        external_path: external_path(),
        parameters: parameters.to_pairs(),
    };
    settings.take_own(&mut parameters);
    if let Some(name) = parameters.find(|name| ["fields", "expand", "cursor"].contains(&name)) {
        let message = "It does not go together with groups, which are paged by \"limit\" and \"offset\".";
        return Err(invalid_parameter(name, message));
    }
    let fields = GroupFields {
        projection,
        columns: settings.options.aggregate,
    };
    let groups = fields.take_values(&mut parameters, AnyAggregate::of(select.clone()))?;
    let groups = take_conditions(&mut parameters, groups)?;
    let groups = take_order(&mut parameters, groups)?;
    let searched = take_search(&mut parameters, settings.options, projection)?;
    let page = take_group_page(&mut parameters, settings, url)?;
    let filters = read_filters(parameters, projection)?;
    if let Some(limit) = &settings.price_limit {
        let query = PricedQuery {
            select: &select,
            filters: &filters,
            search: &searched,
            keys: &[],
            page: Some(&page),
            expanded: None,
            groups: Some(&groups),
        };
        query.check(limit)?;
    }
    let conditions = filters.into_iter().map(|(_, condition)| condition);
    let condition = conditions.fold(AnyWhere::all(), AnyWhere::and).and(searched);
    Ok(AggregateRequest::new(groups.restrict(condition), page, |value| {
        group_name(select.table(), value)
    }))
}

/// Fields that the caller may group and aggregate.
struct GroupFields<'p> {
    projection: &'p Projection,
    columns: AnyColumns,
}

impl GroupFields<'_> {
    /// Takes the keys and the aggregates.
    fn take_values(&self, parameters: &mut Parameters<'_>, mut groups: AnyAggregate) -> Result<AnyAggregate> {
        if let Some(keys) = parameters.take("group")? {
            let keys: Vec<&str> = keys.split(',').collect();
            check_number("group", keys.len())?;
            for key in keys {
                groups = groups.value(self.key(key)?);
            }
        }
        if let Some(value) = parameters.take("count")? {
            check_empty("count", &value)?;
            groups = groups.value(AnyGroupValue::Count);
        }
        let mut functions = 0;
        while let Some(name) = parameters.find(is_function).map(str::to_owned) {
            functions += 1;
            check_number(&name, functions)?;
            let value = parameters.take(&name)?.unwrap_or_default();
            check_empty(&name, &value)?;
            groups = groups.value(self.function(&name, &name, &AGGREGATE_FUNCTIONS)?);
        }
        if groups.values().next().is_none() {
            return Err(Error::bad_parameter(
                "Ask for a value of the groups, such as \"count\" or the keys in \"group\".",
            ));
        }
        Ok(groups)
    }

    /// Parses `field` or `month(field)`.
    fn key(&self, text: &str) -> Result<AnyGroupValue> {
        if is_function(text) {
            return self.function("group", text, &KEY_FUNCTIONS);
        }
        self.value("group", text, AnyGroupValue::Column)
    }

    /// Parses `function(field)` of a parameter.
    fn function(&self, parameter: &str, text: &str, functions: &[GroupFunction]) -> Result<AnyGroupValue> {
        let inner = text.strip_suffix(')').unwrap_or(text);
        let (name, field) = inner.split_once('(').unwrap_or((inner, ""));
        match functions.iter().find(|function| function.name == name) {
            Some(function) => self.value(parameter, field, function.of),
            None => {
                let names: Vec<&str> = functions.iter().map(|function| function.name).collect();
                let message = format!(
                    "There is no function {}; there are {}.",
                    Quoted(name),
                    names.join(", ")
                );
                Err(invalid_parameter(parameter, message))
            }
        }
    }

    /// Returns a value of the groups, if the caller may use the field for it. Hidden fields, fields that the resource does
    /// not name, and fields that do not exist are indistinguishable.
    fn value(&self, parameter: &str, field: &str, of: fn(usize) -> AnyGroupValue) -> Result<AnyGroupValue> {
        let mut usable = self.usable();
        let known = usable.find(|(name, _, _)| name == field);
        match known {
            Some((_, column, kind)) if of(column).applies_to(kind) => return Ok(of(column)),
            _ => {}
        }
        let usable = self
            .usable()
            .filter(|(_, column, kind)| of(*column).applies_to(*kind));
        let names: Vec<String> = usable.map(|(name, ..)| name).collect();
        let message = match names.as_slice() {
            [] => format!("It cannot be {}, and no other field can.", Quoted(field)),
            names => format!("It cannot be {}; there are {}.", Quoted(field), names.join(", ")),
        };
        Err(invalid_parameter(parameter, message))
    }

    /// Names, positions and types of the fields. A private column of some rows is not among them.
    fn usable(&self) -> impl Iterator<Item = (String, usize, DataType)> {
        let columns = self.columns.of_table(self.projection.table());
        let names = columns.map(|(position, column)| (column.wire_name(), position, column.data_type));
        names.filter(|(name, ..)| self.projection.path(name).is_ok())
    }
}

fn check_number(parameter: &str, number: usize) -> Result<()> {
    if number > MAX_GROUP_VALUES {
        let message = format!("There are more than {MAX_GROUP_VALUES}.");
        return Err(invalid_parameter(parameter, message));
    }
    Ok(())
}

fn check_empty(parameter: &str, value: &str) -> Result<()> {
    match value {
        "" => Ok(()),
        _ => Err(invalid_parameter(
            parameter,
            "It takes no value in a query of groups.",
        )),
    }
}

/// Finds a value of the groups by its name in the response.
fn find_value(parameter: &str, name: &str, groups: &AnyAggregate) -> Result<AnyGroupValue> {
    let known = groups
        .values()
        .find(|value| group_name(groups.table(), *value) == name);
    known.ok_or_else(|| {
        let names = groups.values().map(|value| group_name(groups.table(), value));
        let names: Vec<String> = names.collect();
        let message = format!(
            "Groups have no value {}; there are {}.",
            Quoted(name),
            names.join(", ")
        );
        invalid_parameter(parameter, message)
    })
}

/// Takes the conditions on groups: `having[count][gte]=5`.
fn take_conditions(parameters: &mut Parameters<'_>, mut groups: AnyAggregate) -> Result<AnyAggregate> {
    let is_condition = |name: &str| name.starts_with("having[");
    while let Some(parameter) = parameters.find(is_condition).map(str::to_owned) {
        let text = parameters.take(&parameter)?.unwrap_or_default();
        let inner = parameter
            .strip_prefix("having[")
            .and_then(|name| name.strip_suffix(']'));
        let inner = inner.ok_or_else(|| {
            invalid_parameter(
                &parameter,
                "Write a value and an operator, as in having[count][gte]=5.",
            )
        })?;
        let (name, operator) = match inner.split_once("][") {
            Some((name, operator)) => (name, Operator::read(operator)?),
            None => (inner, Operator::Eq),
        };
        let value = find_value(&parameter, name, &groups)?;
        if value.is_key() {
            return Err(invalid_parameter(
                &parameter,
                "Filter the rows by a field instead of groups by a key.",
            ));
        }
        let kind = group_type(groups.table(), value);
        let test = predicate(Some(kind), operator, &text).and_then(|test| match test {
            Predicate::Like(_) => Err("Groups cannot be compared in this way.".to_owned()),
            test => Ok(test),
        });
        groups = groups.having(
            value,
            test.map_err(|message| invalid_parameter(&parameter, message))?,
        );
        if groups.conditions().len() > MAX_CONDITIONS {
            let message = format!("There are more than {MAX_CONDITIONS} conditions on groups.");
            return Err(Error::bad_parameter(message));
        }
    }
    Ok(groups)
}

/// Takes the order of the groups: `sort=-count,branchId`.
fn take_order(parameters: &mut Parameters<'_>, mut groups: AnyAggregate) -> Result<AnyAggregate> {
    let (sort, nulls) = (parameters.take("sort")?, parameters.take("nulls")?);
    let Some(sort) = sort else {
        return match nulls {
            None => Ok(groups),
            Some(_) => Err(invalid_parameter("nulls", "It needs \"sort\".")),
        };
    };
    let nulls = read_nulls(nulls.as_deref())?;
    let names: Vec<&str> = sort.split(',').collect();
    if names.len() > MAX_KEYS {
        let message = format!("There are more than {MAX_KEYS} fields in it.");
        return Err(invalid_parameter("sort", message));
    }
    for name in names {
        let (name, descending) = match name.strip_prefix('-') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let value = find_value("sort", name, &groups)?;
        groups = groups.order_by(GroupSort {
            value,
            descending,
            nulls: nulls.unwrap_or_else(|| default_nulls(descending)),
        });
    }
    Ok(groups)
}
