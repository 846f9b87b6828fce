//! Budget of list queries.

use std::sync::Arc;

use crate::access::Caller;
use crate::api::builder::Api;

impl Api {
    /// Sets the maximum price of a list query; 20,000,000 by default, 0 for any price.
    ///
    /// The price is an estimate of the rows that the database has to read and compare, from the sizes of the tables and
    /// their indexes. A query beyond the budget is answered with 400 and its expensive parts before it runs. A resource
    /// may have its own budget, `QUERY_BUDGET`.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api").query_budget(5_000_000);
    /// ```
    pub fn query_budget(mut self, max: u64) -> Self {
        self.query_budget.max = max;
        self
    }

    /// Sets the budgets of callers. The function gets the budget of the resource or else of the api, and returns that of
    /// the caller. Any price is [`u64::MAX`] in both, so that `min` returns the lower of two budgets, and products have
    /// to saturate. 0 is the smallest budget: a quotient or a difference that reaches it permits only queries without a
    /// price.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api")
    ///     .query_budget_by(|caller, budget| if caller.has_role("admin") { u64::MAX } else { budget });
    /// ```
    pub fn query_budget_by(mut self, budget: impl Fn(&Caller, u64) -> u64 + Send + Sync + 'static) -> Self {
        self.query_budget.by_caller = Some(Arc::new(budget));
        self
    }
}
