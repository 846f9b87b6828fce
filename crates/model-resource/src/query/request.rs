//! From the parameters of a collection's URL to the rows that are meant.

use std::sync::Arc;

use http::Uri;
use model_resource_schema::naming::Quoted;
use model_resource_schema::query::{Condition, Path, Pattern, Test};
use model_resource_schema::serializer::Shape;
use model_resource_store::{List, Select};

use crate::error::{Error, Result};
use crate::query::cursor::CursorKey;
use crate::query::dialect::QueryDialect;
use crate::query::filter::{Filters, refuse_long};
use crate::query::group::Group;
use crate::query::options::ListOptions;
use crate::query::page::{Page, Unasked};
use crate::query::parameters::{Parameters, not_valid};
use crate::query::rows::Rows;
use crate::query::selection::take_selection;
use crate::query::simple_rest;
use crate::query::sort::read_sort;
use crate::query::url::Url;

/// So many words at the most in `q`.
const MOST_WORDS: usize = 8;

/// The settings of the resource and the api that a list is read by.
pub(crate) struct ListSettings<'a> {
    pub(crate) options: &'a ListOptions,
    pub(crate) unasked: Unasked,
    pub(crate) cursor_key: &'a CursorKey,
    pub(crate) dialect: QueryDialect,
}

/// Reads what a request asks for of the selected rows. Whatever it says that is not understood is an error: it is never
/// passed over, which would give rows that were not asked for.
pub(crate) fn read_list(
    uri: &Uri,
    external_path: impl FnOnce() -> String,
    select: Select,
    shape: &Arc<Shape>,
    settings: ListSettings<'_>,
) -> Result<Rows> {
    let ListSettings {
        options,
        unasked,
        cursor_key,
        dialect,
    } = settings;
    let is_plain = options.page_size.is_none() && options.max_rows.is_none();
    if uri.query().is_none_or(str::is_empty) && is_plain {
        return Ok(Rows {
            list: List::of(select),
            shape: Arc::clone(shape),
            page: None,
        });
    }
    let mut parameters = Parameters::of(uri)?;
    match dialect {
        QueryDialect::Plain => {}
        QueryDialect::SimpleRest => simple_rest::translate(&mut parameters, &options.foreign)?,
    }
    let url = Url {
        path: uri.path().to_owned(),
        external_path: external_path(),
        parameters: parameters.pairs().to_vec(),
    };
    for name in options.foreign.iter().chain(&["format"]) {
        parameters.take_all(name);
    }
    if options.finds_own_rows {
        return own_rows(parameters, select, shape);
    }
    let (sort, nulls) = (parameters.take("sort")?, parameters.take("nulls")?);
    let keys = match sort {
        Some(sort) => read_sort(shape, &sort, nulls.as_deref())?,
        None if nulls.is_some() => return Err(not_valid("nulls", "It needs \"sort\".")),
        None => Vec::new(),
    };
    let searched = match parameters.take("q")? {
        Some(text) => search(&text, options, shape)?,
        None => Condition::all(),
    };
    let unpaged = List::sorted(select.clone(), keys.clone());
    let page = Page::take(&mut parameters, options, unasked, &unpaged, cursor_key, url)?;
    let wanted = take_selection(shape, &mut parameters)?;
    let condition = read_filters(parameters, shape)?.and(searched);
    // The statistics of a database are of all rows, so an estimate would tell of those that are not there for the caller.
    let sees_all = select.condition().is_all() && !condition.meets_hidden();
    let page = match sees_all {
        true => page,
        false => page.map(Page::without_estimate),
    };
    Ok(Rows {
        list: List::sorted(select.holding(condition), keys),
        shape: wanted,
        page: page.map(Box::new),
    })
}

/// Of rows that the resource finds itself, a request chooses the members alone.
fn own_rows(mut parameters: Parameters, select: Select, shape: &Arc<Shape>) -> Result<Rows> {
    let wanted = take_selection(shape, &mut parameters)?;
    match parameters.rest().first() {
        Some((name, _)) => Err(Error::bad_parameter(format!(
            "This list does not take the parameter {}.",
            Quoted(name)
        ))),
        None => Ok(Rows {
            list: List::of(select),
            shape: wanted,
            page: None,
        }),
    }
}

/// Everything else is a filter.
fn read_filters(parameters: Parameters, shape: &Shape) -> Result<Condition> {
    let mut filters = Filters::new(shape);
    let mut condition = Condition::all();
    let mut rest = parameters.rest();
    while let Some((name, _)) = rest.first() {
        let name = name.clone();
        let (same, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(other, _)| *other == name);
        let values: Vec<String> = same.into_iter().map(|(_, value)| value).collect();
        rest = others;
        match Group::named(&name) {
            Some(group) => {
                for value in &values {
                    condition = condition.and(group.read(&name, value, &mut filters)?);
                }
            }
            None => condition = condition.and(filters.read(&name, &values)?),
        }
    }
    Ok(condition)
}

/// Each word in one of the searched fields at least.
fn search(text: &str, options: &ListOptions, shape: &Shape) -> Result<Condition> {
    if options.search.is_empty() {
        return Err(Error::bad_parameter("This list cannot be searched by \"q\"."));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > MOST_WORDS {
        return Err(not_valid(
            "q",
            format!("There are more than {MOST_WORDS} words in it."),
        ));
    }
    refuse_long(text).map_err(|complaint| not_valid("q", complaint))?;
    if text.contains('\0') {
        return Err(not_valid("q", "Null characters are not allowed."));
    }
    // What somebody cannot see is not searched for them.
    let fields: Vec<Path> = options
        .search
        .iter()
        .filter_map(|column| shape.path(&shape.table().columns[*column].wire_name()).ok())
        .collect();
    let word = |word: &str| {
        let holds = |path: &Path| {
            let pattern = Pattern::containing(word).ignoring_case();
            Condition::Holds(path.clone(), Test::Like(pattern))
        };
        Condition::Any(fields.iter().map(holds).collect())
    };
    Ok(Condition::All(words.into_iter().map(word).collect()))
}
