//! Writing rows as JSON by a plan: no struct, no tree, straight into the buffer.

use crate::json::write_text;
use crate::model::Row;
use crate::relation::Related;
use crate::serializer::declaration::Unwritable;
use crate::serializer::plan::{Plan, Source};

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
        for (i, output) in self.outputs.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&output.key);
            match &output.source {
                Source::Column(column) => row.write_value(*column, out),
                Source::Computed(compute) => compute(row, out)?,
                Source::Nested {
                    column,
                    relation,
                    plan,
                } => match related.find(*relation, row.value(*column)) {
                    Some((nested, related)) => plan.dump(out, nested, related)?,
                    None => out.extend_from_slice(b"null"),
                },
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
