//! NDJSON: one object per line.

use std::sync::Arc;

use axum::response::Response;
use futures_util::future::BoxFuture;
use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, SerializeError};
use serde_json::Value;

use crate::handle::{JsonObject, Payload};
use crate::pipeline::{ApiState, Error, Result};
use crate::render::flat_format;
use crate::render::flat_format::FlatFormat;
use crate::render::list_format::{ListFormat, ObjectFormat, ObjectWriter};
use crate::render::representation::Render;

/// `application/x-ndjson`.
#[derive(Clone, Copy)]
pub(super) struct NdjsonFormat;

impl Render for NdjsonFormat {
    fn render(&self, payload: Payload, services: Arc<ApiState>) -> BoxFuture<'static, Result<Response>> {
        Box::pin(flat_format::render(NdjsonFormat, payload, services))
    }
}

impl ListFormat for NdjsonFormat {
    const BETWEEN: &'static [u8] = b"";

    fn open(self, _: &Projection, _: &mut Vec<u8>) {}

    fn row(
        self,
        projection: &Projection,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError> {
        let start = out.len();
        projection.dump_item(out, row, related)?;
        // JSON documents keep their line breaks between tokens. Strings contain none.
        for byte in &mut out[start..] {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
        out.push(b'\n');
        Ok(())
    }

    fn close(self, _: &Projection, _: &mut Vec<u8>) {}
}

impl ObjectFormat for NdjsonFormat {
    type Writer = NdjsonWriter;
}

/// Writes objects in memory as lines.
#[derive(Default)]
pub(super) struct NdjsonWriter;

impl ObjectWriter for NdjsonWriter {
    fn open(&mut self, _: &Projection, _: Option<&JsonObject>, _: &mut Vec<u8>) {}

    fn object(&mut self, object: &JsonObject, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(&mut *out, object).map_err(Error::internal)?;
        out.push(b'\n');
        Ok(())
    }

    fn close(&mut self, _: &Projection, _: &mut Vec<u8>) {}
}

impl FlatFormat for NdjsonFormat {
    /// Writes the items of an array as lines; any other value is one line.
    fn json(self, data: &Value) -> Result<Vec<u8>> {
        let items = match data {
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut out = Vec::new();
        for item in items {
            serde_json::to_writer(&mut out, item).map_err(Error::internal)?;
            out.push(b'\n');
        }
        Ok(out)
    }
}
