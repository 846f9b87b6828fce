//! Serializers: what of a model leaves, what enters, and under which names.

mod csv;
mod declaration;
mod dump;
mod fields;
mod load;
mod many;
mod model_serializer;
mod names;
mod object;
mod path;
mod plan;
mod selection;
mod shape;
mod sight;
mod table;
mod unreadable;
mod wrapped;

pub use declaration::{Envelope, Onto, Unwritable};
pub use fields::Fields;
pub use load::Limits;
pub use model_serializer::{Declare, Input, ModelSerializer, RegisteredSerializer, SerializerRole};
pub use object::{Malformed, refuse_depth};
pub use plan::Plan;
pub use selection::Selection;
pub use shape::Shape;
pub use sight::Sight;
pub use table::Header;
pub use unreadable::Unreadable;
pub use wrapped::WrappedSerializer;
