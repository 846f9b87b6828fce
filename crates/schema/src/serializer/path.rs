//! The fields that a client may name: those that the shape writes, and those of its relations.

use std::sync::Arc;

use crate::data_type::DataType;
use crate::naming;
use crate::query::{FieldPath, JsonKey, RelationStep};
use crate::serializer::field_error::FieldError;
use crate::serializer::projection::Projection;

impl Projection {
    /// The way to a field that a client names, such as `title`, `category.name` or `options.color`.
    pub fn path(&self, name: &str) -> Result<FieldPath, FieldError> {
        let mut hops = Vec::new();
        let mut behind_last: Arc<Projection>;
        let (mut shape, mut rest) = (self, name);
        loop {
            let (first, behind) = match rest.split_once('.') {
                Some((first, behind)) => (first, Some(behind)),
                None => (rest, None),
            };
            if let Some(column) = shape.column(first) {
                let is_json = shape.table.columns[column].kind == DataType::Json;
                let keys = match behind {
                    None => Some(Vec::new()),
                    Some(behind) if is_json => json_keys(behind),
                    Some(_) => None,
                };
                let keys = keys.ok_or_else(|| FieldError::unknown(name, None))?;
                return Ok(FieldPath::new(hops, shape.table, column, keys));
            }
            match (shape.related(first), behind) {
                (Some((link, inner)), Some(behind)) if hops.len() < Self::MAX_HOPS => {
                    hops.push(RelationStep {
                        from: link.from,
                        table: inner.table,
                        to: link.to,
                        visible: self.visible(inner.table).map(Arc::new),
                    });
                    behind_last = inner;
                    (shape, rest) = (&behind_last, behind);
                }
                (Some(_), Some(_)) => return Err(FieldError::TooFar(name.to_owned())),
                (Some(_), None) => return Err(FieldError::NoValue(name.to_owned())),
                (None, _) if shape.names().any(|known| known == first) => {
                    return Err(FieldError::NoValue(name.to_owned()));
                }
                (None, _) => {
                    let way = &name[..name.len() - rest.len()];
                    let near = naming::nearest(first, shape.all_names());
                    return Err(FieldError::unknown(name, near.map(|near| format!("{way}{near}"))));
                }
            }
        }
    }
}

fn json_keys(text: &str) -> Option<Vec<JsonKey>> {
    text.split('.').map(json_key).collect()
}

/// A step into a document: letters, digits, `_` and `-`; digits alone are the place in an array.
fn json_key(text: &str) -> Option<JsonKey> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(JsonKey::Item);
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (!text.is_empty() && text.bytes().all(is_plain)).then(|| JsonKey::Member(text.to_owned()))
}
