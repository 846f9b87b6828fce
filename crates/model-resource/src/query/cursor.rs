//! Cursors: where a page begins, in a form that clients can only give back.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, KeyInit, Mac};
use model_resource_schema::json::write_value;
use model_resource_schema::query::{Nulls, SortKey};
use model_resource_store::{List, Position, Start};
use serde_json::value::RawValue;
use sha2::Sha256;

/// So many bytes of the signature are kept.
const SIGNATURE: usize = 16;

/// What cursors are signed with.
#[derive(Clone)]
pub(crate) struct CursorKey(Hmac<Sha256>);

impl CursorKey {
    pub(crate) fn new(secret: &[u8]) -> Self {
        Self(Hmac::new_from_slice(secret).expect("a key may have any length"))
    }

    /// A key that nobody else has: cursors end with this process.
    pub(crate) fn random() -> Self {
        let halves = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
        Self::new(&halves.map(uuid::Uuid::into_bytes).concat())
    }

    /// The cursor of a page of this list that begins here.
    pub(super) fn write(&self, list: &List, start: &Start) -> String {
        let mut out = Vec::new();
        let (direction, position) = match start {
            Start::Skipping(_) | Start::Before(None) => (b'l', None),
            Start::After(position) => (b'a', Some(position)),
            Start::Before(Some(position)) => (b'b', Some(position)),
        };
        out.push(direction);
        out.push(b'[');
        for (count, value) in position.iter().flat_map(|position| &position.0).enumerate() {
            if count > 0 {
                out.push(b',');
            }
            write_value(&mut out, value.borrow());
        }
        out.push(b']');
        let signature = self.sign(list, &out);
        out.extend_from_slice(&signature);
        BASE64.encode(out)
    }

    /// Where a cursor says that a page of this list begins; nothing if it is not one of ours, or of another order.
    pub(super) fn read(&self, list: &List, cursor: &str) -> Option<Start> {
        let bytes = BASE64.decode(cursor).ok()?;
        let (text, signature) = bytes.split_at_checked(bytes.len().checked_sub(SIGNATURE)?)?;
        let mut mac = self.mac(list);
        mac.update(text);
        mac.verify_truncated_left(signature).ok()?;
        let (direction, values) = text.split_first()?;
        if *direction == b'l' {
            return Some(Start::Before(None));
        }
        let values: Vec<&RawValue> = serde_json::from_slice(values).ok()?;
        let keys = list.keys().iter().zip(values);
        let values = keys.map(|(key, json)| key.path.column().kind.load(json).ok());
        let position = Position(values.collect::<Option<_>>()?);
        if position.0.len() != list.keys().len() {
            return None;
        }
        Some(match direction {
            b'a' => Start::After(position),
            _ => Start::Before(Some(position)),
        })
    }

    fn sign(&self, list: &List, text: &[u8]) -> [u8; SIGNATURE] {
        let mut mac = self.mac(list);
        mac.update(text);
        let mut signature = [0; SIGNATURE];
        signature.copy_from_slice(&mac.finalize().into_bytes()[..SIGNATURE]);
        signature
    }

    /// The signature is also about the order, in which alone the values mean something.
    fn mac(&self, list: &List) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(list.table().name.as_bytes());
        for key in list.keys() {
            mac.update(described(key).as_bytes());
        }
        mac
    }
}

fn described(
    SortKey {
        path,
        descending,
        nulls,
    }: &SortKey,
) -> String {
    let hops = path
        .hops()
        .iter()
        .map(|hop| format!("{}.{}/", hop.table.name, hop.from));
    let order = if *descending { '-' } else { '+' };
    let nulls = if *nulls == Nulls::First { 'f' } else { 'l' };
    format!(
        "|{}{}{order}{nulls}",
        hops.collect::<String>(),
        path.column().name
    )
}
