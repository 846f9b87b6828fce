//! Budget of list queries, by resource and caller.

use std::sync::Arc;

use crate::access::Caller;

/// Price of a query that is allowed by default.
const DEFAULT_BUDGET: u64 = 20_000_000;

/// Function that returns the budget of a caller, from that of the resource; [`u64::MAX`] is any price in both.
type CallerBudget = Arc<dyn Fn(&Caller, u64) -> u64 + Send + Sync>;

/// Maximum price of a list query.
#[derive(Clone)]
pub(crate) struct QueryBudget {
    /// Maximum price; 0 for any price, which only a setting can say.
    pub(crate) max: u64,
    pub(crate) by_caller: Option<CallerBudget>,
}

impl Default for QueryBudget {
    fn default() -> Self {
        Self {
            max: DEFAULT_BUDGET,
            by_caller: None,
        }
    }
}

impl QueryBudget {
    /// Budget of a caller at a resource, which may have its own; `None` for any price.
    pub(crate) fn of(&self, resource: Option<u64>, caller: &Caller) -> Option<u64> {
        let max = match resource.unwrap_or(self.max) {
            0 => u64::MAX,
            max => max,
        };
        let max = match &self.by_caller {
            Some(by_caller) => by_caller(caller, max),
            None => max,
        };
        (max != u64::MAX).then_some(max)
    }
}
