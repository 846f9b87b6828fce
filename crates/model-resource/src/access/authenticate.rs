//! Authentication of requests.

use std::any::Any;

use futures_util::future::BoxFuture;
use http::HeaderName;
use model_resource_schema::column::Table;

use crate::access::caller::Caller;
use crate::access::credential_scheme::CredentialScheme;
use crate::pipeline::{Context, Result};

/// Authenticates requests, before any decorator runs.
///
/// An api with an authenticator denies writes that nothing allows: those of a resource without a policy, a guard or
/// `PUBLIC`. Without one, all callers are anonymous.
///
/// ```
/// use model_resource::{Caller, Context, Authenticate, Result};
///
/// /// Authenticates the operator by a shared secret.
/// struct ByWord(&'static str);
///
/// impl Authenticate for ByWord {
///     async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
///         let said = cx.headers().get("x-word").is_some_and(|word| word == self.0);
///         Ok(if said { Caller::of(1).with_roles(["operator"]) } else { Caller::anonymous() })
///     }
/// }
/// ```
pub trait Authenticate: Send + Sync + 'static {
    /// Authenticates the request. Return an error to reject an invalid credential, or `Caller::anonymous()` to ignore
    /// it.
    fn authenticate(&self, cx: &mut Context) -> impl Future<Output = Result<Caller>> + Send;

    /// Table whose primary key is the caller's key, if there is one. An api rejects guards at startup that compare the
    /// caller with a URL parameter which identifies a row of another table.
    fn accounts(&self) -> Option<&'static Table> {
        None
    }

    /// Ways in which clients can send a credential, for documents that describe the api.
    fn credentials(&self) -> Vec<CredentialScheme> {
        Vec::new()
    }

    /// Headers that contain a credential, so that caches keep the responses to different callers apart (`Vary`). By
    /// default those of [`credentials`](Self::credentials). Without any, shared caches may store no response.
    fn credential_headers(&self) -> Vec<HeaderName> {
        let schemes = self.credentials().into_iter();
        schemes.filter_map(|scheme| scheme.header()).collect()
    }

    /// Header that the writes of a browser must send with the session that authenticated this request, if there is
    /// one. The api's pages send it.
    fn csrf_token(&self, cx: &Context) -> Option<CsrfToken> {
        let _ = cx;
        None
    }
}

/// Header that proves that a write comes from a page which can read the session; see [`Authenticate::csrf_token`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsrfToken {
    /// Name of the header.
    pub header: HeaderName,
    /// Value of the header.
    pub token: String,
}

/// Type-erased [`Authenticate`].
pub(crate) trait AnyAuthenticate: Any + Send + Sync {
    fn authenticate_any<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<Caller>>;

    fn accounts_any(&self) -> Option<&'static Table>;

    fn credential_headers_any(&self) -> Vec<HeaderName>;

    #[cfg(any(feature = "openapi", feature = "pages"))]
    fn csrf_token_any(&self, cx: &Context) -> Option<CsrfToken>;

    #[cfg(feature = "openapi")]
    fn credentials_any(&self) -> Vec<CredentialScheme>;
}

impl<I: Authenticate> AnyAuthenticate for I {
    fn authenticate_any<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<Caller>> {
        Box::pin(self.authenticate(cx))
    }

    fn accounts_any(&self) -> Option<&'static Table> {
        self.accounts()
    }

    fn credential_headers_any(&self) -> Vec<HeaderName> {
        self.credential_headers()
    }

    #[cfg(feature = "openapi")]
    fn credentials_any(&self) -> Vec<CredentialScheme> {
        self.credentials()
    }

    #[cfg(any(feature = "openapi", feature = "pages"))]
    fn csrf_token_any(&self, cx: &Context) -> Option<CsrfToken> {
        self.csrf_token(cx)
    }
}
