//! Views: single functions at a URL, outside any resource.

use futures_util::future::BoxFuture;

use crate::context::Context;
use crate::error::Result;
use crate::reply::Reply;
use crate::resource::Registration;

/// A view function with its URLs; the attribute `#[route]` makes one of an `async fn`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a view",
    label = "this function has no #[route] attribute",
    note = "put #[route(\"/path\")] above the `async fn`"
)]
pub trait View: Send + Sync + 'static {
    /// Where the view is served.
    fn registration() -> Registration;
    /// Answers a request.
    fn call(cx: Context) -> BoxFuture<'static, Result<Reply>>;
}
