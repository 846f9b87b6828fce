//! Objects in memory: read from rows, changed by decorators, and written in any format.

use std::sync::Arc;

use model_resource_schema::serializer::Projection;
use model_resource_store::StoreError;
use serde_json::{Deserializer, Value};

use crate::handle::{BoxRow, Data, JsonObject, Mapped, ObjectMap, Payload};
use crate::list::{ListRequest, PageStats};
use crate::pipeline::{ApiState, Error, Result};
use crate::render::list_format::{JsonItems, ObjectFormat, ObjectWriter};
use crate::render::stream;
use crate::render::stream::{ChunkSource, ListStream, MAX_PAGE_BYTES};

/// Objects in memory, with their projection.
pub(super) enum Objects {
    One(Arc<Projection>, JsonObject),
    Many(Arc<Projection>, Vec<JsonObject>),
}

impl Objects {
    /// Reads mapped data and applies its maps.
    pub(super) async fn read(mapped: &Mapped, services: &Arc<ApiState>) -> Result<Self> {
        let mut objects = match &mapped.data {
            Data::Written(projection, json) => return Self::parse(projection, json, &mapped.maps),
            Data::One(form, row) => {
                let projection = form.of_one(services)?;
                let mut objects = items(&stream::objects(JsonItems, projection, one(row), services).await?)?;
                let object = objects.pop().unwrap_or_default();
                Objects::One(Arc::clone(projection), object)
            }
            Data::Many(form, rows) => {
                let projection = form.of_many(services)?;
                let objects = items(&stream::objects(JsonItems, projection, rows, services).await?)?;
                Objects::Many(Arc::clone(projection), objects)
            }
            Data::Rows(rows) => {
                let (objects, _) = read_rows(rows, services).await?;
                Objects::Many(Arc::clone(&rows.projection), objects)
            }
            Data::Nothing | Data::Json(_) | Data::Objects(..) | Data::Mapped(_) => {
                return Err(Error::internal("such data is mapped at once"));
            }
        };
        match &mut objects {
            Objects::One(_, object) => apply(&mapped.maps, std::slice::from_mut(object)),
            Objects::Many(_, objects) => apply(&mapped.maps, objects),
        }
        Ok(objects)
    }

    /// Parses one serialized object and applies the maps.
    pub(super) fn parse(projection: &Arc<Projection>, json: &[u8], maps: &[ObjectMap]) -> Result<Self> {
        let mut object = unwrapped(projection, json)?;
        apply(maps, std::slice::from_mut(&mut object));
        Ok(Objects::One(Arc::clone(projection), object))
    }

    /// Converts the objects to JSON, in their envelope if they have one.
    pub(super) fn into_value(self) -> Value {
        let (key, value) = match self {
            Objects::One(projection, object) => {
                let key = projection.envelope().map(|envelope| envelope.one.clone());
                (key, Value::Object(object))
            }
            Objects::Many(projection, objects) => {
                let key = projection.envelope().map(|envelope| envelope.many.clone());
                (key, objects.into_iter().map(Value::Object).collect())
            }
        };
        match key {
            Some(key) => Value::Object(JsonObject::from_iter([(key, value)])),
            None => value,
        }
    }

    /// Writes the objects in a flat format; a single object is a list of one.
    pub(super) fn written<F: ObjectFormat>(&self) -> Result<Vec<u8>> {
        match self {
            Objects::One(projection, object) => written::<F>(projection, std::slice::from_ref(object)),
            Objects::Many(projection, objects) => written::<F>(projection, objects),
        }
    }
}

/// Writes a list of objects in a format.
pub(super) fn written<F: ObjectFormat>(projection: &Projection, objects: &[JsonObject]) -> Result<Vec<u8>> {
    let (mut writer, mut out) = (F::Writer::default(), Vec::new());
    writer.open(projection, objects.first(), &mut out);
    for object in objects {
        writer.object(object, &mut out)?;
    }
    writer.close(projection, &mut out);
    Ok(out)
}

/// Reads a list into memory, and sets the status and headers of its page. Other data is left alone.
pub(super) async fn collect_rows(payload: &mut Payload, services: &Arc<ApiState>) -> Result<()> {
    let (rows, maps) = match &payload.data {
        Data::Rows(rows) => (rows, [].as_slice()),
        Data::Mapped(mapped) => match &mapped.data {
            Data::Rows(rows) => (rows, mapped.maps.as_slice()),
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    let (mut objects, seen) = read_rows(rows, services).await?;
    apply(maps, &mut objects);
    if let (Some(page), Some(seen)) = (&rows.page, &seen) {
        page.write_headers(&rows.list, seen, &mut payload.status, &mut payload.headers);
    }
    payload.data = Data::Objects(Arc::clone(&rows.projection), objects);
    Ok(())
}

/// Reads the rows, or the page of them, as objects.
async fn read_rows(
    rows: &Arc<ListRequest>,
    services: &Arc<ApiState>,
) -> Result<(Vec<JsonObject>, Option<PageStats>)> {
    if let Some(page) = &rows.page {
        let (json, seen) = stream::whole_page(JsonItems, rows, page, services).await?;
        return Ok((items(&json.into_vec())?, Some(seen)));
    }
    let mut listing = ListStream::new(JsonItems, Arc::clone(rows), Arc::clone(services));
    let mut objects = Vec::new();
    let mut bytes = 0;
    while let Some(chunk) = listing.next().await? {
        bytes += chunk.len();
        if bytes >= MAX_PAGE_BYTES {
            return Err(StoreError::TooLarge.into());
        }
        objects.extend(items(&chunk)?);
    }
    Ok((objects, None))
}

/// Parses the output of [`JsonItems`](super::list_format::JsonItems).
pub(super) fn items(json: &[u8]) -> Result<Vec<JsonObject>> {
    let objects = Deserializer::from_slice(json).into_iter();
    objects.collect::<Result<_, _>>().map_err(Error::internal)
}

/// Applies each map to each object, in the order in which they were added.
pub(super) fn apply(maps: &[ObjectMap], objects: &mut [JsonObject]) {
    for object in objects {
        maps.iter().for_each(|map| map(object));
    }
}

/// Parses one serialized object, without its envelope.
fn unwrapped(projection: &Projection, json: &[u8]) -> Result<JsonObject> {
    let mut object: JsonObject = serde_json::from_slice(json).map_err(Error::internal)?;
    let Some(envelope) = projection.envelope() else {
        return Ok(object);
    };
    match object.remove(&envelope.one) {
        Some(Value::Object(inner)) => Ok(inner),
        _ => Err(Error::internal("an object is not in its envelope")),
    }
}

fn one(row: &BoxRow) -> &[BoxRow] {
    std::slice::from_ref(row)
}
