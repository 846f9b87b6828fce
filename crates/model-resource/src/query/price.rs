//! Prices of list queries, compared with the budget before anything is read.

use std::borrow::Cow;
use std::cmp::Reverse;

use model_resource_schema::naming::Quoted;
use model_resource_schema::query::{AnyAggregate, AnyGroupValue, AnyWhere, SortKey};
use model_resource_schema::serializer::Projection;
use model_resource_store::{AnyQuery, QueryPricing, Store};

use crate::list::{Count, Page, PageStyle};
use crate::pipeline::{Error, ErrorKind, Result};

/// Rows that an unlimited list reads together with their related rows.
const CHUNK_ROWS: u64 = 1_000;
/// Rows that are counted for the price of one comparison, if there is no filter.
const COUNTED_ROWS: u64 = 5;
/// Maximum parts that a message names.
const NAMED_PARTS: usize = 3;

/// Maximum price of a query, and the store that estimates prices.
pub(crate) struct PriceLimit<'a> {
    pub(crate) store: &'a Store,
    pub(crate) max: u64,
}

/// Filters of a query, with the names of their parameters.
pub(super) type NamedFilters<'q> = Vec<(Cow<'q, str>, AnyWhere)>;

/// Parts of a query that have a price.
pub(super) struct PricedQuery<'a> {
    /// Rows that the URL and the policy select. They are not priced, but their indexes are used.
    pub(super) select: &'a AnyQuery,
    pub(super) filters: &'a NamedFilters<'a>,
    /// Condition of `q`.
    pub(super) search: &'a AnyWhere,
    /// Sort keys that the client asks for. The order that the resource declares is not priced.
    pub(super) keys: &'a [SortKey],
    pub(super) page: Option<&'a Page>,
    /// Projection that the client asks for, if it does.
    pub(super) expanded: Option<&'a Projection>,
    /// Groups of the rows that the client asks for, if it does.
    pub(super) groups: Option<&'a AnyAggregate>,
}

/// Part of a query.
#[derive(Clone, Copy)]
enum QueryPart<'a> {
    Filter(&'a str, &'a AnyWhere),
    Sort,
    Count,
    Skip(&'static str),
    Expansion,
    Groups,
}

impl<'a> PricedQuery<'a> {
    /// Rejects the query if its price exceeds the limit.
    pub(super) fn check(&self, limit: &PriceLimit<'_>) -> Result<()> {
        if self.is_plain() {
            return Ok(());
        }
        let Some(mut pricing) = limit.store.pricing(self.select) else {
            return Ok(());
        };
        for (_, condition) in self.conditions() {
            pricing.narrow(condition);
        }
        let prices = self.parts(&pricing);
        let total = prices.fold(0_u64, |sum, (_, price)| sum.saturating_add(price));
        if total <= limit.max {
            return Ok(());
        }
        Err(self.error(&pricing, total, limit.max))
    }

    /// Whether the query reads the rows in the order of their keys, and nothing else.
    fn is_plain(&self) -> bool {
        let is_page = |page: &Page| page.count == Count::None && page.skipped() == 0;
        self.filters.is_empty()
            && self.search.is_all()
            && self.keys.is_empty()
            && self.expanded.is_none()
            && self.groups.is_none()
            && self.page.is_none_or(is_page)
    }

    /// Whether the matching rows are counted.
    fn is_counted(&self, pricing: &QueryPricing<'_>) -> bool {
        match self.page.map(|page| page.count) {
            Some(Count::Exact) => true,
            Some(Count::Estimated) => pricing.counts_for_estimate(),
            Some(Count::None) | None => false,
        }
    }

    fn conditions(&self) -> impl Iterator<Item = (&'a str, &'a AnyWhere)> + use<'a> {
        let search = (!self.search.is_all()).then_some(("q", self.search));
        let filters = self.filters.iter();
        filters
            .map(|(name, condition)| (&**name, condition))
            .chain(search)
    }

    /// Parts of the query with their prices.
    fn parts(&self, pricing: &QueryPricing<'_>) -> impl Iterator<Item = (QueryPart<'a>, u64)> {
        let filters = self
            .conditions()
            .map(|(name, condition)| (QueryPart::Filter(name, condition), pricing.filter(condition)));
        let skipped = self.page.map_or(0, Page::skipped).min(pricing.rows());
        let skip = match self.page.map(|page| &page.style) {
            Some(PageStyle::Numbered(_)) => "page",
            Some(PageStyle::Offset(_) | PageStyle::Cursor(_)) | None => "offset",
        };
        filters.chain([
            (QueryPart::Sort, pricing.sort(self.keys)),
            (QueryPart::Count, self.count_price(pricing)),
            (QueryPart::Skip(skip), skipped),
            (QueryPart::Expansion, self.expansion_price(pricing)),
            (QueryPart::Groups, self.groups_price(pricing)),
        ])
    }

    /// Price of counting, for which every filter is evaluated a second time.
    fn count_price(&self, pricing: &QueryPricing<'_>) -> u64 {
        if !self.is_counted(pricing) {
            return 0;
        }
        let mut conditions = self.conditions().peekable();
        match conditions.peek() {
            None => pricing.rows() / COUNTED_ROWS,
            Some(_) => conditions.fold(0, |sum, (_, condition)| {
                sum.saturating_add(pricing.filter(condition))
            }),
        }
    }

    fn expansion_price(&self, pricing: &QueryPricing<'_>) -> u64 {
        let Some(projection) = self.expanded else {
            return 0;
        };
        let rows = self.page.map_or(CHUNK_ROWS, |page| page.size);
        pricing.related(projection.relations(), rows.min(pricing.rows()))
    }

    /// Price of grouping all rows and aggregating them.
    fn groups_price(&self, pricing: &QueryPricing<'_>) -> u64 {
        let Some(groups) = self.groups else { return 0 };
        let weight: u64 = groups.values().map(group_weight).sum();
        pricing.rows().saturating_mul(weight)
    }

    /// Describes the most expensive parts, and the indexes that they lack.
    fn error(&self, pricing: &QueryPricing<'_>, total: u64, max: u64) -> Error {
        let mut parts: Vec<_> = self.parts(pricing).filter(|(_, price)| *price > 0).collect();
        parts.sort_by_key(|(_, price)| Reverse(*price));
        let others = parts.len().saturating_sub(NAMED_PARTS);
        parts.truncate(NAMED_PARTS);
        let mut texts: Vec<String> = parts
            .into_iter()
            .map(|(part, price)| self.describe(part, price, pricing))
            .collect();
        if others > 0 {
            texts.push(format!("{others} more parts"));
        }
        Error::new(ErrorKind::QueryTooExpensive(format!(
            "The query would cost about {}, and the budget is {}: {}. Filter by an indexed field, or ask for less at once.",
            rounded(total),
            grouped(max),
            texts.join(", ")
        )))
    }

    fn describe(&self, part: QueryPart<'_>, price: u64, pricing: &QueryPricing<'_>) -> String {
        let (name, index) = match part {
            QueryPart::Filter(name, condition) => (name, pricing.missing_index(condition)),
            QueryPart::Sort => ("sort", pricing.missing_order(self.keys)),
            QueryPart::Count => ("count", None),
            QueryPart::Groups => ("group", None),
            QueryPart::Skip(name) => (name, None),
            QueryPart::Expansion => {
                let relations = self.expanded.map(Projection::relations);
                let index = relations.and_then(|relations| pricing.missing_relation(relations));
                ("expand", index)
            }
        };
        let remedy = index.map(|index| format!(" (an index on {index} would help)"));
        format!(
            "{} costs about {}{}",
            Quoted(name),
            rounded(price),
            remedy.unwrap_or_default()
        )
    }
}

/// Price of a value of a group, for each row.
fn group_weight(value: AnyGroupValue) -> u64 {
    match value {
        AnyGroupValue::Count => 1,
        AnyGroupValue::Sum(_) | AnyGroupValue::Average(_) => 1,
        AnyGroupValue::Min(_) | AnyGroupValue::Max(_) => 1,
        // The rows are sorted, or looked up in a table of the values.
        AnyGroupValue::Column(_) | AnyGroupValue::CountDistinct(_) => 2,
        AnyGroupValue::Calendar(..) => 3,
    }
}

/// Rounds a price up to one digit, so that it does not tell the exact size of a table.
fn rounded(price: u64) -> String {
    let unit = 10_u64.pow(price.max(1).ilog10());
    grouped(price.div_ceil(unit).saturating_mul(unit))
}

/// Formats a number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_rounded_up_to_one_digit() {
        assert_eq!(rounded(0), "0");
        assert_eq!(rounded(7), "7");
        assert_eq!(rounded(2_000_001), "3,000,000");
        assert_eq!(rounded(95_000), "100,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(rounded(u64::MAX), grouped(u64::MAX));
    }
}
