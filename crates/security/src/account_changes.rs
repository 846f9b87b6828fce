//! Changes of accounts. Those that must end sessions and tokens do so in the same transaction.

use model_resource::{Draft, Error, Errors, Field, Result, Store};

use crate::account::{Account, find, key_of, key_text};
use crate::account_names::{check_names, normalize_names};
use crate::scope::TransactionScope;
use crate::security::Security;

/// Creating, disabling and enabling accounts, their passwords and their roles. Policies do not apply. If the store is in
/// a transaction, a change is part of it; otherwise it is a transaction of its own.
impl<A: Account> Security<A> {
    /// Creates an account with these roles. Its names are converted to the form in which they are looked up; invalid ones
    /// are errors of their fields. The draft contains the hash of the password.
    pub async fn create_account(
        store: &Store,
        mut account: Draft<A>,
        roles: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<A> {
        let roles: Vec<String> = roles.into_iter().map(Into::into).collect();
        let errors = Self::check_account(&mut account);
        if !errors.is_empty() {
            return Err(Error::invalid(errors));
        }
        A::ROLES.set_in_columns(&mut account, roles.clone())?;
        let scope = TransactionScope::begin(store).await?;
        let account = scope.create(account).await?;
        if let Some(tables) = A::ROLES.tables() {
            for role in &roles {
                tables.grant(&scope, &key_of(&account), role).await?;
            }
        }
        scope.commit().await?;
        Ok(account)
    }

    /// Converts the names of a new account to the form in which they are looked up, and returns the errors of its
    /// columns.
    pub fn check_account(account: &mut Draft<A>) -> Errors {
        normalize_names(account);
        let mut errors = account.as_any().check();
        for (field, message) in check_names(account) {
            errors.add(field, message);
        }
        errors
    }

    /// Sets a new password by its hash ([`hash_password`](crate::hash_password)), and revokes every session and token of
    /// the account.
    pub async fn set_password(store: &Store, account: &A, hash: String) -> Result<A> {
        let scope = TransactionScope::begin(store).await?;
        let account = save_password(&scope, account, hash).await?;
        Self::revoke_all(&scope, &account).await?;
        scope.commit().await?;
        Ok(account)
    }

    /// Disables an account, and revokes every session and token of it. An account without the column
    /// [`Account::ACTIVE`] cannot be disabled.
    pub async fn disable(store: &Store, account: &A) -> Result<A> {
        let scope = TransactionScope::begin(store).await?;
        let draft = Draft::of(account).with(active_column::<A>()?, false);
        let account = scope.save(draft).await?;
        Self::revoke_all(&scope, &account).await?;
        scope.commit().await?;
        Ok(account)
    }

    /// Enables an account, whose user then has to log in. Also revokes any credential issued by a login that raced with
    /// disabling the account.
    pub async fn enable(store: &Store, account: &A) -> Result<A> {
        let scope = TransactionScope::begin(store).await?;
        if !account.is_active() {
            Self::revoke_all(&scope, account).await?;
        }
        let draft = Draft::of(account).with(active_column::<A>()?, true);
        let account = scope.save(draft).await?;
        scope.commit().await?;
        Ok(account)
    }

    /// Grants a role to an account, unless it has it. Returns the account as it is now; the given one may be older.
    pub async fn grant_role(store: &Store, account: &A, role: &str) -> Result<A> {
        let scope = TransactionScope::begin(store).await?;
        let mut account = lock_account(&scope, account).await?;
        if let Some(tables) = A::ROLES.tables() {
            tables.grant(&scope, &key_of(&account), role).await?;
        } else {
            let mut roles = A::ROLES.in_columns(&account);
            if !roles.iter().any(|known| known == role) {
                roles.push(role.to_owned());
            }
            account = save_roles(&scope, &account, roles).await?;
        }
        scope.commit().await?;
        Ok(account)
    }

    /// Revokes a role of an account, if it has it. Returns the account as it is now; the given one may be older.
    pub async fn revoke_role(store: &Store, account: &A, role: &str) -> Result<A> {
        let scope = TransactionScope::begin(store).await?;
        let mut account = lock_account(&scope, account).await?;
        if let Some(tables) = A::ROLES.tables() {
            tables.revoke(&scope, &key_of(&account), role).await?;
        } else {
            let mut roles = A::ROLES.in_columns(&account);
            roles.retain(|known| known != role);
            account = save_roles(&scope, &account, roles).await?;
        }
        scope.commit().await?;
        Ok(account)
    }
}

/// Sets a new password hash, which invalidates every session and token. The caller's transaction must also revoke them.
pub(crate) async fn save_password<A: Account>(store: &Store, account: &A, hash: String) -> Result<A> {
    let draft = Draft::of(account).with(A::PASSWORD_HASH, hash);
    Ok(store.save(draft).await?)
}

async fn save_roles<A: Account>(store: &Store, account: &A, roles: Vec<String>) -> Result<A> {
    let mut draft = Draft::of(account);
    A::ROLES.set_in_columns(&mut draft, roles)?;
    Ok(store.save(draft).await?)
}

/// Reads an account again in a transaction, which excludes other changes of it until the end.
async fn lock_account<A: Account>(transaction: &Store, account: &A) -> Result<A> {
    let found = find(transaction, &key_text(account)).await?;
    found.ok_or_else(Error::not_found)
}

/// Ends the request if an account, read again in its transaction, has another password than the one that was verified.
pub(crate) async fn require_verified_password<A: Account>(
    transaction: &Store,
    verified: &A,
    field: &str,
) -> Result<()> {
    let current = lock_account(transaction, verified).await?;
    if current.password_hash() == verified.password_hash() {
        Ok(())
    } else {
        Err(not_your_password(field))
    }
}

/// Error of a wrong password of an authenticated caller.
pub(crate) fn not_your_password(field: &str) -> Error {
    Error::field(field, "This is not your password.")
}

fn active_column<A: Account>() -> Result<Field<A, bool>> {
    let missing = || {
        let model = A::table().model;
        Error::internal(format!(
            "accounts of {model} cannot be disabled: set `ACTIVE` to their column"
        ))
    };
    A::ACTIVE.ok_or_else(missing)
}
