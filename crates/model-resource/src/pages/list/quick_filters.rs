//! Filters by one click: links to the usual values of a list's columns.

use futures_util::future::join_all;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{ObjectSchema, OutputValue};
use serde::Serialize;

use crate::description::{ActionDescription, FilterDescription};
use crate::pages::content::Fetch;
use crate::pages::frame::PageLink;
use crate::pages::labels::text_of;
use crate::pages::list::columns::ListColumn;
use crate::pages::list::filter_names::{filter_name, split_name};
use crate::pages::reference::ReferenceSearch;
use crate::pages::site::{self, Site};
use crate::pages::urls::PageQuery;
use crate::query::is_list_parameter;

/// Maximum columns with links; the form has the filters of all columns.
const MAX_GROUPS: usize = 4;
/// Maximum columns whose values are read.
const MAX_CANDIDATES: usize = 6;
/// Maximum columns with periods, whose links are long.
const MAX_PERIODS: usize = 1;
/// Maximum values of an enum or a foreign key.
pub(crate) const MAX_VALUES: usize = 10;

/// Links to the values of one column.
#[derive(Debug, Serialize)]
pub(crate) struct QuickFilter {
    pub(crate) label: String,
    pub(crate) links: Vec<PageLink>,
    #[serde(skip)]
    pub(crate) field: String,
    /// Position of the current period among the links, if there is one.
    #[serde(skip)]
    period: Option<usize>,
}

impl QuickFilter {
    /// Name of the current period, and the link without it.
    pub(crate) fn period(&self) -> Option<(&str, &str)> {
        let period = self.links.get(self.period?)?;
        Some((&period.label, &self.links.first()?.url))
    }
}

/// Value of a column with its filters.
struct Choice {
    label: String,
    /// Operators with their values; none for all rows.
    filters: Vec<(&'static str, String)>,
}

/// Column that may have links.
struct Candidate<'a> {
    filter: &'a FilterDescription,
    label: &'a str,
    references: Option<&'static str>,
    is_nullable: bool,
}

/// Position of columns with periods.
const PERIODS: u8 = 2;

impl Candidate<'_> {
    fn has(&self, operator: &str) -> bool {
        self.filter.operators.contains(&operator)
    }

    /// Position among the groups: columns of few values first. `None` without usual values.
    fn rank(&self) -> Option<u8> {
        match (self.filter.data_type, self.references) {
            (DataType::Bool | DataType::Enum(_), None) => Some(0),
            (_, Some(_)) => Some(1),
            (DataType::Date | DataType::Timestamp, None) => Some(PERIODS),
            _ => None,
        }
    }
}

/// Links of a list's columns. `many` are models with more objects than links, which are not read.
pub(crate) async fn quick_filters(
    site: &Site<'_>,
    action: &ActionDescription,
    columns: &[ListColumn],
    query: &PageQuery,
    many: &[&str],
    fetch: &dyn Fetch,
) -> Vec<QuickFilter> {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let candidates = candidates(action, columns);
    let groups = candidates.iter().map(async |candidate| {
        let choices = match candidate.references {
            Some(model) if many.contains(&model) => Vec::new(),
            Some(model) => referenced(site, fetch, model).await,
            None => choices(candidate.filter.data_type, today),
        };
        group(candidate, choices, query, &site.request.path)
    });
    let groups = join_all(groups).await.into_iter().flatten();
    groups.take(MAX_GROUPS).collect()
}

fn candidates<'a>(action: &'a ActionDescription, columns: &'a [ListColumn]) -> Vec<Candidate<'a>> {
    let (Some(list), Some(schema)) = (&action.list, action.response.as_deref()) else {
        return Vec::new();
    };
    let candidates = columns.iter().filter_map(|column| {
        let filter = list.filters.iter().find(|filter| filter.field == column.name)?;
        let (references, is_nullable) = column_of(schema, &column.name)?;
        Some(Candidate {
            filter,
            label: &column.label,
            references,
            is_nullable,
        })
    });
    let mut candidates: Vec<Candidate<'_>> = candidates
        .filter(|candidate| candidate.rank().is_some() && !is_in_url(action, &candidate.filter.field))
        .collect();
    candidates.sort_by_key(Candidate::rank);
    let mut periods = 0;
    candidates.retain(|candidate| {
        periods += usize::from(candidate.rank() == Some(PERIODS));
        candidate.rank() != Some(PERIODS) || periods <= MAX_PERIODS
    });
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

/// Referenced model of a column, and whether it can be null.
fn column_of(schema: &ObjectSchema, name: &str) -> Option<(Option<&'static str>, bool)> {
    let field = schema.output.iter().find(|field| field.name == name)?;
    match field.value {
        OutputValue::Column {
            references, nullable, ..
        } => Some((references, nullable)),
        _ => None,
    }
}

/// Whether the URL of the list sets the value of a field for all rows.
fn is_in_url(action: &ActionDescription, field: &str) -> bool {
    let mut parameters = action.parameters.iter();
    parameters.any(|parameter| parameter.column.as_deref() == Some(field))
}

fn equal_to(value: &str, label: &str) -> Choice {
    Choice {
        label: label.to_owned(),
        filters: vec![("eq", value.to_owned())],
    }
}

/// Usual values of a type.
fn choices(data_type: DataType, today: Date) -> Vec<Choice> {
    match data_type {
        DataType::Bool => vec![equal_to("true", "Yes"), equal_to("false", "No")],
        DataType::Enum(names) if names.len() <= MAX_VALUES => {
            names.iter().map(|name| equal_to(name, name)).collect()
        }
        DataType::Date => periods(today, "").unwrap_or_default(),
        DataType::Timestamp => periods(today, "T00:00:00Z").unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Periods that contain a day, from the first one to the day after the last one. `None` at the end of the calendar.
fn periods(today: Date, time: &str) -> Option<Vec<Choice>> {
    let tomorrow = today.tomorrow().ok()?;
    let month = today.first_of_month();
    let year = today.first_of_year();
    let periods = [
        ("Today", today, tomorrow),
        ("Past 7 days", today.checked_sub(7.days()).ok()?, tomorrow),
        ("This month", month, month.checked_add(1.month()).ok()?),
        ("This year", year, year.checked_add(1.year()).ok()?),
    ];
    let choices = periods.map(|(label, from, to)| Choice {
        label: label.to_owned(),
        filters: vec![("gte", format!("{from}{time}")), ("lt", format!("{to}{time}"))],
    });
    Some(choices.into())
}

/// Objects that a foreign key can reference, if they are few and the caller may list them.
async fn referenced(site: &Site<'_>, fetch: &dyn Fetch, model: &str) -> Vec<Choice> {
    let Some((path, search)) = referenced_list(site, model) else {
        return Vec::new();
    };
    let mut fields = vec![search.key.as_str(), search.label.as_str()];
    fields.dedup();
    let query = PageQuery(vec![
        ("fields".to_owned(), fields.join(",")),
        ("limit".to_owned(), (MAX_VALUES + 1).to_string()),
    ]);
    let response = fetch.get(query.url(&path)).await;
    let json = response.json();
    let list = site.collection(model).and_then(|list| list.response.as_deref());
    let rows = site::list_rows(&json, list).unwrap_or_default();
    if rows.len() > MAX_VALUES {
        return Vec::new();
    }
    let objects = rows.iter().filter_map(|row| {
        let key = row.get(&search.key).and_then(site::key_text)?;
        let label = row.get(&search.label).and_then(text_of);
        let label = label.unwrap_or_else(|| format!("#{key}").into());
        Some(equal_to(&key, &label))
    });
    let mut objects: Vec<Choice> = objects.collect();
    objects.sort_by(|one, other| one.label.cmp(&other.label));
    objects
}

/// Path of the list of a model's objects, and the fields that identify and name them.
fn referenced_list(site: &Site<'_>, model: &str) -> Option<(String, ReferenceSearch)> {
    let list = site.collection(model)?;
    Some((
        site.fill(&list.route.url, &[])?,
        ReferenceSearch::of(site, model)?,
    ))
}

/// Group of links, if the column has values to choose from.
fn group(
    candidate: &Candidate<'_>,
    mut choices: Vec<Choice>,
    query: &PageQuery,
    path: &str,
) -> Option<QuickFilter> {
    let is_usable = |choice: &Choice| choice.filters.iter().all(|(operator, _)| candidate.has(operator));
    choices.retain(is_usable);
    if choices.is_empty() {
        return None;
    }
    if candidate.is_nullable && candidate.has("isnull") {
        choices.push(Choice {
            label: "Empty".to_owned(),
            filters: vec![("isnull", "true".to_owned())],
        });
    }
    let all = Choice {
        label: "All".to_owned(),
        filters: Vec::new(),
    };
    choices.insert(0, all);
    let field = candidate.filter.field.as_str();
    let is_period: Vec<bool> = choices.iter().map(|choice| choice.filters.len() > 1).collect();
    let links = choices.into_iter().map(|choice| link(field, choice, query, path));
    let links: Vec<PageLink> = links.collect();
    Some(QuickFilter {
        label: candidate.label.to_owned(),
        period: (0..links.len()).find(|position| links[*position].is_current && is_period[*position]),
        links,
        field: field.to_owned(),
    })
}

/// Link that replaces the filters on a field by those of a choice.
fn link(field: &str, choice: Choice, query: &PageQuery, path: &str) -> PageLink {
    let is_own = |name: &str| !is_list_parameter(name) && split_name(name).0 == field;
    let (own, others): (Vec<_>, Vec<_>) = query.0.iter().cloned().partition(|(name, _)| is_own(name));
    let mut active: Vec<(&str, &str)> = own
        .iter()
        .map(|(name, value)| (split_name(name).1, value.as_str()))
        .collect();
    active.sort_unstable();
    let filters = choice.filters.iter();
    let chosen: Vec<(&str, &str)> = filters
        .map(|(operator, value)| (*operator, value.as_str()))
        .collect();
    let mut target = PageQuery(others).first_page();
    for (operator, value) in &chosen {
        target.0.push((filter_name(field, operator), (*value).to_owned()));
    }
    PageLink {
        is_current: active == chosen,
        url: target.url(path),
        label: choice.label,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_begin_and_end_at_midnight() {
        let today = Date::constant(2024, 2, 29);
        let periods = periods(today, "T00:00:00Z").expect("the calendar goes on");
        let shown = periods.iter().map(|period| {
            let [(_, from), (_, to)] = period.filters.as_slice() else {
                panic!("a period has two ends");
            };
            format!("{} {from} {to}", period.label)
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "Today 2024-02-29T00:00:00Z 2024-03-01T00:00:00Z",
                "Past 7 days 2024-02-22T00:00:00Z 2024-03-01T00:00:00Z",
                "This month 2024-02-01T00:00:00Z 2024-03-01T00:00:00Z",
                "This year 2024-01-01T00:00:00Z 2025-01-01T00:00:00Z",
            ]
        );
    }

    #[test]
    fn a_link_replaces_the_filters_on_its_field() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let query = PageQuery(vec![pair("flag[ne]", "true"), pair("q", "a"), pair("page", "3")]);
        let yes = link("flag", equal_to("true", "Yes"), &query, "/a");
        assert_eq!((yes.url.as_str(), yes.is_current), ("/a?q=a&flag=true", false));
        let query = PageQuery(vec![pair("limit[eq]", "true"), pair("limit", "9")]);
        let yes = link("limit", equal_to("true", "Yes"), &query, "/a");
        assert_eq!(
            (yes.url.as_str(), yes.is_current),
            ("/a?limit=9&limit[eq]=true", true)
        );
    }
}
