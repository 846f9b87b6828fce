//! The builder of what a serializer adds to the columns of its model.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::column_type::ColumnType;
use crate::draft::Draft;
use crate::errors::Errors;
use crate::message::Message;
use crate::model::{Field, Model, Row};
use crate::query::{AnyColumns, Columns};
use crate::serializer::declaration::{Added, ComputedField, SerializeError, WriteMode};
use crate::serializer::extra_field::ExtraField;
use crate::serializer::hooks;
use crate::value::ValueRef;

/// Collects what a serializer adds: extra inputs, computed fields, nested serializers, checks and hooks.
pub struct SerializerFields<M> {
    pub(super) added: Added,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> SerializerFields<M> {
    pub(super) fn new() -> Self {
        Self {
            added: Added::default(),
            marker: PhantomData,
        }
    }

    /// Takes a field from clients that is no column and never leaves.
    pub fn write_only<T: ColumnType>(mut self, input: ExtraField<M, T>) -> Self {
        self.added.inputs.push(input.into_extra());
        self
    }

    /// Adds a field that is computed from the instance and never enters.
    ///
    /// The instance is built for it, which the automatic fields do without. A row that is no instance of the model, and a
    /// value that is no JSON, end the request as a fault.
    ///
    /// The function sees all columns, whatever the caller may see, and everybody sees what it returns. For a model whose
    /// policy has private or hidden columns there is [`SerializerFields::computed_from`].
    pub fn computed<T: Serialize>(
        self,
        name: &'static str,
        compute: impl Fn(&M) -> T + Send + Sync + 'static,
    ) -> Self {
        self.add_computed(name, None, compute)
    }

    /// Adds a computed field that is made from these columns: it is left out where the caller does not see all of them, and
    /// is an empty cell in CSV.
    ///
    /// ```
    /// use model_resource_schema::model::{Field, Model};
    /// use model_resource_schema::query::Columns;
    /// use model_resource_schema::serializer::SerializerFields;
    ///
    /// # fn fields<Member: Model>(fields: SerializerFields<Member>, email: Field<Member, String>, domain: fn(&Member) -> String) -> SerializerFields<Member> {
    /// // The policy shows e-mail addresses to their owners, and so the domain too.
    /// fields.computed_from("emailDomain", Columns::of(email), domain)
    /// # }
    /// ```
    pub fn computed_from<T: Serialize>(
        self,
        name: &'static str,
        columns: Columns<M>,
        compute: impl Fn(&M) -> T + Send + Sync + 'static,
    ) -> Self {
        self.add_computed(name, Some(columns.into_any()), compute)
    }

    fn add_computed<T: Serialize>(
        mut self,
        name: &'static str,
        reads: Option<AnyColumns>,
        compute: impl Fn(&M) -> T + Send + Sync + 'static,
    ) -> Self {
        let write = move |row: &dyn Row, out: &mut Vec<u8>| {
            let instance = M::from_row(row).map_err(|mismatch| SerializeError::new(name, &mismatch))?;
            serde_json::to_writer(out, &compute(&instance)).map_err(|error| SerializeError::new(name, &error))
        };
        let compute = Arc::new(write);
        self.added.computed.push((name, ComputedField { compute, reads }));
        self
    }

    /// Checks one field; the message of a failed check is reported under the field. It is a text, or a [`Message`] with a
    /// code of its own. The check runs for the values that a body has, and is told whether the object is created, replaced
    /// or partly updated.
    ///
    /// ```
    /// use model_resource_schema::model::Model;
    /// use model_resource_schema::serializer::{SerializerFields, WriteMode};
    ///
    /// # fn fields<Room: Model>(fields: SerializerFields<Room>, beds: model_resource_schema::model::Field<Room, i32>) -> SerializerFields<Room> {
    /// fields.validate(beds, |beds, onto| match onto {
    ///     WriteMode::Create if *beds == 0 => Err("A new room has at least one bed."),
    ///     WriteMode::Create | WriteMode::Replace | WriteMode::Update => Ok(()),
    /// })
    /// # }
    /// ```
    pub fn validate<T: ColumnType, E: Into<Message>>(
        mut self,
        field: Field<M, T>,
        check: impl Fn(&T, WriteMode) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        let validate = move |value: ValueRef<'_>, onto: WriteMode| match T::from_value(value) {
            Ok(value) => check(&value, onto).map_err(Into::into),
            Err(mismatch) => Err(mismatch.into_message()),
        };
        self.added.validators.push((field.position(), Arc::new(validate)));
        self
    }

    /// Adds a hook that runs before loading. It sees the JSON object of a body, without its envelope, and may change it
    /// and report errors.
    ///
    /// The fields are read and checked afterwards as if the client had sent the changed object, so that a hook can set
    /// nothing that the client cannot set. Hooks run in the order in which they are added, for every object that is
    /// loaded: by create, put and patch, of many objects and of imported files. The key of an object to update is read
    /// before, from what was sent.
    ///
    /// ```
    /// use model_resource_schema::column::{Assigned, Column, Role, Table};
    /// # use model_resource_schema::column_type::{ColumnType, TypeMismatch};
    /// # use model_resource_schema::data_type::DataType;
    /// # use model_resource_schema::model::{Model, Row};
    /// # use model_resource_schema::value::ValueRef;
    /// use model_resource_schema::serializer::{SerializerFields, ModelSerializer};
    /// # struct Tag { id: i64, name: String }
    /// # impl Row for Tag {
    /// #     fn value(&self, column: usize) -> ValueRef<'_> {
    /// #         if column == 0 { self.id.to_value() } else { self.name.to_value() }
    /// #     }
    /// # }
    /// # impl Model for Tag {
    /// #     fn table() -> &'static Table {
    /// #         static TABLE: Table = Table::new("tags", "Tag", &[
    /// #             Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
    /// #             Column::new("name", DataType::Text),
    /// #         ]);
    /// #         &TABLE
    /// #     }
    /// #     fn from_row(row: &dyn Row) -> Result<Self, TypeMismatch> {
    /// #         Ok(Self { id: i64::from_value(row.value(0))?, name: String::from_value(row.value(1))? })
    /// #     }
    /// # }
    ///
    /// struct TagSerializer;
    ///
    /// impl ModelSerializer for TagSerializer {
    ///     type Model = Tag;
    ///
    ///     fn fields(fields: SerializerFields<Tag>) -> SerializerFields<Tag> {
    ///         // Clients of the first version send `label`.
    ///         fields.pre_load(|object, _, _| {
    ///             if let Some(label) = object.remove("label") {
    ///                 object.entry("name").or_insert(label);
    ///             }
    ///         })
    ///     }
    /// }
    /// ```
    pub fn pre_load(
        mut self,
        hook: impl Fn(&mut Map<String, Value>, WriteMode, &mut Errors) + Send + Sync + 'static,
    ) -> Self {
        self.added.pre_load.push(Arc::new(hook));
        self
    }

    /// Adds a hook that runs after loading. It sees the draft, may change it and report errors.
    ///
    /// It runs when each field was read and is valid by itself, before [`ModelSerializer::validate`](super::ModelSerializer::validate) and the checks of
    /// whole batches. It may set columns that clients cannot set; what it sets is held against the columns' constraints
    /// when it is saved. A patch then reads the row before, so that the hook sees the saved values too. If the row changes
    /// between reading and writing, the hook runs again on the same draft over the new row: it must not depend on running
    /// once.
    pub fn post_load(
        mut self,
        hook: impl Fn(&mut Draft<M>, WriteMode, &mut Errors) + Send + Sync + 'static,
    ) -> Self {
        self.added.post_load.push(hooks::post_load(hook));
        self
    }

    /// Adds a hook that runs before dumping. It sees the instance and may change what is written of it, wherever this
    /// serializer writes: alone, in lists and files, nested and expanded.
    ///
    /// The instance is built for it, which the automatic fields do without. Relations follow the stored foreign keys, and
    /// filters and sort keys compare the stored values. So the hook does not keep a value secret: a client that may filter
    /// by the field can find it out. To hide a column, exclude it or let a policy hide it.
    ///
    /// The hook sees all columns, also those that a policy hides from the caller, and these are left out afterwards. It must
    /// not copy them into others.
    pub fn pre_dump(mut self, hook: impl Fn(&mut M) + Send + Sync + 'static) -> Self {
        self.added.pre_dump.push(hooks::pre_dump(hook));
        self
    }

    /// Adds a check of all objects of a request together, of a type that only its caller knows.
    #[doc(hidden)]
    pub fn batch_check(mut self, check: Arc<dyn Any + Send + Sync>) -> Self {
        self.added.batch_checks.push(check);
        self
    }
}
