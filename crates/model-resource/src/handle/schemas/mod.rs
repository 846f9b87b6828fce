//! JSON Schemas of handlers, from the types in their signatures.
//!
//! The attributes know the types, but not their traits. They call the methods of several traits by one name, on
//! references to a [`Probe`]: method resolution takes the implementation with the most references whose bounds hold.
//! A type without `JsonSchema`, and every type without the feature `openapi`, ends at the implementation for all types.

#[cfg(feature = "openapi")]
mod generate;
#[cfg(feature = "openapi")]
mod known;
mod probe;

#[cfg(feature = "openapi")]
pub use generate::{ObjectOf, json_schema};
pub use probe::Probe;

/// Traits of the methods, without names that could hide those of the application.
pub mod traits {
    #[cfg(feature = "openapi")]
    pub use super::known::{
        DataAfter as _, DataBefore as _, EmptyReply as _, NamedReply as _, ObjectReply as _,
        ResultSuccess as _, TypedArgument as _, TypedReply as _, TypedRequest as _, UntypedArgument as _,
        UntypedReply as _,
    };
    pub use super::probe::{
        AnyArgument as _, AnyReply as _, AnyRequest as _, PlainData as _, PlainSuccess as _,
    };
}
