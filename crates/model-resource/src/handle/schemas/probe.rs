//! Type of an argument or a reply, about which nothing else is known.

use std::marker::PhantomData;

use crate::description::HandlerSchemas;

/// Type of an argument or a reply.
pub struct Probe<T: ?Sized>(PhantomData<fn() -> Box<T>>);

impl<T: ?Sized> Probe<T> {
    /// Probe of the type.
    #[expect(clippy::new_without_default, reason = "only the attributes make one")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// Arguments that are neither a body nor parameters.
pub trait AnyArgument {
    /// Describes nothing.
    fn argument(&self, _: &mut HandlerSchemas) {}
}

impl<T> AnyArgument for Probe<T> {}

/// Bodies without a schema that an attribute names.
pub trait AnyRequest {
    /// Describes any JSON.
    fn request(&self, schemas: &mut HandlerSchemas) {
        schemas.body = Some(true.into());
    }
}

impl<T> AnyRequest for Probe<T> {}

/// Replies whose type tells nothing.
pub trait AnyReply {
    /// Describes nothing.
    fn reply(&self, _: &mut HandlerSchemas) {}

    /// Describes nothing.
    fn response(&self, _: &mut HandlerSchemas) {}

    /// Describes nothing.
    fn adds(&self, _: &mut HandlerSchemas) {}
}

impl<T> AnyReply for Probe<T> {}

/// Return types that are no results.
pub trait PlainSuccess {
    /// Type of a successful reply.
    type Reply;

    /// Probe of a successful reply.
    fn success(&self) -> Probe<Self::Reply> {
        Probe::new()
    }
}

impl<T> PlainSuccess for Probe<T> {
    type Reply = T;
}

/// Replies without a status beside their data.
pub trait PlainData {
    /// Type of the data.
    type Data;

    /// Probe of the data.
    fn data(&self) -> Probe<Self::Data> {
        Probe::new()
    }
}

impl<T> PlainData for Probe<T> {
    type Data = T;
}
