//! Declaration of an audit: the part that the application knows.

use std::fmt;
use std::pin::Pin;

use model_resource::store::StoreResult;
use model_resource::{Api, ApiService, Store, Table};
use serde_json::{Map, Value};

use crate::error::BoxError;
use crate::fixture::Fixture;

type FixtureFuture = Pin<Box<dyn Future<Output = Result<(), BoxError>>>>;
type AddFixture = Box<dyn Fn(Fixture) -> FixtureFuture + Send + Sync>;
/// Function that adds accounts, given the tables of the api.
type AddAccounts = Box<dyn Fn(Fixture, Vec<&'static Table>) -> FixtureFuture + Send + Sync>;

/// Declaration of an audit: rows, callers and bodies that cannot be derived from the api.
///
/// An api without accounts needs none of them. The audit makes a row of each model, the path of each URL from its rows,
/// and a valid body from the columns, the serializer and the arguments of views.
///
/// ```
/// use model_resource::{Api, Model, model_resource};
/// use model_resource_audit::{Audit, access_matrix};
///
/// #[derive(Model)]
/// #[model(table = "planets")]
/// struct Planet {
///     #[column(primary_key)]
///     id: i64,
///     #[column(unique, min_length = 1)]
///     name: String,
/// }
///
/// #[model_resource(Planet, "/planets", "/planets/<int:id>")]
/// struct PlanetResource;
///
/// fn api() -> Api {
///     Api::new("astronomy").model_resource::<PlanetResource>()
/// }
///
/// let matrix = access_matrix(&Audit::new().of(api)).unwrap();
/// assert_eq!(matrix.lines[0].to_string(), "GET /planets");
/// assert_eq!(matrix.lines[0].outcomes[0].to_string(), "200 (1)");
/// ```
#[derive(Default)]
pub struct Audit {
    pub(crate) add_accounts: Option<AddAccounts>,
    pub(crate) accounts_table: Option<&'static Table>,
    pub(crate) add_fixture: Option<AddFixture>,
    /// Members of the bodies of views, by their names.
    pub(crate) view_members: Map<String, Value>,
    pub(crate) bodies: Vec<DeclaredBody>,
    pub(crate) rows: Vec<DeclaredRow>,
    pub(crate) params: Vec<(String, String)>,
    pub(crate) notes: Vec<String>,
}

/// Members of the body of one action.
pub(crate) struct DeclaredBody {
    /// Method and URL below the prefix, such as `POST /login`.
    pub(crate) action: String,
    pub(crate) body: Value,
}

/// Parameters of one URL.
pub(crate) struct DeclaredRow {
    /// URL below the prefix.
    pub(crate) url: String,
    pub(crate) state: String,
    pub(crate) params: Vec<(String, String)>,
}

impl Audit {
    /// Creates a declaration without rows and callers of the application's own.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the function that adds rows and callers, once, before all requests.
    pub fn fixture<F, R, E>(mut self, fixture: F) -> Self
    where
        F: Fn(Fixture) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), E>> + 'static,
        E: Into<BoxError> + 'static,
    {
        self.add_fixture = Some(Box::new(move |rows| {
            let added = fixture(rows);
            Box::pin(async move { added.await.map_err(Into::into) })
        }));
        self
    }

    /// Sets members of the body of an action: `.body("POST /login", json!({"name": "ann"}))`, with the URL as it is
    /// registered, below the prefix of the api. They replace those that are derived. A body that is no object is sent as
    /// it is.
    pub fn body(mut self, action: impl Into<String>, body: Value) -> Self {
        let action = action.into();
        self.bodies.push(DeclaredBody { action, body });
        self
    }

    /// Sets the value of a URL parameter that identifies no row, such as the tenant in a prefix.
    pub fn param(mut self, name: impl Into<String>, value: impl fmt::Display) -> Self {
        self.params.push((name.into(), value.to_string()));
        self
    }

    /// Sets the parameters of a URL, under the name of their state, instead of those of rows. It may be called several
    /// times for a URL: `.row("/reports/<int:year>", "past", [("year", 2023)])`.
    pub fn row<V: fmt::Display>(
        mut self,
        url: impl Into<String>,
        state: impl Into<String>,
        params: impl IntoIterator<Item = (&'static str, V)>,
    ) -> Self {
        let params = params.into_iter();
        self.rows.push(DeclaredRow {
            url: url.into(),
            state: state.into(),
            params: params
                .map(|(name, value)| (name.to_owned(), value.to_string()))
                .collect(),
        });
        self
    }

    /// Adds a note to the page in Markdown, for example about the callers.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Returns the audit of an api without a command line. The function returns the api with its authenticator and
    /// without a store; its tables are created on a database in memory.
    pub fn of<F: Fn() -> Api + Sync>(self, api: F) -> AuditedApi<F> {
        AuditedApi {
            audit: self,
            api,
            tables: Vec::new(),
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").finish_non_exhaustive()
    }
}

/// Application with an access matrix.
///
/// `Manage` of model-resource-cli is one, and [`Audit::of`] returns one.
pub trait Audited: Sync {
    /// Returns the api with everything registered and its authenticator, without a store.
    fn api(&self) -> Api;

    /// Returns the part that cannot be derived from the api.
    fn declaration(&self) -> &Audit;

    /// Opens a new SQLite database in memory, with the tables of the application.
    fn open(&self) -> impl Future<Output = StoreResult<Store>> {
        async {
            let store = Store::open("sqlite::memory:").await?;
            store.create_tables(&self.api().tables()).await?;
            Ok(store)
        }
    }

    /// Returns the application on a database.
    fn service(&self, store: Store) -> ApiService {
        self.api().store(store).into_service()
    }

    /// Roles that the policies use. Each needs a caller with its name.
    fn roles(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Audit of an api without a command line; see [`Audit::of`].
#[derive(Debug)]
pub struct AuditedApi<F> {
    audit: Audit,
    api: F,
    tables: Vec<&'static Table>,
}

impl<F> AuditedApi<F> {
    /// Adds tables that no resource serves, such as those of sessions.
    pub fn tables(mut self, tables: impl IntoIterator<Item = &'static Table>) -> Self {
        self.tables.extend(tables);
        self
    }
}

impl<F: Fn() -> Api + Sync> Audited for AuditedApi<F> {
    fn api(&self) -> Api {
        (self.api)()
    }

    fn declaration(&self) -> &Audit {
        &self.audit
    }

    async fn open(&self) -> StoreResult<Store> {
        let store = Store::open("sqlite::memory:").await?;
        let mut tables = self.api().tables();
        let others = self
            .tables
            .iter()
            .filter(|other| !tables.iter().any(|table| table.id() == other.id()));
        let others: Vec<_> = others.copied().collect();
        tables.extend(others);
        store.create_tables(&tables).await?;
        Ok(store)
    }
}
