//! Accounts of an application, as its command line knows them.

use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command};
use model_resource::{Draft, Errors, Field, Result, Store};
use model_resource_security::{Account, Security};

use crate::accounts::changes::{SetRoles, disable, enable, reset_password, save_roles};
use crate::accounts::password::{CheckPassword, read_password_hash};
use crate::app_command::parsed;
use crate::application::CommandFuture;
use crate::database::DatabaseArgs;

/// Argument with the name of an account.
pub(super) const NAME: &str = "name";
/// Option with roles.
pub(super) const ROLE: &str = "role";

/// Function that makes the authenticator of an api.
pub(crate) type MakeSecurity<A> = Arc<dyn Fn() -> Security<A> + Send + Sync>;
/// Function that finds an account by its name.
pub(super) type FindAccount<A> = Arc<dyn Fn(Store, String) -> CommandFuture<Option<A>> + Send + Sync>;
/// Function that changes an account, and returns what is reported of it.
type ApplyChange<A> = Box<dyn Fn(Store, A, ArgMatches) -> CommandFuture<String> + Send + Sync>;

/// Accounts of an application, and the commands that create and change them.
///
/// Each method adds commands: [`create`](Self::create) adds `user create`, [`passwords`](Self::passwords) adds
/// `set-password`, [`active`](Self::active) adds `disable` and `enable`, and [`roles`](Self::roles) adds `grant` and
/// `revoke`.
///
/// ```
/// use clap::Args;
/// use model_resource::{Api, Draft, Errors, Model, Result, Store};
/// use model_resource_cli::{Accounts, Manage};
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
///     #[column(hidden, default = true)]
///     is_active: bool,
///     #[column(hidden, default = "")]
///     roles: String,
/// }
///
/// impl Account for Member {
///     fn password_hash(&self) -> &str {
///         &self.password_hash
///     }
///
///     fn is_active(&self) -> bool {
///         self.is_active
///     }
///
///     fn roles(&self) -> Vec<String> {
///         self.roles.split_whitespace().map(str::to_owned).collect()
///     }
/// }
///
/// async fn find(store: &Store, name: &str) -> Result<Option<Member>> {
///     Ok(store.first(&Member::query().filter(Member::NAME.eq(name.to_owned()))).await?)
/// }
///
/// #[derive(Args)]
/// struct NewMember {
///     /// The user name
///     #[arg(long)]
///     name: String,
/// }
///
/// fn new_member(new: NewMember, _errors: &mut Errors) -> Draft<Member> {
///     Draft::new().with(Member::NAME, new.name)
/// }
///
/// fn check_password(password: &str) -> Result<(), String> {
///     if password.chars().count() < 8 {
///         return Err("Shorter than the minimum length 8.".to_owned());
///     }
///     Ok(())
/// }
///
/// let accounts = Accounts::new(Security::<Member>::new, find)
///     .create(new_member)
///     .passwords(Member::PASSWORD_HASH, check_password)
///     .active(Member::IS_ACTIVE)
///     .roles(["admin"], |member, roles| member.set(Member::ROLES, roles.join(" ")));
/// let manage = Manage::new("club", || Api::new("club")).accounts(accounts);
/// ```
pub struct Accounts<A: Account> {
    pub(crate) security: MakeSecurity<A>,
    pub(super) find: FindAccount<A>,
    pub(super) create: Option<CreateAccount<A>>,
    pub(super) passwords: Option<Passwords<A>>,
    pub(crate) role_names: Vec<String>,
    pub(super) set_roles: Option<Arc<SetRoles<A>>>,
    pub(super) changes: Vec<AccountChange<A>>,
}

/// Options of `create`, and the account that they describe.
pub(super) struct CreateAccount<A: Account> {
    pub(super) augment: fn(Command) -> Command,
    pub(super) draft: Box<dyn Fn(&ArgMatches, &mut Errors) -> Draft<A> + Send + Sync>,
}

/// Column of the password's hash, and the check of a new password.
pub(super) struct Passwords<A: Account> {
    pub(super) column: Field<A, String>,
    pub(super) check: Arc<CheckPassword>,
}

/// A command that changes an account.
pub(super) struct AccountChange<A> {
    pub(super) command: Command,
    pub(super) apply: ApplyChange<A>,
}

impl<A: Account> Accounts<A> {
    /// Creates the accounts of an authenticator, which the api then has. `find` finds an account by the name that people
    /// log in with.
    pub fn new(
        security: impl Fn() -> Security<A> + Send + Sync + 'static,
        find: impl AsyncFn(&Store, &str) -> Result<Option<A>> + Send + Sync + 'static,
    ) -> Self {
        let find = Arc::new(find);
        Self {
            security: Arc::new(security),
            find: Arc::new(move |store, name| {
                let find = Arc::clone(&find);
                Box::pin(async move { Ok((*find)(&store, &name).await?) })
            }),
            create: None,
            passwords: None,
            role_names: Vec::new(),
            set_roles: None,
            changes: Vec::new(),
        }
    }

    /// Adds `create`, with the application's own options. `draft` returns the account without its password and roles;
    /// it may add errors to those of the columns.
    pub fn create<N: Args>(
        mut self,
        draft: impl Fn(N, &mut Errors) -> Draft<A> + Send + Sync + 'static,
    ) -> Self {
        self.create = Some(CreateAccount {
            augment: N::augment_args,
            draft: Box::new(move |matches, errors| draft(parsed(matches), errors)),
        });
        self
    }

    /// Adds `set-password`, and has `create` read a password too: the first line of standard input. `check` rejects
    /// weak passwords, with a message.
    pub fn passwords(
        mut self,
        column: Field<A, String>,
        check: impl Fn(&str) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let check: Arc<CheckPassword> = Arc::new(check);
        self.passwords = Some(Passwords {
            column,
            check: Arc::clone(&check),
        });
        let about =
            "Sets a new password, the first line of standard input, and revokes all sessions and tokens";
        self.with_change("set-password", about, move |store, user, _| {
            let check = Arc::clone(&check);
            Box::pin(async move {
                let hash = read_password_hash(&*check)?;
                reset_password(&store, &user, column, hash).await?;
                Ok("has a new password".to_owned())
            })
        })
    }

    /// Adds `disable` and `enable`, by the column that [`Account::is_active`] reads.
    pub fn active(self, column: Field<A, bool>) -> Self {
        let about = "Disables a user, and revokes all sessions and tokens";
        let accounts = self.with_change("disable", about, move |store, user, _| {
            Box::pin(async move {
                disable(&store, &user, column).await?;
                Ok("is disabled".to_owned())
            })
        });
        accounts.with_change("enable", "Enables a disabled user", move |store, user, _| {
            Box::pin(async move {
                enable(&store, &user, column).await?;
                Ok("is enabled".to_owned())
            })
        })
    }

    /// Adds `grant` and `revoke`, and the option `--role` of `create`. `names` are the roles that the policies use; no
    /// other one can be granted. `set` writes the roles of an account.
    pub fn roles(
        mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
        set: impl Fn(&mut Draft<A>, &[String]) + Send + Sync + 'static,
    ) -> Self {
        self.role_names = names.into_iter().map(Into::into).collect();
        let set: Arc<SetRoles<A>> = Arc::new(set);
        self.set_roles = Some(Arc::clone(&set));
        let known = PossibleValuesParser::new(&self.role_names);
        let (grant, revoke) = (Arc::clone(&set), set);
        self.with_change("grant", "Grants a role to a user", move |store, user, matches| {
            let (role, set) = (given_role(&matches), Arc::clone(&grant));
            Box::pin(async move {
                let mut roles = user.roles();
                if !roles.contains(&role) {
                    roles.push(role.clone());
                }
                save_roles(&store, &user, &*set, &roles).await?;
                Ok(format!("has the role {role}"))
            })
        })
        .with_argument(role_argument().value_parser(known))
        .with_change(
            "revoke",
            "Revokes a role from a user, also one that no policy uses any more",
            move |store, user, matches| {
                let (role, set) = (given_role(&matches), Arc::clone(&revoke));
                Box::pin(async move {
                    let mut roles = user.roles();
                    roles.retain(|known| *known != role);
                    save_roles(&store, &user, &*set, &roles).await?;
                    Ok(format!("has no role {role}"))
                })
            },
        )
        .with_argument(role_argument())
    }

    fn with_change(
        mut self,
        name: &'static str,
        about: &'static str,
        apply: impl Fn(Store, A, ArgMatches) -> CommandFuture<String> + Send + Sync + 'static,
    ) -> Self {
        let user = Arg::new(NAME).value_name("NAME").required(true);
        let user = user.help("The user's e-mail address or user name");
        self.changes.push(AccountChange {
            command: DatabaseArgs::augment_args(Command::new(name).about(about).arg(user)),
            apply: Box::new(apply),
        });
        self
    }

    /// Adds an argument to the change that was added last.
    fn with_argument(mut self, argument: Arg) -> Self {
        if let Some(mut change) = self.changes.pop() {
            change.command = change.command.arg(argument);
            self.changes.push(change);
        }
        self
    }
}

impl<A: Account> std::fmt::Debug for Accounts<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Accounts").finish_non_exhaustive()
    }
}

fn role_argument() -> Arg {
    let role = Arg::new(ROLE).long(ROLE).value_name("ROLE");
    role.required(true).help("The role")
}

fn given_role(matches: &ArgMatches) -> String {
    matches.get_one::<String>(ROLE).cloned().unwrap_or_default()
}
