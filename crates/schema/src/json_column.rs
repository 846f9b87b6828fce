//! JSON documents as column types: of any form, and of a Rust type.

use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::column_type::{ColumnType, TypeCheck, TypeMismatch, TypeNormalization, normalize};
use crate::data_type::DataType;
use crate::naming::{quotations_shortened, shortened};
use crate::value::ValueRef;

/// A JSON document, stored as text so that it can be passed on without parsing.
///
/// ```
/// use model_resource_schema::json_column::Json;
///
/// let json = Json::new(&[1, 2]).unwrap();
/// assert_eq!(json.text(), "[1,2]");
/// assert_eq!(json.read::<Vec<i32>>().unwrap(), [1, 2]);
/// ```
///
/// `Json<T>` is the document of a `T`, to which it dereferences. A column accepts no other documents, and stores what
/// the `T` serializes to.
///
/// ```
/// use model_resource_schema::json_column::Json;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Address {
///     city: String,
/// }
///
/// let address = Json::of(Address { city: "Ulm".to_owned() }).unwrap();
/// assert_eq!(address.city, "Ulm");
/// assert_eq!(address.text(), r#"{"city":"Ulm"}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<T = AnyJson> {
    text: String,
    value: T,
}

/// Content of a [`Json`] of any form, which is not deserialized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnyJson(());

impl Json {
    /// Serializes a value to a document.
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self::any)
    }

    /// Deserializes the document.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(&self.text)
    }

    fn any(text: String) -> Self {
        Self {
            text,
            value: AnyJson(()),
        }
    }
}

impl<T> Json<T> {
    /// Text of the document.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<T: Serialize + DeserializeOwned> Json<T> {
    /// Creates the document of a value.
    pub fn of(value: T) -> serde_json::Result<Self> {
        let text = serde_json::to_string(&value)?;
        Ok(Self { text, value })
    }

    /// Returns the value of the document.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T: Serialize + DeserializeOwned> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Serialize for Json<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue =
            serde_json::from_str(&self.text).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl ColumnType for Json {
    const DATA_TYPE: DataType = DataType::Json;
    const CHECK: Option<TypeCheck> = None;

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Json(&self.text)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        match value {
            ValueRef::Json(v) => Ok(Self::any(v.to_owned())),
            _ => Err(TypeMismatch::new(Self::DATA_TYPE, value)),
        }
    }
}

impl<T: Serialize + DeserializeOwned> ColumnType for Json<T> {
    const DATA_TYPE: DataType = DataType::Json;
    // Members that `T` does not have are not stored, unless it collects them.
    const NORMALIZE: Option<TypeNormalization> = Some(normalize::<Self>);

    fn to_value(&self) -> ValueRef<'_> {
        ValueRef::Json(&self.text)
    }

    fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
        let mismatch = || TypeMismatch::new(Self::DATA_TYPE, value);
        let ValueRef::Json(text) = value else {
            return Err(mismatch());
        };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read: T = serde_path_to_error::deserialize(&mut deserializer)
            .map_err(|error| mismatch().with_message(message(&error)))?;
        // A `T` that cannot be serialized fits no column, since its value could not be stored.
        Self::of(read).map_err(|_| mismatch())
    }
}

/// Message for a document that does not fit: where, and why.
fn message(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let text = error.inner().to_string();
    let reason = quotations_shortened(text.split(" at line ").next().unwrap_or_default());
    let place = error.path().to_string();
    match place.as_str() {
        "." => format!("Not valid: {reason}."),
        place => format!("Not valid at {}: {reason}.", shortened(place)),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Line {
        price: i64,
        #[serde(default)]
        note: String,
    }

    type Lines = Json<Vec<Line>>;

    fn rejected(text: &str) -> String {
        let check = Lines::CHECK.expect("a typed document is checked");
        check(ValueRef::Json(text)).unwrap_err().text().to_owned()
    }

    #[test]
    fn a_document_that_does_not_fit_is_rejected_with_the_place_and_the_reason() {
        assert_eq!(
            rejected(r#"[{"price": 1}, {"price": "1"}]"#),
            "Not valid at [1].price: invalid type: string \"1\", expected i64."
        );
        assert_eq!(
            rejected(r#"[{"note": ""}]"#),
            "Not valid at [0]: missing field `price`."
        );
        assert_eq!(
            rejected("{}"),
            "Not valid: invalid type: map, expected a sequence."
        );
        let long = format!(r#"[{{"price": "{}"}}]"#, "x".repeat(1000));
        assert!(rejected(&long).len() < 200);
    }

    #[test]
    fn a_document_is_stored_as_its_type_serializes_it() {
        let sent = ValueRef::Json(r#"[{"extra": 1, "price": 2}]"#).to_value();
        let stored = normalize::<Lines>(sent);
        assert_eq!(stored.borrow(), ValueRef::Json(r#"[{"price":2,"note":""}]"#));
        let read = Lines::from_value(stored.borrow()).unwrap();
        assert_eq!((read[0].price, read.into_inner().len()), (2, 1));
    }
}
