//! Caller of a request (principal): its key, its roles and its account.

use std::any::Any;
use std::sync::Arc;

use model_resource_schema::column_type::ColumnType;
use model_resource_schema::draft::Draft;
use model_resource_schema::json::url_text;
use model_resource_schema::model::{Field, Model};
use model_resource_schema::query::Where;
use model_resource_schema::value::Value;

use crate::routing::Params;

/// Caller of a request: authenticated, with a key and optional roles, or anonymous.
///
/// ```
/// use model_resource::Caller;
///
/// let ann = Caller::of(7_i64).with_roles(["editor"]);
/// assert!(ann.is(7_i64) && ann.has_role("editor"));
/// assert!(!Caller::anonymous().is(7_i64));
/// ```
#[derive(Clone, Default)]
#[doc(alias = "principal")]
pub struct Caller {
    known: Option<Arc<Principal>>,
    /// URL parameters that limit no rows; absent for most URLs.
    url_params: Option<Arc<Vec<(String, String)>>>,
}

#[derive(Clone)]
struct Principal {
    key: Value,
    name: Option<String>,
    roles: Vec<String>,
    account: Option<Arc<dyn Any + Send + Sync>>,
    credential: Option<Arc<dyn Any + Send + Sync>>,
}

impl Caller {
    /// Creates an anonymous caller.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// Creates the authenticated caller with this key, which is that of their account.
    pub fn of(key: impl ColumnType) -> Self {
        Self::with_key(key.to_value().to_value())
    }

    /// Creates an authenticated caller from a type-erased key.
    pub fn with_key(key: Value) -> Self {
        Self {
            known: Some(Arc::new(Principal {
                key,
                name: None,
                roles: Vec::new(),
                account: None,
                credential: None,
            })),
            url_params: None,
        }
    }

    /// Sets the roles; an anonymous caller has none.
    pub fn with_roles(self, roles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with(|known| known.roles = roles.into_iter().map(Into::into).collect())
    }

    /// Sets the name that pages show; an anonymous caller has none.
    pub fn with_name(self, name: impl Into<String>) -> Self {
        self.with(|known| known.name = Some(name.into()))
    }

    /// Sets the account, for handlers that need it; an anonymous caller has none.
    pub fn with_account<A: Send + Sync + 'static>(self, account: A) -> Self {
        self.with(|known| known.account = Some(Arc::new(account)))
    }

    /// Sets the credential that authenticated the caller, for handlers that need it, such as a logout; an anonymous caller
    /// has none.
    ///
    /// ```
    /// use model_resource::Caller;
    ///
    /// struct ApiKey(String);
    ///
    /// let caller = Caller::of(7_i64).with_credential(ApiKey("k1".to_owned()));
    /// assert_eq!(caller.credential::<ApiKey>().map(|key| key.0.as_str()), Some("k1"));
    /// ```
    pub fn with_credential<C: Send + Sync + 'static>(self, credential: C) -> Self {
        self.with(|known| known.credential = Some(Arc::new(credential)))
    }

    fn with(mut self, change: impl FnOnce(&mut Principal)) -> Self {
        self.known = self.known.map(|known| {
            let mut known = Arc::unwrap_or_clone(known);
            change(&mut known);
            Arc::new(known)
        });
        self
    }

    /// Sets a URL parameter, for tests of policies; see [`Caller::url_param`].
    pub fn with_url_param(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let mut params = self.url_params.map(Arc::unwrap_or_clone).unwrap_or_default();
        params.push((name.into(), value.into()));
        self.url_params = Some(Arc::new(params));
        self
    }

    /// Sets the URL parameters at these positions, which limit no rows.
    pub(crate) fn at_url(mut self, params: &Params, unscoped: &[usize]) -> Self {
        if unscoped.is_empty() {
            self.url_params = None;
            return self;
        }
        let params = params.iter().enumerate();
        let params = params.filter(|(position, _)| unscoped.contains(position));
        let owned = params.map(|(_, (name, value))| (name.to_owned(), value.to_owned()));
        self.url_params = Some(Arc::new(owned.collect()));
        self
    }

    /// Returns the anonymous caller at the same URL.
    pub(crate) fn to_anonymous(&self) -> Self {
        Self {
            known: None,
            url_params: self.url_params.clone(),
        }
    }

    /// URL parameter that limits no rows by itself, so that policies can use it: one that is declared `unscoped`, or
    /// any of a view. `None` at URLs without it, where a policy should deny access.
    ///
    /// ```
    /// use model_resource::Caller;
    ///
    /// let caller = Caller::of(7_i64).with_url_param("tenant", "acme");
    /// assert_eq!(caller.url_param("tenant"), Some("acme"));
    /// assert_eq!(Caller::of(7_i64).url_param("tenant"), None);
    /// ```
    pub fn url_param(&self, name: &str) -> Option<&str> {
        let mut params = self.url_params.as_ref()?.iter();
        let (_, value) = params.find(|(known, _)| known == name)?;
        Some(value)
    }

    /// Whether the caller is authenticated.
    pub fn is_authenticated(&self) -> bool {
        self.known.is_some()
    }

    /// Whether this is the authenticated caller with this key.
    pub fn is(&self, key: impl ColumnType) -> bool {
        let known = self.known.as_ref();
        known.is_some_and(|known| known.key.borrow() == key.to_value())
    }

    /// Key of the caller, if it is of this type.
    pub fn key<T: ColumnType>(&self) -> Option<T> {
        let known = self.known.as_ref()?;
        T::from_value(known.key.borrow()).ok()
    }

    /// Key of the caller as text, as in URLs.
    pub fn key_text(&self) -> Option<String> {
        let known = self.known.as_ref()?;
        Some(url_text(known.key.borrow()))
    }

    /// Name of the caller, if the authenticator sets one.
    pub fn name(&self) -> Option<&str> {
        self.known.as_ref()?.name.as_deref()
    }

    /// Condition of the rows whose field has the caller's key; no rows for an anonymous caller.
    pub fn owned_by<M: Model, T: ColumnType>(&self, field: Field<M, T>) -> Where<M> {
        match &self.known {
            Some(known) => field.eq_value(known.key.clone()),
            None => Where::none(),
        }
    }

    /// Draft whose field has the caller's key, for [`ModelPolicy::presets`](crate::ModelPolicy::presets). Rows that are
    /// created with it are those of [`owned_by`](Self::owned_by).
    ///
    /// For an anonymous caller the field is null, so that a body cannot name another owner. If the column is not
    /// nullable, such a caller cannot create rows.
    ///
    /// # Panics
    /// If the key is of another type than the field, since the row would belong to whomever its creator names.
    pub fn preset<M: Model, T: ColumnType>(&self, field: Field<M, T>) -> Draft<M> {
        let mut presets = Draft::new();
        if self.is_authenticated() {
            let key = self.key::<T>();
            presets.set(field, key.expect("the caller's key is of the type of the field"));
            return presets;
        }
        // An empty draft would leave the owner of the row to its creator.
        let mut presets = presets.into_any();
        presets.set(field.position(), Value::Null);
        Draft::from_any(presets)
    }

    /// Whether the caller has this role.
    pub fn has_role(&self, role: &str) -> bool {
        let known = self.known.as_ref();
        known.is_some_and(|known| known.roles.iter().any(|own| own == role))
    }

    /// Roles of the caller.
    pub fn roles(&self) -> &[String] {
        self.known.as_ref().map_or(&[], |known| &known.roles)
    }

    /// Account of the caller, if it is of this type.
    pub fn account<A: 'static>(&self) -> Option<&A> {
        self.known.as_ref()?.account.as_ref()?.downcast_ref()
    }

    /// Credential that authenticated the caller, if it is of this type.
    pub fn credential<C: 'static>(&self) -> Option<&C> {
        self.known.as_ref()?.credential.as_ref()?.downcast_ref()
    }
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.known {
            Some(known) => write!(f, "Caller({:?}, {:?})", known.key, known.roles),
            None => f.write_str("Caller(anonymous)"),
        }
    }
}
