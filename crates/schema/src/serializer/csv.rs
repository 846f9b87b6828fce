//! Dumping of rows as CSV lines by a projection, one cell per member.

use crate::csv::{write_document, write_json, write_text, write_value};
use crate::model::Row;
use crate::relation::Related;
use crate::serializer::declaration::SerializeError;
use crate::serializer::projection::{Projection, WriteOp};

impl Projection {
    /// Writes the header line.
    pub fn dump_csv_header(&self, out: &mut Vec<u8>) {
        for (position, name) in self.names().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            write_text(out, name);
        }
        out.extend_from_slice(b"\r\n");
    }

    /// Writes one object as a line. Values that are not scalar are written as JSON; the cell of a private column that
    /// is hidden on this row is empty.
    pub fn dump_csv(
        &self,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError> {
        let changed = self.changed(row)?;
        let written = changed.as_deref().unwrap_or(row);
        let start = out.len();
        let mut cells = 0;
        let mut next = |out: &mut Vec<u8>| {
            if cells > 0 {
                out.push(b',');
            }
            cells += 1;
        };
        let mut json = Vec::new();
        let seen = self.of_row(row);
        for output in &self.outputs {
            match output {
                WriteOp::Columns(members) => {
                    for member in members {
                        next(out);
                        if seen.writes(member.column) {
                            write_value(out, written.value(member.column));
                        }
                    }
                }
                WriteOp::Computed(_, computed) => {
                    next(out);
                    if !self.is_private(computed, row) {
                        json.clear();
                        (computed.compute)(written, &mut json)?;
                        write_json(out, &json);
                    }
                }
                WriteOp::Related(output) => {
                    next(out);
                    json.clear();
                    output.dump(&mut json, row.value(output.member.column), related)?;
                    if output.is_scalar() {
                        write_json(out, &json);
                    } else {
                        write_document(out, &json);
                    }
                }
            }
        }
        // Many readers ignore an empty line.
        if out.len() == start {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(b"\r\n");
        Ok(())
    }
}
