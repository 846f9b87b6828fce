//! Writing rows as JSON by a plan: no struct, no tree, straight into the buffer.

use crate::json::write_text;
use crate::model::Row;
use crate::relation::Related;
use crate::serializer::declaration::Unwritable;
use crate::serializer::plan::{Output, Plan};

impl Plan {
    /// Writes one object, in its envelope if there is one.
    pub fn dump(&self, out: &mut Vec<u8>, row: &dyn Row, related: &Related) -> Result<(), Unwritable> {
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
    pub fn dump_item(&self, out: &mut Vec<u8>, row: &dyn Row, related: &Related) -> Result<(), Unwritable> {
        out.push(b'{');
        for output in &self.outputs {
            match output {
                Output::Columns(members) => row.write_members(members, out),
                Output::Computed(before, compute) => {
                    out.extend_from_slice(before);
                    compute(row, out)?;
                }
                Output::Nested(member, nested) => {
                    out.extend_from_slice(&member.before);
                    match related.find(nested.relation, row.value(member.column)) {
                        Some((found, related)) => nested.plan.dump(out, found, related)?,
                        None => out.extend_from_slice(b"null"),
                    }
                }
            }
        }
        out.push(b'}');
        Ok(())
    }

    /// Writes what stands before the first object of a list.
    pub fn open_list(&self, out: &mut Vec<u8>) {
        if let Some(envelope) = &self.envelope {
            open_envelope(out, &envelope.many);
        }
        out.push(b'[');
    }

    /// Writes what stands after the last object of a list.
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
