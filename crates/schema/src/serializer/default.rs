//! Serializer of models that have none of their own.

use std::marker::PhantomData;

use crate::model::Model;
use crate::serializer::model_serializer::{ModelSerializer, RegisteredSerializer, SerializerRole};

/// Serializer with all columns of a model that are not hidden, for resources that register no other.
pub struct DefaultSerializer<M>(PhantomData<fn() -> M>);

impl<M: Model> ModelSerializer for DefaultSerializer<M> {
    type Model = M;
}

impl<M: Model> RegisteredSerializer for DefaultSerializer<M> {
    const ROLE: SerializerRole = SerializerRole::Single;
    const VALIDATES: bool = false;
}
