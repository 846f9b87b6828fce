//! Views: single functions at a URL, outside any resource.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::context::Context;
use crate::decorator::{Decorator, guard};
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
    /// What surrounds the view, the outermost first.
    fn decorators() -> Vec<SharedDecorator> {
        Vec::new()
    }
    /// Answers a request.
    fn call(cx: Context) -> BoxFuture<'static, Result<Reply>>;
}

/// A decorator whose type is not known any more.
pub type SharedDecorator = Arc<dyn Decorator>;

/// Shares a decorator among the requests to a view.
pub fn shared(decorator: impl Decorator) -> SharedDecorator {
    Arc::new(decorator)
}

/// Shares a guard among the requests to a view.
pub fn shared_guard(decorator: impl Decorator) -> SharedDecorator {
    Arc::new(guard(decorator))
}
