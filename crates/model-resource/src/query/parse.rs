//! Parses the parameters of a collection URL into a list request.

use std::sync::Arc;

use model_resource_schema::naming::Quoted;
use model_resource_schema::query::{AnyWhere, FieldPath, Pattern, Predicate, SortKey};
use model_resource_schema::serializer::Projection;
use model_resource_store::{AnyQuery, ListQuery};

use crate::list::{ListRequest, Page, PageUrl};
use crate::pipeline::{Error, Result};
use crate::query::filter::{Filters, check_length};
use crate::query::group::Group;
use crate::query::options::ListOptions;
use crate::query::page::{PageSettings, take_page};
use crate::query::parameters::QueryString;
use crate::query::parameters::{Parameters, invalid_parameter};
use crate::query::price::{NamedFilters, PricedQuery};
use crate::query::selection::take_selection;
use crate::query::settings::ListSettings;
use crate::query::simple_rest;
use crate::query::sort::read_sort;
use crate::query::syntax::QuerySyntax;

/// Maximum words in `q`.
const MAX_WORDS: usize = 8;

/// Parses the parameters of a request for these rows. Unknown or invalid parameters are errors. They are never ignored,
/// because that would return rows the client did not ask for.
pub(crate) fn read_list(
    query: &QueryString,
    external_path: impl FnOnce() -> String,
    select: AnyQuery,
    projection: &Arc<Projection>,
    settings: ListSettings<'_>,
) -> Result<ListRequest> {
    let options = settings.options;
    if query.pairs().is_empty() && options.page_size.is_none() && options.max_rows.is_none() {
        return Ok(ListRequest {
            list: ListQuery::sorted(select, options.visible_order(projection).cloned().collect()),
            projection: Arc::clone(projection),
            page: None,
            is_filtered: false,
            searches: None,
        });
    }
    let mut parameters = list_parameters(query, &settings)?;
    let url = PageUrl {
        path: settings.path.to_owned(),
        external_path: external_path(),
        parameters: parameters.to_pairs(),
    };
    settings.take_own(&mut parameters);
    if options.custom_query {
        return custom_rows(parameters, select, projection);
    }
    automatic_rows(parameters, select, projection, &settings, url)
}

/// Decodes the parameters and translates them into the native syntax.
pub(super) fn list_parameters<'q>(
    query: &'q QueryString,
    settings: &ListSettings<'_>,
) -> Result<Parameters<'q>> {
    let mut parameters = Parameters::of(query)?;
    match settings.syntax {
        QuerySyntax::Native => {}
        QuerySyntax::SimpleRest => {
            simple_rest::translate(&mut parameters, &settings.options.own_parameters)?;
        }
    }
    Ok(parameters)
}

/// Parses the sort order, the search, the page, the projection and the filters of an automatic list.
fn automatic_rows(
    mut parameters: Parameters<'_>,
    select: AnyQuery,
    projection: &Arc<Projection>,
    settings: &ListSettings<'_>,
    url: PageUrl,
) -> Result<ListRequest> {
    let sort = take_sort(&mut parameters, projection)?;
    let keys = match &sort {
        Some(keys) => keys.clone(),
        None => settings.options.visible_order(projection).cloned().collect(),
    };
    let searched = take_search(&mut parameters, settings.options, projection)?;
    let unpaged = ListQuery::sorted(select.clone(), keys.clone());
    let page_settings = PageSettings {
        options: settings.options,
        default_page: settings.default_page,
        cursor_key: settings.cursor_key,
        list: &unpaged,
    };
    let page = take_page(&mut parameters, &page_settings, url)?;
    let wanted = take_selection(projection, &mut parameters)?;
    let filters = read_filters(parameters, projection)?;
    // Database statistics cover all rows, so an estimate would reveal rows that the caller may not see.
    let meets_hidden = filters.iter().any(|(_, condition)| condition.meets_hidden());
    let sees_all = select.condition().is_all() && !meets_hidden;
    let page = if sees_all {
        page
    } else {
        page.map(Page::without_estimate)
    };
    if let Some(limit) = &settings.price_limit {
        let query = PricedQuery {
            select: &select,
            filters: &filters,
            search: &searched,
            keys: sort.as_deref().unwrap_or_default(),
            page: page.as_ref(),
            expanded: (!Arc::ptr_eq(&wanted, projection)).then_some(&wanted),
            groups: None,
        };
        query.check(limit)?;
    }
    let conditions = filters.into_iter().map(|(_, condition)| condition);
    let condition = conditions.fold(AnyWhere::all(), AnyWhere::and).and(searched);
    let is_filtered = !condition.is_all();
    Ok(ListRequest {
        list: ListQuery::sorted(select.restrict(condition), keys),
        projection: wanted,
        page: page.map(Box::new),
        is_filtered,
        searches: None,
    })
}

/// Takes the sort order, if the client asks for one.
fn take_sort(parameters: &mut Parameters<'_>, projection: &Projection) -> Result<Option<Vec<SortKey>>> {
    let (sort, nulls) = (parameters.take("sort")?, parameters.take("nulls")?);
    match sort {
        Some(sort) => read_sort(projection, &sort, nulls.as_deref()).map(Some),
        None if nulls.is_some() => Err(invalid_parameter("nulls", "It needs \"sort\".")),
        None => Ok(None),
    }
}

/// Parses the parameters of a custom query, which supports the projection only.
fn custom_rows(
    mut parameters: Parameters<'_>,
    select: AnyQuery,
    projection: &Arc<Projection>,
) -> Result<ListRequest> {
    let wanted = take_selection(projection, &mut parameters)?;
    match parameters.find(|_| true) {
        Some(name) => Err(Error::bad_parameter(format!(
            "This list does not take the parameter {}.",
            Quoted(name)
        ))),
        None => Ok(ListRequest {
            list: ListQuery::of(select),
            projection: wanted,
            page: None,
            is_filtered: false,
            searches: None,
        }),
    }
}

/// Parses the remaining parameters as filters.
pub(super) fn read_filters<'q>(
    mut parameters: Parameters<'q>,
    projection: &Projection,
) -> Result<NamedFilters<'q>> {
    let mut filters = Filters::new(projection);
    let mut named = NamedFilters::new();
    while let Some((name, values)) = parameters.take_next() {
        match Group::named(&name) {
            Some(group) => {
                for value in &values {
                    named.push((name.clone(), group.read(&name, value, &mut filters)?));
                }
            }
            None => {
                let condition = filters.read(&name, &values)?;
                named.push((name, condition));
            }
        }
    }
    Ok(named)
}

/// Takes the search.
pub(super) fn take_search(
    parameters: &mut Parameters<'_>,
    options: &ListOptions,
    projection: &Projection,
) -> Result<AnyWhere> {
    match parameters.take("q")? {
        Some(text) => search(&text, options, projection),
        None => Ok(AnyWhere::all()),
    }
}

/// Matches each word in at least one of the searched fields.
fn search(text: &str, options: &ListOptions, projection: &Projection) -> Result<AnyWhere> {
    if options.search.is_empty() {
        return Err(Error::bad_parameter("This list cannot be searched by \"q\"."));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > MAX_WORDS {
        return Err(invalid_parameter(
            "q",
            format!("There are more than {MAX_WORDS} words in it."),
        ));
    }
    check_length(text).map_err(|message| invalid_parameter("q", message))?;
    if text.contains('\0') {
        return Err(invalid_parameter("q", "Null characters are not allowed."));
    }
    // Hidden fields are not searched.
    let fields: Vec<FieldPath> = options
        .search
        .of_table(projection.table())
        .filter_map(|(_, column)| projection.path(&column.wire_name()).ok())
        .collect();
    let word = |word: &str| {
        let holds = |path: &FieldPath| {
            let pattern = Pattern::containing(word).ignoring_case();
            AnyWhere::Compare(path.clone(), Predicate::Like(pattern))
        };
        AnyWhere::Or(fields.iter().map(holds).collect())
    };
    Ok(AnyWhere::And(words.into_iter().map(word).collect()))
}
