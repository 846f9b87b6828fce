//! Callers with accounts.

use model_resource::{Draft, Error, Model as _, Table};
use model_resource_security::{Account, AuthSession, AuthToken, Security, hash_password};
use serde_json::json;

use crate::audit::Audit;
use crate::error::AuditError;
use crate::fixture::Fixture;

/// Password of every account.
const PASSWORD: &str = "correct horse";
/// Account that is requested at the URLs of accounts.
const OWNER: &str = "owner";
const DISABLED: &str = "disabled";
const NOTE: &str = "\
The account of OWNER is requested at the URLs of accounts, tokens and sessions. USER is another authenticated user.";
const DISABLED_NOTE: &str = "DISABLED has every role and a token, and was disabled.";

impl Audit {
    /// Adds accounts before the fixture, and a caller with a token for each: `owner`, whose account is requested at the
    /// URLs of accounts, as are a token and a session of it; `user`; one for each role that
    /// [`Roles::known`](model_resource_security::Roles::known) names, with the name of the role; and, if accounts can be
    /// disabled, `disabled`, who has every role.
    ///
    /// Login names are derived from these names. Members `password` of the bodies of views are the password of the
    /// accounts, so that logins succeed. [`Fixture::account`] returns the accounts to the fixture.
    ///
    /// ```
    /// use model_resource::{Draft, Field, Model};
    /// use model_resource_audit::{Audit, AuditError, Fixture};
    /// use model_resource_security::{Account, Security};
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
    /// impl Account for Member {
    ///     const LOGIN_NAMES: &'static [Field<Self, String>] = &[Member::NAME];
    ///     const PASSWORD_HASH: Field<Self, String> = Member::PASSWORD_HASH;
    /// }
    ///
    /// #[derive(Model)]
    /// struct Note {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     #[column(references = Member)]
    ///     member_id: i64,
    /// }
    ///
    /// async fn fixture(rows: Fixture) -> Result<(), AuditError> {
    ///     let owner: Member = rows.account("owner")?;
    ///     rows.add(Draft::new().with(Note::MEMBER_ID, owner.id)).await?;
    ///     Ok(())
    /// }
    ///
    /// let audit = Audit::new().accounts(Security::<Member>::new).fixture(fixture);
    /// ```
    pub fn accounts<A: Account>(mut self, security: fn() -> Security<A>) -> Self {
        self.view_members.insert("password".to_owned(), json!(PASSWORD));
        if let Some(column) = A::LOGIN_NAMES.first().map(|name| name.column()) {
            let name = login_name(OWNER, column.email);
            self.view_members.insert(column.wire_name(), json!(name));
        }
        self.notes.push(NOTE.to_owned());
        if A::ACTIVE.is_some() {
            self.notes.push(DISABLED_NOTE.to_owned());
        }
        self.accounts_table = Some(A::table());
        self.add_accounts = Some(Box::new(move |rows, tables| {
            Box::pin(async move { Ok(add_accounts(&rows, &security(), &tables).await?) })
        }));
        self
    }
}

impl Fixture {
    /// Adds a caller with a new bearer token of an account.
    ///
    /// # Errors
    /// If the account has too many tokens.
    pub async fn log_in<A: Account>(
        &self,
        caller: &str,
        security: &Security<A>,
        account: &A,
    ) -> Result<(), AuditError> {
        self.issue_token(caller, security, account).await?;
        Ok(())
    }

    async fn issue_token<A: Account>(
        &self,
        caller: &str,
        security: &Security<A>,
        account: &A,
    ) -> Result<AuthToken, AuditError> {
        let token = Draft::new().with(AuthToken::NAME, "audit");
        let issued = security.issue_token(self.store(), account, token).await;
        let (secret, token) =
            issued.map_err(|error| AuditError::one(format!("no token for {caller}: {error}")))?;
        self.bearer(caller, &secret);
        Ok(token)
    }

    /// Marks the last row as the account of a caller.
    fn mark_account(&self, caller: &str) {
        let mut contents = self.contents();
        let last = contents.rows.len() - 1;
        contents.accounts.push((caller.to_owned(), last));
    }

    /// Account of a caller that [`Audit::accounts`] has added.
    ///
    /// # Errors
    /// If there is no such caller, or if their account is of another model.
    pub fn account<A: Account>(&self, caller: &str) -> Result<A, AuditError> {
        let contents = self.contents();
        let mut accounts = contents.accounts.iter();
        let row = accounts.find(|(name, _)| name == caller);
        let row = row.map(|(_, row)| &contents.rows[*row]);
        let row = row.filter(|row| row.table.id() == A::table().id());
        let row = row.ok_or_else(|| {
            let model = A::table().model;
            AuditError::one(format!(
                "no {model} is the account of a caller {caller:?}: declare `Audit::accounts`"
            ))
        })?;
        A::from_row(&row.record).map_err(|error| AuditError::one(format!("{caller}: {error}")))
    }
}

/// Adds the accounts and their callers. The account of the owner is the last, to which generated rows refer.
async fn add_accounts<A: Account>(
    rows: &Fixture,
    security: &Security<A>,
    tables: &[&'static Table],
) -> Result<(), AuditError> {
    let hash = hash_password(PASSWORD.to_owned());
    let user: A = add_account(rows, "user", draft("user", &hash), &[]).await?;
    let roles = A::ROLES.known_names().iter().filter(|_| A::ROLES.is_stored());
    let roles: Vec<&str> = roles.copied().collect();
    let mut others: Vec<(&str, A)> = Vec::new();
    for role in &roles {
        let account = add_account(rows, role, draft(role, &hash), &[role]).await?;
        others.push((role, account));
    }
    if let Some(active) = A::ACTIVE {
        // With every role and a token, so that a missing check shows at every URL.
        let draft = draft(DISABLED, &hash).with(active, false);
        others.push((DISABLED, add_account(rows, DISABLED, draft, &roles).await?));
    }
    let owner: A = add_account(rows, OWNER, draft(OWNER, &hash), &[]).await?;
    rows.log_in("user", security, &user).await?;
    let token = rows.issue_token(OWNER, security, &owner).await?;
    for (caller, account) in &others {
        rows.log_in(caller, security, account).await?;
    }
    let is_served = |table: &'static Table| tables.iter().any(|served| served.id() == table.id());
    if is_served(AuthToken::table()) {
        let token = Draft::new().with(AuthToken::USER_KEY, token.user_key.as_str());
        rows.add(token).await?;
    }
    if is_served(AuthSession::table()) {
        let session = Draft::new().with(AuthSession::USER_KEY, token.user_key);
        rows.add(session).await?;
    }
    Ok(())
}

/// Draft of a caller's account.
fn draft<A: Account>(caller: &str, hash: &str) -> Draft<A> {
    let mut draft = Draft::new().with(A::PASSWORD_HASH, hash);
    for name in A::LOGIN_NAMES {
        draft.set(*name, login_name(caller, name.column().email));
    }
    draft
}

/// Adds the account of a caller. That of the owner is requested.
async fn add_account<A: Account>(
    rows: &Fixture,
    caller: &str,
    draft: Draft<A>,
    roles: &[&str],
) -> Result<A, AuditError> {
    let mut account = match caller {
        OWNER => rows.add(draft).await?,
        _ => rows.add_other(draft).await?,
    };
    rows.mark_account(caller);
    let mistake = |error: Error| AuditError::one(format!("no roles for {caller:?}: {error}"));
    for role in roles {
        let granted = Security::grant_role(rows.store(), &account, role).await;
        account = granted.map_err(mistake)?;
    }
    Ok(account)
}

fn login_name(caller: &str, is_email: bool) -> String {
    if is_email {
        format!("{caller}@example.com")
    } else {
        caller.to_owned()
    }
}
