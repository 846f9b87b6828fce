//! Registration of subscribers.

use model_resource_schema::model::Model;

use crate::api::builder::Api;
use crate::events::{Change, OnChange, after_change};
use crate::pipeline::{ApiHandle, Context, Result};

impl Api {
    /// Adds a subscriber of a model, which is called inside the transaction of every write, once for each row.
    ///
    /// The subscriber may take the state of the application from its context. Through it, the subscriber may read and write
    /// more in the same transaction, as the caller of the request or by [`Context::store_unchecked`]. Its error rolls the
    /// write back, and is the response. If the transaction is repeated because of a concurrent one, so is the subscriber:
    /// effects outside of the database belong in [`Api::after_change`] or [`Context::after_commit`].
    ///
    /// It is called for writes of clients, and for those of handlers and other subscribers by [`Context::create`],
    /// [`Context::save`], [`Context::remove`], [`Context::created`], [`Context::updated`] and [`Context::deleted`]. It is
    /// not called for writes by [`Context::store_unchecked`], nor for rows that the database deletes or changes because of a
    /// foreign key.
    ///
    /// ```
    /// use model_resource::{Api, Change, Context, Draft, Model, Result};
    ///
    /// #[derive(Model)]
    /// struct Loan {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     is_returned: bool,
    ///     days_late: i64,
    /// }
    ///
    /// #[derive(Model)]
    /// struct Fee {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     loan_id: i64,
    ///     cents: i64,
    /// }
    ///
    /// async fn charge_late_loans(cx: Context, change: Change<Loan>) -> Result<()> {
    ///     let loan = change.row();
    ///     if change.updates(Loan::IS_RETURNED) && loan.is_returned && loan.days_late > 0 {
    ///         let fee = Draft::new().with(Fee::LOAN_ID, loan.id).with(Fee::CENTS, 50 * loan.days_late);
    ///         cx.create(fee).await?;
    ///     }
    ///     Ok(())
    /// }
    ///
    /// let api = Api::new("library").on_change(charge_late_loans);
    /// ```
    #[doc(alias = "signal")]
    pub fn on_change<M, F, Fut>(mut self, subscriber: F) -> Self
    where
        M: Model,
        F: Fn(Context, Change<M>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        let subscriber = Box::new(OnChange::new(subscriber));
        self.subscribers.add_inside(M::table(), subscriber);
        self
    }

    /// Adds a subscriber of a model, which is called after the commit of every write, once for each row.
    ///
    /// The writes are those of [`Api::on_change`], except those that are rolled back and those of a dry run. The subscriber
    /// runs in the background like the work of [`Context::after_commit`], one change after the other. The response does not
    /// wait for it. Its errors and panics are logged, and change no response. It does not run if the process is killed after
    /// the commit, or if the request reaches its time limit during the commit.
    ///
    /// Its [`ApiHandle`] has the store and the states of the application.
    ///
    /// ```
    /// use model_resource::{Api, ApiHandle, Change, Model, Result};
    ///
    /// #[derive(Model)]
    /// struct Loan {
    ///     #[column(primary_key)]
    ///     id: i64,
    /// }
    ///
    /// #[derive(Clone)]
    /// struct Mailer;
    ///
    /// impl Mailer {
    ///     async fn send(&self, text: String) {
    ///         println!("{text}");
    ///     }
    /// }
    ///
    /// async fn notify(api: ApiHandle, change: Change<Loan>) -> Result<()> {
    ///     if let (Some(mailer), Change::Created(loan)) = (api.state::<Mailer>(), change) {
    ///         mailer.send(format!("loan {} begins", loan.id)).await;
    ///     }
    ///     Ok(())
    /// }
    ///
    /// let api = Api::new("library").with_state(Mailer).after_change(notify);
    /// ```
    #[doc(alias = "signal")]
    pub fn after_change<M, F, Fut>(mut self, subscriber: F) -> Self
    where
        M: Model,
        F: Fn(ApiHandle, Change<M>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        self.subscribers.add_after(M::table(), after_change(subscriber));
        self
    }
}
