//! Reads the data of a reply, for decorators.

use std::sync::Arc;

use serde_json::Value;

use crate::handle::{Data, Reply};
use crate::pipeline::{Error, RenderContext, Result};
use crate::render::json::whole;
use crate::render::objects::{Objects, collect_rows};

impl Reply {
    /// Reads the data as the JSON that a client would get, including the envelope, with the members that the caller may
    /// see and has requested. `None` for a finished response and for a reply without data.
    ///
    /// A list, or the requested page of it, is read from the database into memory, and sent as it was read. The status
    /// and headers of a page are set too. To change the objects of a list while they are streamed, use
    /// [`Reply::map_objects`].
    pub async fn read_json(&mut self) -> Result<Option<Value>> {
        let Some(payload) = self.payload_mut() else {
            return Ok(None);
        };
        let context = payload.context.clone();
        if let Some(context) = &context {
            if let Some(visibility) = context.visibility() {
                payload.data.restrict_to(&visibility, &context.services)?;
            }
            collect_rows(payload, &context.services).await?;
        }
        let value = match &payload.data {
            Data::Nothing => return Ok(None),
            Data::Json(value) => value.clone(),
            Data::Objects(projection, objects) => {
                Objects::Many(Arc::clone(projection), objects.clone()).into_value()
            }
            Data::Written(_, json) => serde_json::from_slice(json).map_err(Error::internal)?,
            data @ (Data::One(..) | Data::Many(..) | Data::Rows(_) | Data::Mapped(_)) => {
                rendered(data, context.as_ref()).await?
            }
        };
        Ok(Some(value))
    }
}

/// Renders objects that are not JSON in memory yet.
async fn rendered(data: &Data, context: Option<&RenderContext>) -> Result<Value> {
    if let Data::Mapped(mapped) = data
        && let Data::Written(projection, json) = &mapped.data
    {
        return Ok(Objects::parse(projection, json, &mapped.maps)?.into_value());
    }
    let context = context.ok_or_else(|| Error::internal("the reply has lost its request"))?;
    let json = whole(data, &context.services).await?;
    serde_json::from_slice(&json).map_err(Error::internal)
}
