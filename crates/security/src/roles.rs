//! Roles of an account: in a column, or in tables of their own.

use model_resource::{ColumnType, Draft, Error, Field, Json, Model, Result, Store, Table};

use crate::column_text::text;
use crate::role_tables::RoleTables;

/// Storage of the roles of an account; see [`Account::ROLES`](crate::Account::ROLES).
///
/// Roles in a column are read with the account, at no additional cost. Roles in tables are read with one more statement,
/// unless the account is cached ([`Security::credential_cache`](crate::Security::credential_cache)).
///
/// ```
/// use model_resource::{Field, Model};
/// use model_resource_security::{Account, Roles};
///
/// #[derive(Debug, Clone, Model)]
/// struct Member {
///     #[column(primary_key)]
///     id: i64,
///     #[column(unique)]
///     name: String,
///     #[column(hidden)]
///     password_hash: String,
/// }
///
/// #[derive(Debug, Clone, Model)]
/// struct Role {
///     #[column(primary_key)]
///     id: i64,
///     #[column(unique)]
///     name: String,
/// }
///
/// #[derive(Debug, Clone, Model)]
/// struct MemberRole {
///     #[column(primary_key)]
///     id: i64,
///     #[column(references = Member)]
///     member_id: i64,
///     #[column(references = Role)]
///     role_id: i64,
/// }
///
/// impl Account for Member {
///     const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
///     const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
///     const ROLES: Roles<Self> =
///         Roles::through(MemberRole::MEMBER_ID, MemberRole::ROLE_ID, Role::NAME).known(&["admin", "editor"]);
/// }
/// ```
pub struct Roles<A> {
    place: RolePlace<A>,
    known: &'static [&'static str],
}

/// Place of roles.
enum RolePlace<A> {
    Nowhere,
    Words(Field<A, String>),
    List(Field<A, Json<Vec<String>>>),
    Tables(RoleTables),
}

impl<A> Clone for Roles<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Roles<A> {}

impl<A> Clone for RolePlace<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for RolePlace<A> {}

impl<A: Model> Roles<A> {
    /// Accounts have no roles, or [`Account::roles`](crate::Account::roles) computes them.
    pub const fn none() -> Self {
        Self::at(RolePlace::Nowhere)
    }

    /// Roles in a text, separated by spaces.
    pub const fn words(column: Field<A, String>) -> Self {
        Self::at(RolePlace::Words(column))
    }

    /// Roles in a JSON array of texts.
    pub const fn list(column: Field<A, Json<Vec<String>>>) -> Self {
        Self::at(RolePlace::List(column))
    }

    /// Roles in a table with one row for each role of an account, which has a foreign key to the account and the name of
    /// the role.
    pub const fn rows<J: Model, K: ColumnType + 'static>(
        account: Field<J, K>,
        name: Field<J, String>,
    ) -> Self {
        Self::at(RolePlace::Tables(RoleTables::rows(account, name)))
    }

    /// Roles in a table, assigned through a join table with foreign keys to the account and to the role.
    pub const fn through<J: Model, K: ColumnType + 'static, L: ColumnType + 'static, R: Model>(
        account: Field<J, K>,
        role: Field<J, L>,
        name: Field<R, String>,
    ) -> Self {
        Self::at(RolePlace::Tables(RoleTables::through(account, role, name)))
    }

    /// Names the roles that the policies use; the command line grants no other one.
    pub const fn known(mut self, roles: &'static [&'static str]) -> Self {
        self.known = roles;
        self
    }

    const fn at(place: RolePlace<A>) -> Self {
        Self { place, known: &[] }
    }

    /// Roles that the policies use; empty if they are not named.
    pub const fn known_names(&self) -> &'static [&'static str] {
        self.known
    }

    /// Whether roles can be granted and revoked: whether they are stored.
    pub const fn is_stored(&self) -> bool {
        !matches!(self.place, RolePlace::Nowhere)
    }

    /// Tables of the roles, if they are in tables.
    pub(crate) const fn tables(&self) -> Option<RoleTables> {
        match self.place {
            RolePlace::Tables(tables) => Some(tables),
            RolePlace::Nowhere | RolePlace::Words(_) | RolePlace::List(_) => None,
        }
    }

    /// Position of the account's column with the roles, if they are in one.
    pub(crate) const fn column(&self) -> Option<usize> {
        match self.place {
            RolePlace::Words(column) => Some(column.position()),
            RolePlace::List(column) => Some(column.position()),
            RolePlace::Nowhere | RolePlace::Tables(_) => None,
        }
    }

    /// Roles in the column of an account.
    pub(crate) fn in_columns(&self, account: &A) -> Vec<String> {
        match self.place {
            RolePlace::Words(column) => text(account, column)
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            RolePlace::List(column) => {
                let list = Json::<Vec<String>>::from_value(account.value(column.position()));
                list.map(Json::into_inner).unwrap_or_default()
            }
            RolePlace::Nowhere | RolePlace::Tables(_) => Vec::new(),
        }
    }

    /// Sets the roles in the column of an account.
    pub(crate) fn set_in_columns(&self, draft: &mut Draft<A>, roles: Vec<String>) -> Result<()> {
        match self.place {
            RolePlace::Words(column) => {
                if let Some(role) = roles.iter().find(|role| role.contains(char::is_whitespace)) {
                    let message = format!("The role {role:?} may not contain white space.");
                    return Err(Error::field("roles", message));
                }
                draft.set(column, roles.join(" "));
            }
            RolePlace::List(column) => draft.set(column, Json::of(roles).map_err(Error::internal)?),
            RolePlace::Nowhere | RolePlace::Tables(_) => {}
        }
        Ok(())
    }

    /// Number that changes with the tables of the roles; 0 if the roles are not in tables.
    pub(crate) fn change_count(&self, store: &Store) -> u64 {
        let Some(tables) = self.tables() else {
            return 0;
        };
        let counts = (tables.tables)().into_iter();
        counts.fold(0, |sum: u64, table: &'static Table| {
            sum.wrapping_add(store.change_count(table))
                .wrapping_add(store.insert_count(table))
        })
    }
}

impl<A> std::fmt::Debug for Roles<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Roles")
            .field("known", &self.known)
            .finish_non_exhaustive()
    }
}
