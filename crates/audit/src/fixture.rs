//! Rows and callers of an audit, as the application adds them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, HeaderName, HeaderValue, header};
use model_resource::schema::column::{Column, ColumnRole, KeyGeneration};
use model_resource::schema::constraints::Constraints;
use model_resource::schema::draft::AnyDraft;
use model_resource::schema::model::Record;
use model_resource::schema::value::Value;
use model_resource::{Draft, Model, Store, Table};

use crate::error::AuditError;
use crate::generate::ValueSource;

/// Name of the caller without a credential.
pub(crate) const ANONYMOUS: &str = "anonymous";

/// Database of an audit, to which the application adds rows and callers before the first request.
///
/// Every request is then sent to a copy of this database. Required columns that a draft leaves out get valid values; a
/// foreign key refers to the last row of its model.
///
/// ```
/// use model_resource::{Draft, Model};
/// use model_resource_audit::{AuditError, Fixture};
///
/// #[derive(Model)]
/// #[model(table = "notes")]
/// struct Note {
///     #[column(primary_key)]
///     id: i64,
///     title: String,
///     published: bool,
/// }
///
/// async fn fixture(rows: Fixture) -> Result<(), AuditError> {
///     rows.add_as("published", Draft::new().with(Note::PUBLISHED, true)).await?;
///     rows.add_as("draft", Draft::new().with(Note::PUBLISHED, false)).await?;
///     rows.header("editor", "x-key", "a secret");
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct Fixture {
    store: Store,
    contents: Arc<Mutex<FixtureContents>>,
}

/// Everything that was added.
#[derive(Default)]
pub(crate) struct FixtureContents {
    pub(crate) rows: Vec<FixtureRow>,
    pub(crate) callers: Vec<FixtureCaller>,
    /// Names of callers, and the positions of their accounts in the rows.
    #[cfg(feature = "accounts")]
    pub(crate) accounts: Vec<(String, usize)>,
}

/// A row of the fixture.
#[derive(Debug, Clone)]
pub(crate) struct FixtureRow {
    pub(crate) table: &'static Table,
    pub(crate) use_of: RowUse,
    pub(crate) record: Record,
}

/// Use of a row by the audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowUse {
    /// Requested, in this state.
    Requested(String),
    /// Present beside the requested rows.
    Other,
    /// Made by the audit, and requested if the application has no row of the model.
    Generated,
}

/// A caller, and the headers of their requests.
#[derive(Debug, Clone)]
pub(crate) struct FixtureCaller {
    pub(crate) name: String,
    pub(crate) headers: HeaderMap,
}

impl FixtureRow {
    /// Value of the primary key.
    pub(crate) fn key(&self) -> &Value {
        &self.record.values()[self.table.primary_key]
    }

    /// Value of a column, by its name in JSON.
    pub(crate) fn value(&self, wire_name: &str) -> Option<&Value> {
        let is_named = |column: &Column| column.wire_name() == wire_name;
        let position = self.table.columns.iter().position(is_named)?;
        self.record.values().get(position)
    }

    /// Whether the row is deleted softly.
    pub(crate) fn is_deleted(&self) -> bool {
        let deleted = self.table.soft_delete;
        deleted.is_some_and(|column| self.record.values()[column] != Value::Null)
    }

    pub(crate) fn state(&self) -> &str {
        match &self.use_of {
            RowUse::Requested(state) => state,
            RowUse::Other | RowUse::Generated => "",
        }
    }
}

impl Fixture {
    pub(crate) fn new(store: Store) -> Self {
        let anonymous = FixtureCaller {
            name: ANONYMOUS.to_owned(),
            headers: HeaderMap::new(),
        };
        let contents = FixtureContents {
            callers: vec![anonymous],
            ..FixtureContents::default()
        };
        Self {
            store,
            contents: Arc::new(Mutex::new(contents)),
        }
    }

    /// Database of the audit. Rows that are created through it are not requested.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Adds a row that is requested at the URLs of its model.
    ///
    /// # Errors
    /// If the row is invalid, or if no valid value of a required column can be derived: set it.
    pub async fn add<M: Model>(&self, draft: Draft<M>) -> Result<M, AuditError> {
        self.add_as("", draft).await
    }

    /// Adds a row that is requested at the URLs of its model, under the name of its state, such as `draft`.
    ///
    /// # Errors
    /// As [`Fixture::add`].
    pub async fn add_as<M: Model>(&self, state: &str, draft: Draft<M>) -> Result<M, AuditError> {
        self.add_for(RowUse::Requested(state.to_owned()), draft).await
    }

    /// Adds a row that is not requested itself, but may be in lists.
    ///
    /// # Errors
    /// As [`Fixture::add`].
    pub async fn add_other<M: Model>(&self, draft: Draft<M>) -> Result<M, AuditError> {
        self.add_for(RowUse::Other, draft).await
    }

    /// Adds a caller, whose requests have this header. Callers are the columns of the matrix, in the order in which they
    /// are added, after one without a credential.
    ///
    /// # Panics
    /// If the header is invalid, or if the caller is `anonymous`, who has no credential.
    #[track_caller]
    pub fn header(&self, caller: &str, name: &str, value: &str) {
        assert_ne!(
            caller, ANONYMOUS,
            "the caller `anonymous` has no credential: name another one"
        );
        let name: HeaderName = name.parse().expect("a valid name of a header");
        let value: HeaderValue = value.parse().expect("a valid value of a header");
        let mut contents = self.contents();
        let known = contents.callers.iter_mut().find(|known| known.name == caller);
        if let Some(known) = known {
            known.headers.append(name, value);
            return;
        }
        let headers = HeaderMap::from_iter([(name, value)]);
        contents.callers.push(FixtureCaller {
            name: caller.to_owned(),
            headers,
        });
    }

    /// Adds a caller with this bearer token.
    ///
    /// # Panics
    /// If the token is not a valid header value.
    #[track_caller]
    pub fn bearer(&self, caller: &str, token: &str) {
        self.header(caller, header::AUTHORIZATION.as_str(), &format!("Bearer {token}"));
    }

    async fn add_for<M: Model>(&self, use_of: RowUse, draft: Draft<M>) -> Result<M, AuditError> {
        let record = self.insert(use_of, draft.into_any(), &[]).await?;
        M::from_row(&record).map_err(|error| AuditError::one(format!("{}: {error}", M::table().model)))
    }

    /// Adds a row that the application has left out, with the columns by which URLs find its parents.
    pub(crate) async fn generate(
        &self,
        table: &'static Table,
        linked: &[usize],
        deleted: bool,
    ) -> Result<(), AuditError> {
        let mut draft = AnyDraft::new(table);
        if let Some(column) = table.soft_delete.filter(|_| deleted) {
            draft.set(column, Value::Timestamp(model_resource::now()));
        }
        self.insert(RowUse::Generated, draft, linked).await?;
        Ok(())
    }

    /// Fills and inserts a row.
    async fn insert(
        &self,
        use_of: RowUse,
        mut draft: AnyDraft,
        linked: &[usize],
    ) -> Result<Record, AuditError> {
        let table = draft.table();
        let seed = u32::try_from(self.contents().rows.len()).unwrap_or_default() + 1;
        for (position, column) in table.columns.iter().enumerate() {
            if draft.is_set(position) || !(is_required(column) || linked.contains(&position)) {
                continue;
            }
            let value = match column.references {
                Some(references) => self.referenced(table, (references.table)()).await?,
                None => generated(column, position, seed),
            };
            let missing = || {
                let (model, name) = (table.model, column.name);
                AuditError::one(format!(
                    "no value is known for `{name}` of `{model}`: add a row with one in the fixture"
                ))
            };
            draft.set(position, value.ok_or_else(missing)?);
        }
        let inserted = self.store.insert_any(draft).await.map_err(|error| {
            AuditError::one(format!(
                "no row of `{}` could be added: {error}; add one with other values in the fixture",
                table.model
            ))
        })?;
        self.contents().rows.push(FixtureRow {
            table,
            use_of,
            record: inserted.clone(),
        });
        Ok(inserted)
    }

    /// Key of the last row of a table that a row of another one refers to. Adds one if there is none.
    async fn referenced(
        &self,
        from: &'static Table,
        table: &'static Table,
    ) -> Result<Option<Value>, AuditError> {
        if let Some(key) = self.last_key(table) {
            return Ok(Some(key));
        }
        if from.id() == table.id() {
            return Ok(None);
        }
        Box::pin(self.generate(table, &[], false)).await?;
        Ok(self.last_key(table))
    }

    fn last_key(&self, table: &'static Table) -> Option<Value> {
        let contents = self.contents();
        let mut rows = contents.rows.iter().rev();
        let last = rows.find(|row| row.table.id() == table.id() && !row.is_deleted())?;
        Some(last.key().clone())
    }

    pub(crate) fn contents(&self) -> MutexGuard<'_, FixtureContents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a new row needs a value of the column that nothing else sets.
fn is_required(column: &Column) -> bool {
    let is_set_by_client = match column.role {
        ColumnRole::Data | ColumnRole::PrimaryKey(KeyGeneration::Client) => true,
        ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement | KeyGeneration::UuidV7) => false,
        ColumnRole::Created | ColumnRole::Updated | ColumnRole::Version | ColumnRole::Deleted => false,
        ColumnRole::Slug(_) | ColumnRole::StableSlug(_) => false,
    };
    is_set_by_client && !column.nullable && column.default.is_none()
}

fn generated(column: &'static Column, position: usize, seed: u32) -> Option<Value> {
    let constraints = Constraints::new(column).ok()?.describe();
    let source = ValueSource {
        data_type: column.data_type,
        constraints: &constraints,
        transitions: column.transitions,
        column: Some(column),
        position: u32::try_from(position).unwrap_or_default(),
    };
    source.value(seed)
}

impl std::fmt::Debug for Fixture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fixture").finish_non_exhaustive()
    }
}
