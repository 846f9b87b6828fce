//! Callers that are known before the authenticator is asked.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::HeaderName;
use model_resource_schema::column::Table;

use crate::access::authenticate::AnyAuthenticate;
#[cfg(any(feature = "openapi", feature = "pages"))]
use crate::access::authenticate::CsrfToken;
use crate::access::caller::Caller;
#[cfg(feature = "openapi")]
use crate::access::credential_scheme::CredentialScheme;
use crate::pipeline::{Context, Result};

/// Source of callers that are known before the authenticator is asked, such as those of a test.
#[doc(hidden)]
pub trait KnownCallers: Send + Sync + 'static {
    /// Returns the caller of a request, if it is known.
    fn caller(&self, cx: &Context) -> Option<Caller>;
}

impl<F: Fn(&Context) -> Option<Caller> + Send + Sync + 'static> KnownCallers for F {
    fn caller(&self, cx: &Context) -> Option<Caller> {
        self(cx)
    }
}

/// Authenticator that asks for known callers first.
pub(crate) struct CallersFirst {
    pub(crate) known: Arc<dyn KnownCallers>,
    pub(crate) authenticator: Arc<dyn AnyAuthenticate>,
}

impl AnyAuthenticate for CallersFirst {
    fn authenticate_any<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<Caller>> {
        match self.known.caller(cx) {
            Some(caller) => Box::pin(async move { Ok(caller) }),
            None => self.authenticator.authenticate_any(cx),
        }
    }

    fn accounts_any(&self) -> Option<&'static Table> {
        self.authenticator.accounts_any()
    }

    fn credential_headers_any(&self) -> Vec<HeaderName> {
        self.authenticator.credential_headers_any()
    }

    #[cfg(any(feature = "openapi", feature = "pages"))]
    fn csrf_token_any(&self, cx: &Context) -> Option<CsrfToken> {
        self.authenticator.csrf_token_any(cx)
    }

    #[cfg(feature = "openapi")]
    fn credentials_any(&self) -> Vec<CredentialScheme> {
        self.authenticator.credentials_any()
    }
}
