//! Data of a reply, before a representation renders it.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use model_resource_schema::column::Table;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, Visibility};
use model_resource_store::MapRow;
use serde_json::{Map, Value};

use crate::list::ListRequest;
use crate::pipeline::{ApiState, Error, RenderContext, Result};

/// Data, status and headers.
pub(crate) struct Payload {
    pub(crate) data: Data,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Present if reading the data needs it.
    pub(crate) context: Option<RenderContext>,
}

/// Data that a representation renders.
pub(crate) enum Data {
    Nothing,
    Json(Value),
    /// One serialized object.
    Written(Arc<Projection>, Vec<u8>),
    One(ProjectionChoice, BoxRow),
    Many(ProjectionChoice, Vec<BoxRow>),
    Rows(Arc<ListRequest>),
    /// List of objects that a decorator has read into memory.
    Objects(Arc<Projection>, Vec<JsonObject>),
    /// Objects that decorators change while they are rendered.
    Mapped(Box<Mapped>),
}

/// JSON object in memory.
pub(crate) type JsonObject = Map<String, Value>;

/// Change of one object.
pub(crate) type ObjectMap = Arc<dyn Fn(&mut JsonObject) + Send + Sync>;

/// Objects that are not read yet, and the changes that apply to each of them.
pub(crate) struct Mapped {
    pub(crate) data: Data,
    pub(crate) maps: Vec<ObjectMap>,
}

/// Type-erased row.
pub(crate) type BoxRow = Box<dyn Row + Send + Sync>;

impl Payload {
    /// Keeps the context of the request if reading the data needs it.
    pub(crate) fn keep_context(&mut self, context: RenderContext) {
        if self.context.is_none() && self.data.needs_context() {
            self.context = Some(context);
        }
    }
}

impl Data {
    /// Whether reading the data needs the request's services and caller.
    pub(crate) fn needs_context(&self) -> bool {
        match self {
            Data::One(..) | Data::Many(..) | Data::Rows(_) | Data::Mapped(_) => true,
            Data::Nothing | Data::Json(_) | Data::Written(..) | Data::Objects(..) => false,
        }
    }

    /// Changes each object: at once if it is JSON in memory, otherwise while it is rendered.
    pub(crate) fn map_objects(self, map: ObjectMap) -> Self {
        match self {
            Data::Nothing => Data::Nothing,
            Data::Json(mut value) => {
                let objects = match &mut value {
                    Value::Array(items) => items.as_mut_slice(),
                    one => std::slice::from_mut(one),
                };
                objects
                    .iter_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(|object| map(object));
                Data::Json(value)
            }
            Data::Objects(projection, mut objects) => {
                objects.iter_mut().for_each(|object| map(object));
                Data::Objects(projection, objects)
            }
            Data::Mapped(mut mapped) => {
                mapped.maps.push(map);
                Data::Mapped(mapped)
            }
            data @ (Data::Written(..) | Data::One(..) | Data::Many(..) | Data::Rows(_)) => {
                let maps = vec![map];
                Data::Mapped(Box::new(Mapped { data, maps }))
            }
        }
    }

    /// Data without the changes.
    pub(crate) fn unmapped(&self) -> &Self {
        match self {
            Data::Mapped(mapped) => &mapped.data,
            data => data,
        }
    }

    fn unmapped_mut(&mut self) -> &mut Self {
        match self {
            Data::Mapped(mapped) => &mut mapped.data,
            data => data,
        }
    }

    /// Sets the projection for objects of its model.
    pub(crate) fn set_projection(&mut self, projection: &Arc<Projection>) {
        if let Data::One(form, _) | Data::Many(form, _) = self.unmapped_mut()
            && form.table().id() == projection.table().id()
        {
            *form = ProjectionChoice::Requested(Arc::clone(projection));
        }
    }

    /// Removes data that the caller cannot see from objects with the default projection.
    pub(crate) fn restrict_to(
        &mut self,
        visibility: &Arc<dyn Visibility>,
        services: &ApiState,
    ) -> Result<()> {
        let (form, is_many) = match self.unmapped_mut() {
            Data::One(form, _) => (form, false),
            Data::Many(form, _) => (form, true),
            _ => return Ok(()),
        };
        if let ProjectionChoice::Default(_) = form {
            let projection = if is_many {
                form.of_many(services)?
            } else {
                form.of_one(services)?
            };
            *form = ProjectionChoice::Requested(Arc::new(projection.restricted_to(visibility)));
        }
        Ok(())
    }
}

/// Projection of a reply's objects.
#[derive(Clone)]
pub(crate) enum ProjectionChoice {
    /// Projection of the serializer that is registered for the model.
    Default(&'static Table),
    /// Projection that the client has requested.
    Requested(Arc<Projection>),
}

impl ProjectionChoice {
    /// Whether both are the same projection.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (ProjectionChoice::Default(table), ProjectionChoice::Default(other)) => table.id() == other.id(),
            (ProjectionChoice::Requested(projection), ProjectionChoice::Requested(other)) => {
                Arc::ptr_eq(projection, other)
            }
            _ => false,
        }
    }

    pub(crate) fn table(&self) -> &'static Table {
        match self {
            ProjectionChoice::Default(table) => table,
            ProjectionChoice::Requested(projection) => projection.table(),
        }
    }

    /// Projection of a single object.
    pub(crate) fn of_one<'a>(&'a self, services: &'a ApiState) -> Result<&'a Arc<Projection>> {
        match self {
            ProjectionChoice::Default(table) => Ok(services.serializers.single(table)?.projection()),
            ProjectionChoice::Requested(projection) => Ok(projection),
        }
    }

    /// Projection of the objects of a list.
    pub(crate) fn of_many<'a>(&'a self, services: &'a ApiState) -> Result<&'a Arc<Projection>> {
        match self {
            ProjectionChoice::Default(table) => Ok(services.serializers.many(table)?.projection()),
            ProjectionChoice::Requested(projection) => Ok(projection),
        }
    }
}

/// Row on its way from the database into a reply.
pub(crate) enum ReplyObject {
    /// The client does not want it.
    Nothing,
    /// Serialized object.
    Json(Vec<u8>),
    /// Row to serialize later, together with others, or because the serializer fetches or computes something for it.
    Row(Record),
}

/// Form in which a reply needs an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Serialized, if possible on the database thread.
    Text,
    /// Row, to be serialized with others.
    Row,
    /// Not at all.
    Nothing,
}

impl ReplyObject {
    /// Maps a row for a reply with this projection.
    pub(crate) fn of(projection: &Arc<Projection>, wanted: Wants) -> impl MapRow<Result<Self>> + use<> {
        let projection = Arc::clone(projection);
        move |row: &dyn Row| {
            if wanted == Wants::Nothing {
                return Ok(ReplyObject::Nothing);
            }
            if wanted == Wants::Row || !projection.writes_columns_only() {
                return Ok(ReplyObject::Row(Record::copy(row, projection.table())));
            }
            let mut out = Vec::with_capacity(1024);
            projection
                .dump(&mut out, row, &Related::default())
                .map_err(Error::internal)?;
            Ok(ReplyObject::Json(out))
        }
    }

    pub(crate) fn into_data(self, projection: Arc<Projection>) -> Data {
        match self {
            ReplyObject::Nothing => Data::Nothing,
            ReplyObject::Json(json) => Data::Written(projection, json),
            ReplyObject::Row(record) => Data::One(ProjectionChoice::Requested(projection), Box::new(record)),
        }
    }
}
