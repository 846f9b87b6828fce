//! Builder of a serializer's additional fields.

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

/// Additions of a serializer: extra fields, computed fields, nested serializers, checks and hooks.
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

    /// Adds a write-only field that is not a column.
    pub fn write_only<T: ColumnType>(mut self, input: ExtraField<M, T>) -> Self {
        self.added.inputs.push(input.into_extra());
        self
    }

    /// Adds a read-only field that is computed from the instance.
    ///
    /// This builds the instance, which plain columns do not need. A row that is not a valid instance of the model, or
    /// a value that cannot be serialized, fails the request with an internal error.
    ///
    /// The function receives all columns regardless of the caller's visibility, and every caller sees its result. For
    /// a model whose policy has private or hidden columns, use [`SerializerFields::computed_from`].
    pub fn computed<T: Serialize>(
        self,
        name: &'static str,
        compute: impl Fn(&M) -> T + Send + Sync + 'static,
    ) -> Self {
        self.add_computed(name, None, compute)
    }

    /// Adds a computed field that reads these columns. It is omitted if the caller does not see all of them; in CSV
    /// its cell is empty.
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
        let computed = ComputedField {
            compute,
            reads,
            description: "",
            schema: None,
        };
        self.added.computed.push((name, computed));
        self
    }

    /// Declares the JSON Schema of a computed field that was added before, for clients. With the feature `openapi`,
    /// `model_resource::json_schema::<T>` makes it from a type.
    ///
    /// ```
    /// use model_resource_schema::model::Model;
    /// use model_resource_schema::serializer::SerializerFields;
    ///
    /// # fn fields<Article: Model>(fields: SerializerFields<Article>, words: fn(&Article) -> usize) -> SerializerFields<Article> {
    /// fields
    ///     .computed("words", words)
    ///     .schema("words", || serde_json::json!({"type": "integer", "minimum": 0}))
    /// # }
    /// ```
    pub fn schema(mut self, field: &'static str, schema: fn() -> Value) -> Self {
        let mut computed = self.added.computed.iter_mut();
        match computed.find(|(name, _)| *name == field) {
            Some((_, computed)) => computed.schema = Some(schema),
            None => self.added.undescribed.push(field),
        }
        self
    }

    /// Documents a field that was added before, for clients: a computed field, a relation or an input. The columns
    /// have the doc comments of the model's fields.
    ///
    /// ```
    /// use model_resource_schema::model::Model;
    /// use model_resource_schema::serializer::SerializerFields;
    ///
    /// # fn fields<Article: Model>(fields: SerializerFields<Article>, words: fn(&Article) -> usize) -> SerializerFields<Article> {
    /// fields
    ///     .computed("words", words)
    ///     .describe("words", "Number of words in the text.")
    /// # }
    /// ```
    pub fn describe(mut self, field: &'static str, description: &'static str) -> Self {
        let added = &mut self.added;
        let computed = added.computed.iter_mut().filter(|(name, _)| *name == field);
        let computed = computed.map(|(_, computed)| &mut computed.description);
        let relations = added.nested.iter_mut().chain(&mut added.expandable);
        let relations = relations.filter(|relation| relation.name == field);
        let relations = relations.map(|relation| &mut relation.link.description);
        let inputs = added.inputs.iter_mut().filter(|input| input.column.name == field);
        let inputs = inputs.map(|input| &mut input.column.description);
        match computed.chain(relations).chain(inputs).next() {
            Some(documented) => *documented = description,
            None => added.undescribed.push(field),
        }
        self
    }

    /// Validates one field. The message is reported under the field; it is a text, or a [`Message`] with a custom
    /// code. The check runs for values in the body. Its second argument tells whether the object is created, replaced
    /// or updated.
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
        let validate = move |value: ValueRef<'_>, mode: WriteMode| match T::from_value(value) {
            Ok(value) => check(&value, mode).map_err(Into::into),
            Err(mismatch) => Err(mismatch.into_message()),
        };
        self.added.validators.push((field.position(), Arc::new(validate)));
        self
    }

    /// Adds a hook that runs before loading. It receives the JSON object of a body, without its envelope, and may
    /// change it and report errors.
    ///
    /// The fields are then read and validated as if the client had sent the changed object, so a hook can set nothing
    /// that the client cannot set. Hooks run in the order of their addition, for every loaded object: create, put and
    /// patch, bulk requests and imported files. The key of an object to update is read before, from the original
    /// body.
    ///
    /// ```
    /// use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
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

    /// Adds a hook that runs after loading. It receives the draft, and may change it and report errors.
    ///
    /// It runs after each field was read and validated by itself, before
    /// [`ModelSerializer::validate`](super::ModelSerializer::validate) and the batch checks. It may set columns that
    /// clients cannot set; constraints of those columns are checked when the draft is saved. A patch then reads the
    /// row first, so that the hook sees the saved values too. If the row changes between reading and writing, the
    /// hook runs again on the same draft over the new row, so it must be idempotent.
    pub fn post_load(
        mut self,
        hook: impl Fn(&mut Draft<M>, WriteMode, &mut Errors) + Send + Sync + 'static,
    ) -> Self {
        self.added.post_load.push(hooks::post_load(hook));
        self
    }

    /// Adds a hook that runs before dumping. It receives the instance and may change what is written, wherever this
    /// serializer is used: single objects, lists, files, nested and expanded.
    ///
    /// This builds the instance, which plain columns do not need. Relations follow the stored foreign keys, and
    /// filters and sort keys compare the stored values. The hook therefore does not keep a value secret: a client
    /// that may filter by the field can find it out. To hide a column, exclude it or let a policy hide it.
    ///
    /// The hook receives all columns, including those that a policy hides from the caller, which are left out
    /// afterwards. It must not copy them into others.
    pub fn pre_dump(mut self, hook: impl Fn(&mut M) + Send + Sync + 'static) -> Self {
        self.added.pre_dump.push(hooks::pre_dump(hook));
        self
    }

    /// Adds a check over all objects of a request, of a type that only its caller knows.
    #[doc(hidden)]
    pub fn batch_check(mut self, check: Arc<dyn Any + Send + Sync>) -> Self {
        self.added.batch_checks.push(check);
        self
    }

    /// Adds a check of an object for the caller who writes it, of a type that only its caller knows.
    #[doc(hidden)]
    pub fn caller_check(mut self, check: Arc<dyn Any + Send + Sync>) -> Self {
        self.added.caller_checks.push(check);
        self
    }
}
