//! Lookup of accounts by the names that people log in with.

use model_resource::{Draft, Field, Query, Result, Store};

use crate::account::Account;
use crate::column_text::text;
use crate::names::{check_username, normalize_name};
use crate::security::Security;

impl<A: Account> Security<A> {
    /// Finds the account with this login name, in any spelling; see [`Account::LOGIN_NAMES`]. Policies do not apply.
    pub async fn find_account(store: &Store, name: &str) -> Result<Option<A>> {
        let normalized = normalize_name(name);
        let columns: Vec<_> = columns_of::<A>(&normalized).collect();
        let conditions = columns.iter().map(|column| column.eq(normalized.clone()));
        let Some(named) = conditions.reduce(|one, other| one.or(other)) else {
            return Ok(None);
        };
        let mut found: Vec<A> = store.all(&Query::new().filter(named)).await?;
        // If several accounts have the name, each in another column, the first column decides.
        let rank = |account: &A| {
            let is_it = |column: &Field<A, String>| text(account, *column) == normalized;
            columns.iter().position(is_it)
        };
        found.sort_by_key(rank);
        Ok(found.into_iter().next())
    }
}

/// Columns in which a name is looked up.
fn columns_of<A: Account>(name: &str) -> impl Iterator<Item = Field<A, String>> {
    let is_address = name.contains('@');
    let fits = move |column: &Field<A, String>| column.column().email == is_address;
    let all = A::LOGIN_NAMES.iter().copied();
    let has_own = all.clone().any(|column| fits(&column));
    all.filter(move |column| !has_own || fits(column))
}

/// Columns that take user names rather than e-mail addresses.
pub(crate) fn user_names<A: Account>() -> impl Iterator<Item = Field<A, String>> {
    let all = A::LOGIN_NAMES.iter().copied();
    all.filter(|column| !column.column().email)
}

/// Converts the names of an account to the form in which they are stored and looked up.
pub(crate) fn normalize_names<A: Account>(account: &mut Draft<A>) {
    for column in A::LOGIN_NAMES.iter().copied() {
        if let Some(name) = account.get(column) {
            account.set(column, normalize_name(&name));
        }
    }
}

/// Rejects user names with characters that are not valid, each with the name of its field and a message.
pub(crate) fn check_names<A: Account>(account: &Draft<A>) -> Vec<(String, String)> {
    let checked = user_names::<A>().filter_map(|column| {
        let name = account.get(column).unwrap_or_default();
        let message = check_username(&name).err()?;
        Some((column.column().wire_name(), message))
    });
    checked.collect()
}
