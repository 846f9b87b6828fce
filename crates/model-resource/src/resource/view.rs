//! Views: single functions at a URL, outside any resource.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::access::guard;
use crate::description::HandlerSchemas;
use crate::handle::Reply;
use crate::pipeline::{Chain, Context, Decorator, Handler, Result};
use crate::resource::definition::Registration;

/// View function with its URLs; the attribute `#[route]` creates one from an `async fn`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a view",
    label = "this function has no #[route] attribute",
    note = "put #[route(\"/path\")] above the `async fn`"
)]
pub trait View: Send + Sync + 'static {
    /// URLs of the view.
    fn registration() -> Registration;
    /// Decorators of the view, the outermost first.
    fn decorators() -> Vec<SharedDecorator> {
        Vec::new()
    }
    /// Describes the arguments and the reply.
    fn schemas(schemas: &mut HandlerSchemas) {
        let _ = schemas;
    }
    /// Handles a request.
    fn call(cx: Context) -> BoxFuture<'static, Result<Reply>>;
}

/// Chain of a view and its decorators, which can read the data of its reply.
pub(crate) fn view_chain(name: &str, decorators: Vec<SharedDecorator>, call: Handler) -> Chain {
    let handler: Handler = if decorators.is_empty() {
        call
    } else {
        Arc::new(move |cx| {
            let context = cx.render_context();
            let called = call(cx);
            Box::pin(async move { Ok(called.await?.in_context(context)) })
        })
    };
    Chain {
        name: name.to_owned(),
        decorators,
        handler,
        is_automatic: false,
    }
}

/// Type-erased decorator.
pub type SharedDecorator = Arc<dyn Decorator>;

/// Shares a decorator among the requests to a view.
pub fn shared(decorator: impl Decorator) -> SharedDecorator {
    Arc::new(decorator)
}

/// Shares a guard among the requests to a view.
pub fn shared_guard(decorator: impl Decorator) -> SharedDecorator {
    Arc::new(guard(decorator))
}
