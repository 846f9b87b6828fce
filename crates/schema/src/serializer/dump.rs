//! Dumping of rows as JSON by a projection, directly into the buffer.

use crate::json::write_text;
use crate::model::Row;
use crate::relation::Related;
use crate::serializer::declaration::SerializeError;
use crate::serializer::projection::{Projection, WriteOp};

impl Projection {
    /// Writes one object, in its envelope if it has one.
    pub fn dump(&self, out: &mut Vec<u8>, row: &dyn Row, related: &Related) -> Result<(), SerializeError> {
        match &self.envelope {
            None => self.dump_item(out, row, related),
            Some(envelope) => {
                open_envelope(out, &envelope.one);
                self.dump_item(out, row, related)?;
                out.push(b'}');
                Ok(())
            }
        }
    }

    /// Writes one object of a list, without envelope.
    pub fn dump_item(
        &self,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError> {
        let changed = self.changed(row)?;
        let written = changed.as_deref().unwrap_or(row);
        out.push(b'{');
        for output in &self.of_row(row).outputs {
            match output {
                WriteOp::Columns(members) => written.write_members(members, out),
                WriteOp::Computed(before, computed) => {
                    out.extend_from_slice(before);
                    (computed.compute)(written, out)?;
                }
                WriteOp::Related(output) => {
                    out.extend_from_slice(&output.member.before);
                    output.dump(out, row.value(output.member.column), related)?;
                }
            }
        }
        out.push(b'}');
        Ok(())
    }

    /// Returns the instance to write instead of the row, if the serializer has hooks before dumping.
    pub(super) fn changed(&self, row: &dyn Row) -> Result<Option<Box<dyn Row>>, SerializeError> {
        let mut changed: Option<Box<dyn Row>> = None;
        for hook in &*self.pre_dump {
            changed = Some(hook(changed.as_deref().unwrap_or(row))?);
        }
        Ok(changed)
    }

    /// Writes the text before the first object of a list.
    pub fn open_list(&self, out: &mut Vec<u8>) {
        if let Some(envelope) = &self.envelope {
            open_envelope(out, &envelope.many);
        }
        out.push(b'[');
    }

    /// Writes the text after the last object of a list.
    pub fn close_list(&self, out: &mut Vec<u8>) {
        out.push(b']');
        if self.envelope.is_some() {
            out.push(b'}');
        }
    }
}

fn open_envelope(out: &mut Vec<u8>, key: &str) {
    out.push(b'{');
    write_text(out, key);
    out.push(b':');
}
