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
use crate::serializer::bulk::ObjectVersion;
use crate::serializer::compiled::{CompiledSerializer, InputField, InputTarget};

/// Header line of a CSV file, which maps cells to fields.
pub struct CsvHeader<'p> {
    columns: Vec<CsvColumn<'p>>,
}

/// Column of a CSV file.
struct CsvColumn<'p> {
    name: Cow<'p, str>,
    content: CellContent,
    is_nullable: bool,
    messages: Messages,
}

/// Content of the cells of a column.
#[derive(Clone, Copy)]
enum CellContent {
    /// Computed field, which clients cannot set.
    Ignored,
    Value(DataType),
    /// Version of the object: its number, or its tag.
    Version,
}

impl CompiledSerializer {
    /// Parses the header of a file with new objects. Column names are those of JSON. The error names the first invalid one.
    pub fn header(&self, cells: &[CsvCell]) -> Result<CsvHeader<'_>, String> {
        self.header_by(cells, |name| self.known_column(name))
    }

    /// Parses the header of a file with objects that exist, as [`header`](Self::header). It may have a column with their
    /// versions, unless its name is that of a field that clients may write.
    pub fn header_with_versions(&self, cells: &[CsvCell]) -> Result<CsvHeader<'_>, String> {
        self.header_by(cells, |name| {
            let version = self.version_column().filter(|column| column.name == name);
            version.or_else(|| self.known_column(name))
        })
    }

    fn header_by<'p>(
        &'p self,
        cells: &[CsvCell],
        column: impl Fn(&str) -> Option<CsvColumn<'p>>,
    ) -> Result<CsvHeader<'p>, String> {
        let (mut columns, mut seen): (Vec<CsvColumn<'_>>, HashSet<Cow<'_, str>>) = Default::default();
        for cell in cells {
            let name = cell.without_formula_guard();
            let Some(column) = column(name) else {
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

    fn known_column(&self, name: &str) -> Option<CsvColumn<'_>> {
        let field = self.inputs.iter().find(|field| field.is_named(name));
        let known = field.map(|field| self.column(field));
        known.or_else(|| self.column_for_hooks(name))
    }

    fn column<'p>(&self, field: &'p InputField) -> CsvColumn<'p> {
        let column = |content, is_nullable, messages| CsvColumn {
            name: Cow::Borrowed(field.name.as_str()),
            content,
            is_nullable,
            messages,
        };
        let value = |data_type| column(CellContent::Value(data_type), false, Messages::default());
        match &field.target {
            InputTarget::ReadOnly(None) => column(CellContent::Ignored, false, Messages::default()),
            InputTarget::ReadOnly(Some(position)) => value(self.table().columns[*position].data_type),
            InputTarget::Column(input) => {
                let of = input.column;
                column(CellContent::Value(of.data_type), input.is_nullable, of.messages)
            }
            InputTarget::Extra(extra) => value(extra.data_type),
            InputTarget::Nested(_) => value(DataType::Json),
        }
    }

    /// Returns the column with the versions of the objects, unless its name is that of a field that clients may write.
    fn version_column(&self) -> Option<CsvColumn<'_>> {
        (!self.writes_version()).then(|| CsvColumn {
            name: Cow::Borrowed(ObjectVersion::MEMBER),
            content: CellContent::Version,
            is_nullable: false,
            messages: Messages::default(),
        })
    }

    /// Returns a text column for a name that only a hook before loading may know. Without such a hook it is rejected
    /// as an unknown field.
    fn column_for_hooks(&self, name: &str) -> Option<CsvColumn<'_>> {
        (!self.pre_load.is_empty()).then(|| CsvColumn {
            name: Cow::Owned(name.to_owned()),
            content: CellContent::Value(DataType::Text),
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
            let is_ignored = matches!(column.content, CellContent::Ignored);
            if is_ignored || cell.is_null() && !column.is_nullable {
                continue;
            }
            if out.len() > 1 {
                out.push(b',');
            }
            write_text(&mut out, &column.name);
            out.push(b':');
            let written = match column.content {
                CellContent::Ignored => Ok(()),
                CellContent::Value(data_type) => write_cell(&mut out, data_type, cell),
                CellContent::Version => {
                    write_version(&mut out, cell);
                    Ok(())
                }
            };
            if let Err(message) = written {
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

/// Writes a version as a number, or else as the text of a tag. No tag is a number, because it is longer.
fn write_version(out: &mut Vec<u8>, cell: &CsvCell) {
    match cell.text().trim_ascii().parse::<i64>() {
        Ok(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Err(_) => write_text(out, cell.without_formula_guard()),
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
