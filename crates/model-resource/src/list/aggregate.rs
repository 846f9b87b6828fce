//! The groups of rows that a request asks for.

use model_resource_schema::json::write_value;
use model_resource_schema::query::{AnyAggregate, AnyGroupValue};
use model_resource_schema::value::Value;
use model_resource_store::{ListQuery, Store, StoreError};
use serde_json::{Map, Number, Value as Json};

use crate::list::caller_searches::CallerSearches;
use crate::list::page::{Page, PageStats};
use crate::pipeline::{Error, Result};

/// The groups of rows that a request asks for.
pub(crate) struct AggregateRequest {
    query: AnyAggregate,
    /// Names of the values, in their order.
    names: Vec<String>,
    page: Page,
}

impl AggregateRequest {
    /// Restricts the groups to those of a page, and one more, which shows whether another page follows.
    pub(crate) fn new(query: AnyAggregate, page: Page, name: impl Fn(AnyGroupValue) -> String) -> Self {
        Self {
            names: query.values().map(name).collect(),
            query: query.offset(page.skipped()).limit(page.size + 1),
            page,
        }
    }

    /// Page of the groups.
    pub(crate) fn page(&self) -> &Page {
        &self.page
    }

    /// List of the rows that are grouped.
    pub(crate) fn rows(&self) -> ListQuery {
        ListQuery::of(self.query.select().clone())
    }

    /// Reads the groups of the page as an array of objects. Waits for the caller's other searches, if it is one.
    pub(crate) async fn read(
        &self,
        store: &Store,
        searches: Option<CallerSearches>,
    ) -> Result<(Json, PageStats)> {
        let _search = match &searches {
            Some(searches) if !store.is_short_aggregate(&self.query) => Some(searches.begin().await?),
            _ => None,
        };
        let mut groups = store.aggregate_any(&self.query).await?;
        let more = groups.len() as u64 > self.page.size;
        groups.truncate(self.page.size as usize);
        let seen = PageStats {
            rows: groups.len() as u64,
            more,
            ..PageStats::default()
        };
        let objects = groups.iter().map(|group| self.object(group.values()));
        Ok((objects.collect::<Result<_>>()?, seen))
    }

    fn object(&self, values: &[Value]) -> Result<Json> {
        let mut object = Map::new();
        for ((name, value), kind) in self.names.iter().zip(values).zip(self.query.values()) {
            object.insert(name.clone(), self.json(kind, value)?);
        }
        Ok(Json::Object(object))
    }

    /// Converts a value to JSON, in the form in which serializers write it.
    fn json(&self, kind: AnyGroupValue, value: &Value) -> Result<Json> {
        match value {
            Value::Decimal(_) if kind.is_whole_sum(self.query.table()) => Err(sum_too_large()),
            Value::Double(number) => Ok(Number::from_f64(*number).map_or(Json::Null, Json::Number)),
            _ => {
                let mut text = Vec::new();
                write_value(&mut text, value.borrow());
                serde_json::from_slice(&text).map_err(Error::internal)
            }
        }
    }
}

/// Integers have 64 bits in JSON, as everywhere else.
fn sum_too_large() -> Error {
    StoreError::OutOfRange.into()
}
