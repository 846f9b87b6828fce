//! CSV import: converts each line to the JSON object that it represents.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::csv::CsvCell;
use crate::data_type::DataType;
use crate::errors::Errors;
use crate::json::write_text;
use crate::message::{Message, code};
use crate::messages::Messages;
use crate::naming::{self, Quoted};
use crate::serializer::compiled::{CompiledSerializer, InputField, InputTarget};

/// Header line of a CSV file, which maps cells to fields.
pub struct CsvHeader<'p> {
    columns: Vec<CsvColumn<'p>>,
}

/// Column of a CSV file.
struct CsvColumn<'p> {
    name: Cow<'p, str>,
    /// `None` for computed fields, which clients cannot set.
    data_type: Option<DataType>,
    is_nullable: bool,
    messages: Messages,
}

impl CompiledSerializer {
    /// Parses the header. Column names are those of JSON. The error names the first invalid one.
    pub fn header(&self, cells: &[CsvCell]) -> Result<CsvHeader<'_>, String> {
        let (mut columns, mut seen): (Vec<CsvColumn<'_>>, HashSet<Cow<'_, str>>) = Default::default();
        for cell in cells {
            let name = cell.without_formula_guard();
            let field = self.inputs.iter().find(|field| field.is_named(name));
            let known = field.map(|field| self.column(field));
            let Some(column) = known.or_else(|| self.column_for_hooks(name)) else {
                if cells.len() == 1 && name.contains([';', '\t']) {
                    let name = Quoted(name);
                    return Err(format!("The cells of {name} must be separated by commas."));
                }
                let names = self.inputs.iter().map(|field| field.name.as_str());
                let hint = naming::nearest(name, names).map(|near| format!("; did you mean {near:?}?"));
                return Err(format!(
                    "Unknown column {}{}",
                    Quoted(name),
                    hint.as_deref().unwrap_or(".")
                ));
            };
            if !seen.insert(column.name.clone()) {
                return Err(format!("The column {} occurs twice.", Quoted(name)));
            }
            columns.push(column);
        }
        Ok(CsvHeader { columns })
    }

    fn column<'p>(&self, field: &'p InputField) -> CsvColumn<'p> {
        let column = |data_type, is_nullable, messages| CsvColumn {
            name: Cow::Borrowed(field.name.as_str()),
            data_type,
            is_nullable,
            messages,
        };
        match &field.target {
            InputTarget::ReadOnly(position) => {
                let data_type = position.map(|position| self.table().columns[position].data_type);
                column(data_type, false, Messages::default())
            }
            InputTarget::Column(input) => {
                let of = input.column;
                column(Some(of.data_type), input.is_nullable, of.messages)
            }
            InputTarget::Extra(extra) => column(Some(extra.data_type), false, Messages::default()),
            InputTarget::Nested(_) => column(Some(DataType::Json), false, Messages::default()),
        }
    }

    /// Returns a text column for a name that only a hook before loading may know. Without such a hook it is rejected
    /// as an unknown field.
    fn column_for_hooks(&self, name: &str) -> Option<CsvColumn<'_>> {
        (!self.pre_load.is_empty()).then(|| CsvColumn {
            name: Cow::Owned(name.to_owned()),
            data_type: Some(DataType::Text),
            is_nullable: false,
            messages: Messages::default(),
        })
    }
}

impl CsvHeader<'_> {
    /// Converts a line to a JSON object. An empty cell is null if the field is nullable, else the field is omitted.
    pub fn object(&self, cells: &[CsvCell]) -> Result<String, Errors> {
        if cells.len() != self.columns.len() {
            let (expected, found) = (self.columns.len(), cells.len());
            let text = format!("Expected {expected} cells, found {found}.");
            return Err(Errors::object(Message::new(code::MALFORMED, text)));
        }
        let mut errors = Errors::new();
        let mut out = vec![b'{'];
        for (column, cell) in self.columns.iter().zip(cells) {
            let Some(data_type) = column.data_type else {
                continue;
            };
            if cell.is_null() && !column.is_nullable {
                continue;
            }
            if out.len() > 1 {
                out.push(b',');
            }
            write_text(&mut out, &column.name);
            out.push(b':');
            if let Err(message) = write_cell(&mut out, data_type, cell) {
                errors.add(column.name.as_ref(), column.messages.replace(message));
            }
        }
        out.push(b'}');
        if errors.is_empty() {
            Ok(String::from_utf8_lossy(&out).into_owned())
        } else {
            Err(errors)
        }
    }
}

/// Writes a cell as the JSON that its column expects. Invalid values are passed on and rejected with the rest of the
/// object.
fn write_cell(out: &mut Vec<u8>, data_type: DataType, cell: &CsvCell) -> Result<(), Message> {
    let text = cell.text();
    match data_type {
        _ if cell.is_null() => out.extend_from_slice(b"null"),
        // Spreadsheets write booleans in upper case.
        DataType::Bool if matches!(text.to_ascii_lowercase().as_str(), "true" | "false") => {
            out.extend_from_slice(text.to_ascii_lowercase().as_bytes());
        }
        DataType::I16 | DataType::I32 | DataType::I64 | DataType::F32 | DataType::F64
            if serde_json::from_str::<serde_json::Number>(text).is_ok() =>
        {
            out.extend_from_slice(text.trim_ascii().as_bytes());
        }
        DataType::Json => match serde_json::from_str::<&RawValue>(text) {
            Ok(document) => out.extend_from_slice(document.get().as_bytes()),
            Err(_) => return Err(data_type.type_message()),
        },
        // A text, or a value of another type that is rejected as a text.
        DataType::Bool | DataType::I16 | DataType::I32 | DataType::I64 | DataType::F32 | DataType::F64 => {
            write_text(out, cell.without_formula_guard());
        }
        DataType::Text | DataType::Bytes | DataType::Decimal { .. } | DataType::Enum(_) => {
            write_text(out, cell.without_formula_guard());
        }
        DataType::Date | DataType::Time | DataType::Timestamp | DataType::Uuid => {
            write_text(out, cell.without_formula_guard());
        }
    }
    Ok(())
}
