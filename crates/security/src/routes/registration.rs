//! Registration of accounts.

use std::marker::PhantomData;

use model_resource::expand::{self, Components, Overrides, Registration, op};
use model_resource::{
    CREATE, Context, Draft, FromContext, ModelResource, Operation, Operations, Reply, Result,
};

use crate::account::Account;
use crate::account_serializer::NewAccountSerializer;
use crate::security::Security;

/// Accounts, which anonymous callers create.
pub(super) struct RegistrationResource<A>(PhantomData<fn() -> A>);

impl<A: Account> ModelResource for RegistrationResource<A> {
    type Model = A;
    const INCLUDE_METHODS: Operations = Operations::of([CREATE]);

    fn registration() -> Registration {
        Registration::new("register", &["/register"])
            .methods(&["POST"])
            .description("Registration of accounts.")
    }

    fn components(components: &mut Components<A>) {
        components.serializer::<NewAccountSerializer<A>>();
    }

    fn operations(operations: &mut Overrides) {
        operations.takes_loaded(Operation::Create, true);
        operations.describe(Operation::Create, "Registers an account.");
        operations.set(Operation::Create, create::<A>);
    }
}

async fn create<A: Account>(mut cx: Context) -> Result<Reply> {
    let security = Security::<A>::from_context(&mut cx).await?;
    let account =
        <Draft<A> as expand::Argument<RegistrationResource<A>, op::Create, _>>::from_context(&mut cx).await?;
    expand::check_untaken_errors(&cx)?;
    security.register(cx, account).await
}
