//! Serializers of accounts: the password is write-only and hashed on input, and names are checked and normalized.

use std::marker::PhantomData;

use model_resource::schema::serializer::{RegisteredSerializer, SerializerRole};
use model_resource::{ExtraField, ModelSerializer, SerializerFields};

use crate::account::{Account, MAX_PASSWORD};
use crate::account_names::{normalize_names, user_names};
use crate::names::check_username;
use crate::password::hash_password;

/// Body member with a password.
const PASSWORD: &str = "password";

/// Body member with the current password, required beside a new one.
pub const OLD_PASSWORD: &str = "oldPassword";

/// Serializer of accounts as they are shown and changed: all columns that are not hidden, and a write-only `password`,
/// which requires the current one beside it as `oldPassword`. A serializer with more fields calls [`account_fields`].
pub struct AccountSerializer<A>(PhantomData<fn() -> A>);

impl<A: Account> ModelSerializer for AccountSerializer<A> {
    type Model = A;

    fn fields(fields: SerializerFields<A>) -> SerializerFields<A> {
        account_fields(fields)
    }
}

impl<A: Account> RegisteredSerializer for AccountSerializer<A> {
    const ROLE: SerializerRole = SerializerRole::Single;
    const VALIDATES: bool = false;
}

/// Serializer of accounts at registration, with a write-only `password`. A serializer with more fields calls
/// [`new_account_fields`].
pub struct NewAccountSerializer<A>(PhantomData<fn() -> A>);

impl<A: Account> ModelSerializer for NewAccountSerializer<A> {
    type Model = A;

    fn fields(fields: SerializerFields<A>) -> SerializerFields<A> {
        new_account_fields(fields)
    }
}

impl<A: Account> RegisteredSerializer for NewAccountSerializer<A> {
    const ROLE: SerializerRole = SerializerRole::Create;
    const VALIDATES: bool = false;
}

/// Adds the fields and checks of [`AccountSerializer`] to a serializer.
pub fn account_fields<A: Account>(fields: SerializerFields<A>) -> SerializerFields<A> {
    let old = ExtraField::<A, String>::new(OLD_PASSWORD)
        .max_length(MAX_PASSWORD)
        .needs(PASSWORD)
        .for_handler();
    let fields = fields.write_only(password().needs(OLD_PASSWORD)).write_only(old);
    with_checks(fields)
}

/// Adds the fields and checks of [`NewAccountSerializer`] to a serializer.
pub fn new_account_fields<A: Account>(fields: SerializerFields<A>) -> SerializerFields<A> {
    with_checks(fields.write_only(password()))
}

fn password<A: Account>() -> ExtraField<A, String> {
    ExtraField::new(PASSWORD)
        .min_length(A::MIN_PASSWORD)
        .max_length(MAX_PASSWORD)
        .required_on_create()
        .into_column(A::PASSWORD_HASH, hash_password)
}

/// Adds the checks of names and passwords.
fn with_checks<A: Account>(fields: SerializerFields<A>) -> SerializerFields<A> {
    let checked = user_names::<A>().fold(fields, |fields, column| {
        fields.validate(column, |name, _| check_username(name))
    });
    checked.post_load(|account, _, errors| {
        if let Some(Err(message)) = account
            .extra::<String>(PASSWORD)
            .map(|password| A::check_password(&password))
        {
            errors.add(PASSWORD, message);
        }
        normalize_names(account);
    })
}
