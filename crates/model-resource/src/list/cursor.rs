//! Cursors of keyset pagination, signed, so that clients can only send back what they received.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac_sha256::HMAC;
use model_resource_schema::json::write_value;
use model_resource_schema::query::{Nulls, SortKey};
use model_resource_store::{KeysetPosition, ListQuery, Seek};
use serde_json::value::RawValue;
use subtle::ConstantTimeEq as _;

/// Number of signature bytes that are kept.
const SIGNATURE_LENGTH: usize = 16;

/// Boundary of a page.
pub(crate) enum Cursor {
    /// The page begins after this row.
    After(KeysetPosition),
    /// The page ends before this row.
    Before(KeysetPosition),
    /// The page ends with the list.
    Last,
}

impl Cursor {
    pub(crate) fn start(&self) -> Seek {
        match self {
            Self::After(position) => Seek::After(position.clone()),
            Self::Before(position) => Seek::Before(Some(position.clone())),
            Self::Last => Seek::Before(None),
        }
    }
}

/// Key that signs cursors.
#[derive(Clone)]
pub(crate) struct CursorKey(HMAC);

impl CursorKey {
    pub(crate) fn new(secret: &[u8]) -> Self {
        Self(HMAC::new(secret))
    }

    /// Creates a random key. Cursors become invalid when the process ends.
    pub(crate) fn random() -> Self {
        let halves = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        Self::new(&halves.map(uuid::Uuid::into_bytes).concat())
    }

    /// Derives a key for another purpose.
    pub(crate) fn derive(&self, purpose: &str) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(purpose);
        mac.finalize()
    }

    /// Encodes a cursor of the list at this path.
    pub(crate) fn write(&self, list: &ListQuery, path: &str, cursor: &Cursor) -> String {
        let (direction, position) = match cursor {
            Cursor::After(position) => (b'a', Some(position)),
            Cursor::Before(position) => (b'b', Some(position)),
            Cursor::Last => (b'l', None),
        };
        let mut out = vec![direction, b'['];
        for (count, value) in position.iter().flat_map(|position| &position.0).enumerate() {
            if count > 0 {
                out.push(b',');
            }
            write_value(&mut out, value.borrow());
        }
        out.push(b']');
        let mut mac = self.mac(list, path);
        mac.update(&out);
        out.extend_from_slice(&mac.finalize()[..SIGNATURE_LENGTH]);
        BASE64.encode(out)
    }

    /// Decodes a cursor. Returns `None` if the signature is invalid, as it is for another list or sort order.
    pub(crate) fn read(&self, list: &ListQuery, path: &str, text: &str) -> Option<Cursor> {
        let bytes = BASE64.decode(text).ok()?;
        let (text, signature) = bytes.split_at_checked(bytes.len().checked_sub(SIGNATURE_LENGTH)?)?;
        let mut mac = self.mac(list, path);
        mac.update(text);
        if !bool::from(mac.finalize()[..SIGNATURE_LENGTH].ct_eq(signature)) {
            return None;
        }
        let (direction, values) = text.split_first()?;
        if *direction == b'l' {
            return Some(Cursor::Last);
        }
        let values: Vec<&RawValue> = serde_json::from_slice(values).ok()?;
        let keys = list.keys().iter().zip(values);
        let values = keys.map(|(key, json)| key.path.column().data_type.load(json).ok());
        let position = KeysetPosition(values.collect::<Option<_>>()?);
        if position.0.len() != list.keys().len() {
            return None;
        }
        Some(match direction {
            b'a' => Cursor::After(position),
            _ => Cursor::Before(position),
        })
    }

    /// Starts the signature with the list and its sort order, because the values mean nothing in another one.
    fn mac(&self, list: &ListQuery, path: &str) -> HMAC {
        let mut mac = self.0.clone();
        mac.update(path.as_bytes());
        // A separator: no path contains a space.
        mac.update(b" ");
        mac.update(list.table().name.as_bytes());
        for key in list.keys() {
            mac.update(signed_sort_key(key).as_bytes());
        }
        mac
    }
}

fn signed_sort_key(
    SortKey {
        path,
        descending,
        nulls,
    }: &SortKey,
) -> String {
    let steps = path
        .steps()
        .iter()
        .map(|step| format!("{}.{}/", step.table.name, step.from));
    let order = if *descending { '-' } else { '+' };
    let nulls = if *nulls == Nulls::First { 'f' } else { 'l' };
    format!(
        "|{}{}{order}{nulls}",
        steps.collect::<String>(),
        path.column().name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that are derived from a stored secret outlive a process. The expected values were computed by another
    /// implementation of HMAC with SHA-256; the second secret is longer than 64 bytes.
    #[test]
    fn derived_keys_are_those_of_hmac_with_sha_256() {
        let hex = |secret: &[u8]| -> String {
            let key = CursorKey::new(secret).derive("row tags");
            key.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        assert_eq!(
            hex(b"a secret of 24 characters"),
            "f30b66742f221679854d91e64b9ef0a5802586f4f5cb434be5979eff134bb7b0"
        );
        assert_eq!(
            hex(&[b'k'; 100]),
            "8738babdd57d53c05fe03beea2b4762397fa51520d606fe7cba76824a1fb984d"
        );
    }
}
