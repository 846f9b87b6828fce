//! Prelude for views.

pub use model_resource::{
    ALL_METHODS, Api, CREATE, Columns, Context, DELETE, Draft, Error, Errors, GET, HEAD, LIST,
    MethodDecorators, ModelResource, ModelSerializer, Next, Operations, PATCH, PUT, Reply, Result,
    WrappedSerializer,
};
