//! Budget of list queries.

use std::sync::Arc;

use crate::access::Caller;
use crate::api::builder::Api;

impl Api {
    /// Sets the maximum price of a list query; 20,000,000 by default. `None` removes the limit.
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
    pub fn query_budget(mut self, max: impl Into<Option<u64>>) -> Self {
        self.query_budget.max = max.into();
        if self.query_budget.max == Some(0) {
            let mistake =
                "query_budget(0) would reject every search: write at least 1, or `None` for any price";
            self.mistakes.push(mistake.to_owned());
        }
        self
    }

    /// Sets the budgets of callers. The function gets the budget of the resource or else of the api, and returns that of
    /// the caller; `None` is any price.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api")
    ///     .query_budget_by(|caller, budget| if caller.has_role("admin") { None } else { budget });
    /// ```
    pub fn query_budget_by(
        mut self,
        budget: impl Fn(&Caller, Option<u64>) -> Option<u64> + Send + Sync + 'static,
    ) -> Self {
        self.query_budget.by_caller = Some(Arc::new(budget));
        self
    }
}
