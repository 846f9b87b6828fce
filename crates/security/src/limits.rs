//! Rate limits of the account routes.

use model_resource::{CREATE, Context, MethodDecorators, PATCH, PUT, Rate, Throttle, throttle};

use crate::account_serializer::OLD_PASSWORD;
use crate::decorators::{anonymous_user_required, auth_required_same_user};

/// Rates of the account routes; see [`AccountRoutes::limits`](crate::AccountRoutes::limits).
///
/// ```
/// use model_resource::Rate;
/// use model_resource_security::AccountLimits;
///
/// let limits = AccountLimits::new().registrations_per_address(Rate::per_hour(5));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AccountLimits {
    address_failures: Rate,
    login_failures: Rate,
    registrations: Rate,
    wrong_passwords: Rate,
    password_changes: Rate,
}

impl AccountLimits {
    /// Returns the default rates.
    pub fn new() -> Self {
        Self {
            address_failures: Rate::per_minute(30),
            login_failures: Rate::per_minute(10),
            registrations: Rate::per_hour(60),
            wrong_passwords: Rate::per_hour(10),
            password_changes: Rate::per_hour(30),
        }
    }

    /// Sets how many logins and changes of passwords of one address may fail, over all accounts; 30 a minute by default.
    pub fn failures_per_address(mut self, rate: Rate) -> Self {
        self.address_failures = rate;
        self
    }

    /// Sets how many logins of an account may fail, by any of its names; 10 a minute by default.
    pub fn login_failures_per_account(mut self, rate: Rate) -> Self {
        self.login_failures = rate;
        self
    }

    /// Sets how many accounts an address may register; 60 an hour by default.
    pub fn registrations_per_address(mut self, rate: Rate) -> Self {
        self.registrations = rate;
        self
    }

    /// Sets how many wrong passwords an authenticated caller may send when they change their password; 10 an hour by
    /// default.
    pub fn wrong_passwords_per_account(mut self, rate: Rate) -> Self {
        self.wrong_passwords = rate;
        self
    }

    /// Sets how often the password of an account may be changed, because each change costs the time of several hashes;
    /// 30 times an hour by default.
    pub fn password_changes_per_account(mut self, rate: Rate) -> Self {
        self.password_changes = rate;
        self
    }

    /// Returns the limits and guards of a resource of accounts: anonymous callers create accounts, and users change their
    /// own. Add those of other operations:
    ///
    /// ```
    /// use model_resource::LIST;
    /// use model_resource_security::{AccountLimits, auth_required};
    ///
    /// let decorators = AccountLimits::new()
    ///     .method_decorators()
    ///     .on(LIST, auth_required().role("admin"));
    /// ```
    pub fn method_decorators(&self) -> MethodDecorators {
        self.on_registration()
            .on([PATCH, PUT], auth_required_same_user())
            .on([PATCH, PUT], self.addresses().when_body_has(OLD_PASSWORD))
            .on([PATCH, PUT], self.changes().when_body_has(OLD_PASSWORD))
            .on([PATCH, PUT], self.guesses().when_body_has(OLD_PASSWORD))
    }

    pub(crate) fn on_registration(&self) -> MethodDecorators {
        let registrations = throttle(self.registrations).named("registration").by_address();
        MethodDecorators::none()
            .on(CREATE, registrations)
            .on(CREATE, anonymous_user_required())
    }

    /// Limits how often an address can fail with whichever account.
    pub(crate) fn addresses(&self) -> Throttle {
        let limit = throttle(self.address_failures).named("address");
        limit.by_address().failures_only()
    }

    /// Limits how often logins of an account can fail; the caller sets the key.
    pub(crate) fn logins(&self) -> Throttle {
        throttle(self.login_failures).named("account").failures_only()
    }

    /// Limits how often the holder of an account's credential can guess its password.
    pub(crate) fn guesses(&self) -> Throttle {
        let limit = throttle(self.wrong_passwords).named("password");
        limit.by(caller_key).failures_only()
    }

    /// Limits the changes of an account's password, even successful ones.
    pub(crate) fn changes(&self) -> Throttle {
        throttle(self.password_changes).named("changes").by(caller_key)
    }
}

impl Default for AccountLimits {
    fn default() -> Self {
        Self::new()
    }
}

fn caller_key(cx: &Context) -> Option<String> {
    cx.caller().key_text()
}
