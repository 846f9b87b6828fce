//! Health checks of an api.

use crate::api::builder::Api;
use crate::health::Health;

impl Api {
    /// Answers health checks outside the prefix.
    ///
    /// `GET /healthz` is 200 while the process runs, without its database: for a supervisor that restarts a hung
    /// process. `GET /readyz` is 200 if requests can be answered: the database reads and accepts writes, its migrations
    /// are applied, and the server is not stopping. Otherwise it is 503, and its body names the failed checks: for a
    /// load balancer. It answers within a second, and results are used again for a second.
    ///
    /// ```
    /// use model_resource::{Api, Health};
    ///
    /// let api = Api::new("library").health(Health::new());
    /// ```
    ///
    /// # Panics
    /// [`Api::into_service`] panics if the application of [`Api::app`] has one of these routes too.
    pub fn health(mut self, health: Health) -> Self {
        self.health = Some(health);
        self
    }
}
