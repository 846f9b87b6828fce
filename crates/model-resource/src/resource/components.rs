//! Serializers and policies that resources bring along.

use std::any::TypeId;
use std::marker::PhantomData;

use model_resource_schema::column::Table;
use model_resource_schema::model::Model;
use model_resource_schema::serializer::{CompiledSerializer, RegisteredSerializer, SerializerRole};

use crate::access::{ModelPolicy, Policy};

/// Serializers and policy that `#[model_resource(.., serializer = .., policy = ..)]` registers together with a resource.
pub struct Components<M> {
    pub(crate) serializers: Vec<SerializerEntry>,
    pub(crate) policies: Vec<PolicyEntry>,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Components<M> {
    pub(crate) fn new() -> Self {
        Self {
            serializers: Vec::new(),
            policies: Vec::new(),
            marker: PhantomData,
        }
    }

    /// Adds a serializer of the model.
    pub fn serializer<S: RegisteredSerializer<Model = M>>(&mut self) {
        self.serializers.push(SerializerEntry::of::<S>());
    }

    /// Adds the policy of the model.
    pub fn policy<P: ModelPolicy<Model = M>>(&mut self) {
        self.policies.push(PolicyEntry::of::<P>());
    }
}

/// A compiled serializer with the type that it was compiled from.
pub(crate) struct SerializerEntry {
    pub(crate) id: TypeId,
    pub(crate) role: SerializerRole,
    pub(crate) table: &'static Table,
    pub(crate) compiled: Result<CompiledSerializer, String>,
}

impl SerializerEntry {
    pub(crate) fn of<S: RegisteredSerializer>() -> Self {
        Self {
            id: TypeId::of::<S>(),
            role: S::ROLE,
            table: S::Model::table(),
            compiled: CompiledSerializer::new::<S>(),
        }
    }
}

/// A type-erased policy with its type.
pub(crate) struct PolicyEntry {
    pub(crate) id: TypeId,
    pub(crate) table: &'static Table,
    pub(crate) policy: Policy,
}

impl PolicyEntry {
    pub(crate) fn of<P: ModelPolicy>() -> Self {
        Self {
            id: TypeId::of::<P>(),
            table: P::Model::table(),
            policy: Policy::of::<P>(),
        }
    }
}
