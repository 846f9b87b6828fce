//! Serializers: output, input and names of a model's fields.

mod bulk;
mod compiled;
#[cfg(feature = "csv")]
mod csv;
#[cfg(feature = "csv")]
mod csv_import;
mod declaration;
mod default;
mod describe;
mod describe_output;
mod dump;
mod extra_field;
mod field_error;
mod hooks;
mod json_array;
mod json_object;
mod load;
mod lookup;
mod model_serializer;
mod name_checks;
mod nested;
mod nested_links;
mod nested_schema;
mod presence;
mod private;
mod projection;
mod related;
mod related_output;
mod relation_columns;
mod selection;
mod serializer_fields;
mod visibility;
mod wrapped;

pub use bulk::ObjectVersion;
pub use compiled::{CompiledSerializer, NestedInput, NestedRows};
#[cfg(feature = "csv")]
pub use csv_import::CsvHeader;
pub use declaration::{Envelope, SerializeError, WriteMode};
pub use default::DefaultSerializer;
pub use describe::{
    InputRules, InputSchema, NestedObjects, NestedSchema, NestedValue, ObjectSchema, OutputSchema,
    OutputValue, PresetSource,
};
pub use extra_field::ExtraField;
pub use field_error::FieldError;
pub use json_object::{MalformedJson, refuse_depth};
pub use load::{ReadOnlyMembers, WriteRules};
pub use model_serializer::{ModelSerializer, RegisteredSerializer, SerializerRole};
pub use nested::NestedBody;
pub use nested_links::NestedLinks;
pub use projection::Projection;
pub use selection::Selection;
pub use serializer_fields::SerializerFields;
pub use visibility::{PrivateColumns, RelatedWrites, Visibility};
pub use wrapped::WrappedSerializer;
