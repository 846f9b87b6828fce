//! Views that are made of values at startup, for libraries whose views have settings.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use crate::access::guard;
use crate::description::HandlerSchemas;
use crate::handle::Reply;
use crate::pipeline::{Context, Decorator, Handler, Result};
use crate::resource::blueprint::Blueprint;
use crate::resource::definition::Registration;
use crate::resource::view::SharedDecorator;

/// View whose URL, decorators and handler are values, for libraries whose views have settings or type parameters. An
/// application writes its views as functions with [`#[route]`](macro@crate::route).
///
/// ```
/// use model_resource::{Api, Context, Rate, Reply, ViewSpec, throttle};
///
/// fn greeting(text: &'static str, rate: Rate) -> ViewSpec {
///     ViewSpec::new("greeting", "/greeting", move |_: Context| async move { Reply::json(&text) })
///         .description("Greets the caller.")
///         .decorator(throttle(rate).by_address())
/// }
///
/// let api = Api::new("api").view(greeting("Hello!", Rate::per_minute(10)));
/// ```
#[must_use]
pub struct ViewSpec {
    pub(crate) registration: Registration,
    pub(crate) decorators: Vec<SharedDecorator>,
    pub(crate) schemas: HandlerSchemas,
    pub(crate) handler: Handler,
}

impl ViewSpec {
    /// Creates a view that answers GET. The name is that of the endpoint, for
    /// [`Context::url_for`](crate::Context::url_for), route lists and documents.
    pub fn new<F, Fut>(name: &'static str, url: impl Into<Cow<'static, str>>, handler: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Reply>> + Send + 'static,
    {
        Self {
            registration: Registration::at(name, vec![url.into()]),
            decorators: Vec::new(),
            schemas: HandlerSchemas::default(),
            handler: Arc::new(move |cx| Box::pin(handler(cx))),
        }
    }

    /// Puts a blueprint's prefix before the URL.
    pub fn blueprint(mut self, blueprint: Blueprint) -> Self {
        self.registration = self.registration.blueprint(blueprint);
        self
    }

    /// Sets the HTTP methods that the URL accepts.
    pub fn methods(mut self, methods: &'static [&'static str]) -> Self {
        self.registration = self.registration.methods(methods);
        self
    }

    /// Sets the documentation for clients, in Markdown.
    pub fn description(mut self, text: &'static str) -> Self {
        self.registration = self.registration.description(text);
        self
    }

    /// Adds a decorator inside those that were added before.
    pub fn decorator(mut self, decorator: impl Decorator) -> Self {
        self.decorators.push(Arc::new(decorator));
        self
    }

    /// Adds a decorator that authorizes callers; see [`guard`](crate::guard).
    pub fn guard(self, decorator: impl Decorator) -> Self {
        self.decorator(guard(decorator))
    }

    /// Describes the body and the reply for clients.
    pub fn schemas(mut self, describe: impl FnOnce(&mut HandlerSchemas)) -> Self {
        describe(&mut self.schemas);
        self
    }
}
