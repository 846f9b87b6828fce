//! CSV: a file for spreadsheets, with the members' names in the header line.

use std::sync::Arc;

use axum::response::Response;
use futures_util::future::BoxFuture;
use http::{HeaderValue, header};
use model_resource_schema::column::Table;
use model_resource_schema::csv::{write_document, write_json, write_text};
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, SerializeError};
use serde_json::{Map, Value};

use crate::handle::{JsonObject, Payload};
use crate::pipeline::{ApiState, Error, ErrorKind, Result};
use crate::render::flat_format;
use crate::render::flat_format::FlatFormat;
use crate::render::list_format::{ListFormat, ObjectFormat, ObjectWriter};
use crate::render::representation::Render;

/// `text/csv`, downloaded as a file with the table's name.
pub(super) struct CsvFile {
    disposition: HeaderValue,
}

impl CsvFile {
    pub(super) fn of(table: &Table) -> Self {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name = table.name.replace(|c| !is_plain(c), "_");
        let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}.csv\""));
        Self {
            disposition: disposition
                .expect("other characters than letters, digits, `_` and `-` were replaced"),
        }
    }
}

impl Render for CsvFile {
    fn render(&self, payload: Payload, services: Arc<ApiState>) -> BoxFuture<'static, Result<Response>> {
        let disposition = self.disposition.clone();
        Box::pin(async move {
            let mut response = flat_format::render(CsvFormat, payload, services).await?;
            let own = response.headers_mut().entry(header::CONTENT_DISPOSITION);
            own.or_insert(disposition);
            Ok(response)
        })
    }
}

/// List format of CSV.
#[derive(Clone, Copy)]
struct CsvFormat;

impl ListFormat for CsvFormat {
    const BETWEEN: &'static [u8] = b"";

    fn open(self, projection: &Projection, out: &mut Vec<u8>) {
        projection.dump_csv_header(out);
    }

    fn row(
        self,
        projection: &Projection,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError> {
        projection.dump_csv(out, row, related)
    }

    fn close(self, _: &Projection, _: &mut Vec<u8>) {}
}

impl ObjectFormat for CsvFormat {
    type Writer = CsvWriter;
}

/// Writes objects in memory as lines. The members of the first one are the columns.
#[derive(Default)]
pub(super) struct CsvWriter {
    columns: Vec<(String, Option<DataType>)>,
}

impl ObjectWriter for CsvWriter {
    fn open(&mut self, projection: &Projection, first: Option<&JsonObject>, out: &mut Vec<u8>) {
        let names: Vec<String> = match first {
            Some(object) => object.keys().cloned().collect(),
            None => projection.names().map(str::to_owned).collect(),
        };
        let column = |name: String| {
            let kind = projection.data_type(&name);
            (name, kind)
        };
        self.columns = names.into_iter().map(column).collect();
        write_line(out, &self.columns, |out, (name, _)| write_text(out, name));
    }

    fn object(&mut self, object: &JsonObject, out: &mut Vec<u8>) -> Result<()> {
        write_line(out, &self.columns, |out, (name, kind)| {
            if let Some(value) = object.get(name) {
                write_cell(out, *kind, value);
            }
        });
        Ok(())
    }

    fn close(&mut self, _: &Projection, _: &mut Vec<u8>) {}
}

/// Writes a member of an object in the format of its column.
fn write_cell(out: &mut Vec<u8>, kind: Option<DataType>, value: &Value) {
    match (kind, value) {
        (Some(DataType::Json), document) => write_document(out, document.to_string().as_bytes()),
        // A decimal is a string in JSON. Unlike other strings, a negative one is not escaped as a formula.
        (Some(kind @ DataType::Decimal { .. }), Value::String(text)) if kind.parse(text).is_ok() => {
            out.extend_from_slice(text.as_bytes());
        }
        (_, value) => write_json(out, value.to_string().as_bytes()),
    }
}

impl FlatFormat for CsvFormat {
    /// Writes objects without nested values. The columns are all names that occur in one of them.
    fn json(self, data: &Value) -> Result<Vec<u8>> {
        let items = match data {
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        let objects: Vec<&Map<String, Value>> =
            items.iter().map(flat).collect::<Option<_>>().ok_or_else(|| {
                Error::new(ErrorKind::NotAcceptable(
                    "This is no list of objects with plain values, which text/csv could hold; available: \
                 application/json, application/x-ndjson."
                        .to_owned(),
                ))
            })?;
        let mut columns = Map::new();
        for object in &objects {
            columns.extend(object.keys().map(|name| (name.clone(), Value::Null)));
        }
        let mut out = Vec::new();
        if columns.is_empty() {
            return Ok(out);
        }
        write_line(&mut out, columns.keys(), |out, name| write_text(out, name));
        for object in objects {
            write_line(&mut out, columns.keys(), |out, name| {
                match object.get(name) {
                    // A decimal, which is a string in JSON.
                    Some(Value::String(text)) if is_number(text) => out.extend_from_slice(text.as_bytes()),
                    Some(value) => write_json(out, value.to_string().as_bytes()),
                    None => {}
                }
            });
        }
        Ok(out)
    }
}

/// Whether a text is a number in digits, which no spreadsheet takes for a formula.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match digits.split_once('.') {
        Some((whole, places)) => is_digits(whole) && is_digits(places),
        None => is_digits(digits),
    }
}

fn flat(item: &Value) -> Option<&Map<String, Value>> {
    let is_plain = |value: &Value| !value.is_array() && !value.is_object();
    item.as_object().filter(|object| object.values().all(is_plain))
}

fn write_line<C>(out: &mut Vec<u8>, columns: impl IntoIterator<Item = C>, write: impl Fn(&mut Vec<u8>, C)) {
    let start = out.len();
    for (position, column) in columns.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write(out, column);
    }
    // Quoted, because many readers ignore an empty line.
    if out.len() == start {
        out.extend_from_slice(b"\"\"");
    }
    out.extend_from_slice(b"\r\n");
}
