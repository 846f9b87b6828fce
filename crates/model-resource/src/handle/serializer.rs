//! Serializers in handlers and views, for any model.

use std::marker::PhantomData;
use std::sync::Arc;

use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::errors::Errors;
use model_resource_schema::model::{Model, Record};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{
    CompiledSerializer, DefaultSerializer, Projection, RegisteredSerializer, WriteMode,
};
use serde_json::Value;

use crate::access::Caller;
use crate::load::{convert, fixed_columns, json_text, read};
use crate::pipeline::{Context, Error, Result};

/// Serializer of `M` that loads and dumps under the caller's policies; see [`Context::serializer`].
///
/// It dumps what the caller may see of an object and loads what the caller may set, under the same policies as the
/// automatic operations. [`Context::serializer`] and its siblings create one.
///
/// ```
/// use model_resource::{Context, Model, Reply, Result, route};
/// use serde_json::json;
///
/// #[derive(Model)]
/// struct Planet {
///     #[column(primary_key)]
///     id: i64,
///     name: String,
/// }
///
/// /// Checks a planet and shows it, without saving it.
/// #[route("/planets/check", methods = [POST])]
/// async fn check(cx: Context) -> Result<Reply> {
///     let serializer = cx.serializer_create::<Planet>()?;
///     let (planet, errors) = serializer.load_body().await?;
///     if !errors.is_empty() {
///         return cx.errors(errors);
///     }
///     Reply::json(&json!({ "planet": serializer.dump_draft(&planet).await? }))
/// }
/// ```
pub struct Serializer<'a, M> {
    cx: &'a Context,
    serializer: Arc<CompiledSerializer>,
    /// Caller whose view is dumped, if it is not the caller of the request.
    viewer: Option<Caller>,
    marker: PhantomData<fn() -> M>,
}

impl Context {
    /// Returns the serializer that is registered for single instances of `M`.
    ///
    /// A model without a registered serializer has all columns that are not hidden.
    pub fn serializer<M: Model>(&self) -> Result<Serializer<'_, M>> {
        let registered = self.services().serializers.single(M::table());
        self.registered_or_default(registered.ok())
    }

    /// Returns the serializer that is registered for lists of `M`, or else the one for single instances.
    pub fn serializer_many<M: Model>(&self) -> Result<Serializer<'_, M>> {
        let registered = self.services().serializers.many(M::table());
        self.registered_or_default(registered.ok())
    }

    /// Returns the serializer that is registered for creating instances of `M`, or else the one for single instances.
    pub fn serializer_create<M: Model>(&self) -> Result<Serializer<'_, M>> {
        let registered = self.services().serializers.create(M::table());
        self.registered_or_default(registered.ok())
    }

    /// Returns the serializer `S`, whether or not it is registered.
    ///
    /// An unregistered serializer is compiled at its first use, and a mistake in it is an error then.
    pub fn serializer_of<S: RegisteredSerializer>(&self) -> Result<Serializer<'_, S::Model>> {
        let serializer = self.services().serializers.by_type::<S>()?;
        Ok(self.with_plan(serializer))
    }

    fn registered_or_default<M: Model>(
        &self,
        registered: Option<&Arc<CompiledSerializer>>,
    ) -> Result<Serializer<'_, M>> {
        match registered {
            Some(registered) => Ok(self.with_plan(Arc::clone(registered))),
            None => self.serializer_of::<DefaultSerializer<M>>(),
        }
    }

    fn with_plan<M>(&self, serializer: Arc<CompiledSerializer>) -> Serializer<'_, M> {
        Serializer {
            cx: self,
            serializer,
            viewer: None,
            marker: PhantomData,
        }
    }
}

impl<M: Model> Serializer<'_, M> {
    /// Dumps the view of another caller: a login responds with the account of its user. Loading stays under the
    /// policies of the request's caller.
    pub fn for_caller(mut self, caller: Caller) -> Self {
        self.viewer = Some(caller);
        self
    }

    /// Dumps an instance as JSON.
    pub async fn dump(&self, instance: &M) -> Result<Value> {
        self.dump_record(Record::copy(instance, M::table()), &self.projection())
            .await
    }

    /// Dumps a draft as JSON: the set values, merged into those of the saved row.
    ///
    /// A new object has a `null` key, and `null` in every column that is neither set nor has a default. Its computed
    /// fields are left out, because they are computed from whole instances. Hooks before dumping need one too: a
    /// serializer that has some dumps drafts of saved objects only.
    pub async fn dump_draft(&self, draft: &Draft<M>) -> Result<Value> {
        let mut draft = draft.as_any().clone();
        let projection = self.projection();
        if draft.key().is_some() {
            return self
                .dump_record(Record::copy(&draft, M::table()), &projection)
                .await;
        }
        set_defaults(&mut draft);
        let record = Record::copy(&draft, M::table());
        self.dump_record(record, &projection.without_computed()).await
    }

    /// Dumps instances as a JSON array, in the envelope for lists if the serializer has one.
    pub async fn dump_many(&self, instances: &[M]) -> Result<Value> {
        let records = instances
            .iter()
            .map(|instance| Record::copy(instance, M::table()));
        let projection = self.projection();
        let (records, related) = self.related(&projection, records.collect()).await?;
        let mut out = Vec::new();
        projection.open_list(&mut out);
        for (position, record) in records.iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            let dumped = projection.dump_item(&mut out, record, &related);
            dumped.map_err(Error::internal)?;
        }
        projection.close_list(&mut out);
        serde_json::from_slice(&out).map_err(Error::internal)
    }

    /// Loads the request's body into a new draft. Returns its errors too.
    pub async fn load_body(&self) -> Result<(Draft<M>, Errors)> {
        self.load_body_onto(Draft::new(), WriteMode::Create).await
    }

    /// Loads the request's body into a draft. Returns its errors too.
    pub async fn load_body_onto(&self, draft: Draft<M>, mode: WriteMode) -> Result<(Draft<M>, Errors)> {
        let body = json_text(self.cx).await?;
        self.load_text(draft, mode, &body).await
    }

    /// Loads a JSON value into a new draft. Returns its errors too.
    pub async fn load(&self, json: &Value) -> Result<(Draft<M>, Errors)> {
        self.load_onto(Draft::new(), WriteMode::Create, json).await
    }

    /// Loads a JSON value into a draft. Returns its errors too.
    pub async fn load_onto(
        &self,
        draft: Draft<M>,
        mode: WriteMode,
        json: &Value,
    ) -> Result<(Draft<M>, Errors)> {
        self.load_text(draft, mode, &json.to_string()).await
    }

    async fn load_text(&self, draft: Draft<M>, mode: WriteMode, text: &str) -> Result<(Draft<M>, Errors)> {
        let mut draft = draft.into_any();
        let fixed = fixed_columns(self.cx, &draft).await?;
        let mut errors = read(self.cx, &self.serializer, mode, &mut draft, &fixed, text).await?;
        if errors.is_empty() {
            (draft, errors) = self.cx.check_single(&self.serializer, mode, draft).await?;
        }
        if errors.is_empty() {
            (draft, errors) = convert(self.cx, &self.serializer, draft).await?;
        }
        self.cx.set_load_serializer(&self.serializer);
        self.cx.check_at_write(&self.serializer, &errors);
        Ok((Draft::from_any(draft), errors))
    }

    async fn dump_record(&self, record: Record, projection: &Projection) -> Result<Value> {
        let (records, related) = self.related(projection, vec![record]).await?;
        let mut out = Vec::new();
        for record in &records {
            projection
                .dump(&mut out, record, &related)
                .map_err(Error::internal)?;
        }
        serde_json::from_slice(&out).map_err(Error::internal)
    }

    /// Projection for the caller.
    fn projection(&self) -> Arc<Projection> {
        let projection = self.serializer.projection();
        match &self.viewer {
            None => self.cx.access(M::table()).output(projection),
            Some(viewer) => match self.cx.visibility_of(viewer) {
                Some(visibility) => Arc::new(projection.restricted_to(&visibility)),
                None => Arc::clone(projection),
            },
        }
    }

    /// Fetches the rows of nested serializers. An api without a store can dump serializers without any.
    async fn related(&self, projection: &Projection, records: Vec<Record>) -> Result<(Vec<Record>, Related)> {
        if projection.relations().is_empty() {
            Ok((records, Related::default()))
        } else {
            Ok(self
                .cx
                .store_unchecked()
                .related(projection.relations().clone(), records)
                .await?)
        }
    }
}

/// Sets the columns of a new object that have a default and no value.
fn set_defaults(draft: &mut AnyDraft) {
    for (position, column) in draft.table().columns.iter().enumerate() {
        if !draft.is_set(position)
            && let Some(Ok(value)) = column.default_value()
        {
            draft.set(position, value);
        }
    }
}
