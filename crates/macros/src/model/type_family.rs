//! Families of Rust types, by the name of a field's type.

use syn::{GenericArgument, PathArguments, PathSegment, Type};

use super::literal::Form;

/// Family of a field's type. Options of custom types are checked when the model is registered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeFamily {
    Bool,
    /// `i32` and `i64`, which the database can generate.
    Counted,
    Small,
    Float,
    Decimal,
    Text,
    Bytes,
    /// `Date` and `Time`.
    Calendar,
    Timestamp,
    Uuid,
    Json,
    /// A custom type.
    Own,
}

impl TypeFamily {
    /// Returns the family of a field's type, or of the type inside its `Option`.
    pub(super) fn of(ty: &Type) -> Self {
        let Some(segment) = last_segment(inner(ty)) else {
            return TypeFamily::Own;
        };
        match segment.ident.to_string().as_str() {
            "bool" => TypeFamily::Bool,
            "i32" | "i64" => TypeFamily::Counted,
            "i16" => TypeFamily::Small,
            "f32" | "f64" => TypeFamily::Float,
            "Decimal" => TypeFamily::Decimal,
            "String" => TypeFamily::Text,
            "Vec" => TypeFamily::Bytes,
            "Date" | "Time" => TypeFamily::Calendar,
            "Timestamp" => TypeFamily::Timestamp,
            "Uuid" => TypeFamily::Uuid,
            "Json" => TypeFamily::Json,
            _ => TypeFamily::Own,
        }
    }

    /// Whether a bound or a default can have this notation.
    pub(super) fn takes(self, form: Form) -> bool {
        match self {
            TypeFamily::Bool => form == Form::Bool,
            TypeFamily::Counted | TypeFamily::Small => form == Form::Integer,
            TypeFamily::Float => matches!(form, Form::Integer | Form::Fraction),
            TypeFamily::Decimal => form != Form::Bool,
            TypeFamily::Text
            | TypeFamily::Bytes
            | TypeFamily::Calendar
            | TypeFamily::Timestamp
            | TypeFamily::Uuid => form == Form::Text,
            TypeFamily::Json | TypeFamily::Own => true,
        }
    }

    /// Example of a value in an option.
    pub(super) fn example(self) -> &'static str {
        match self {
            TypeFamily::Bool => "true",
            TypeFamily::Counted | TypeFamily::Small => "1",
            TypeFamily::Float => "0.5",
            TypeFamily::Decimal => "\"9.99\"",
            TypeFamily::Text | TypeFamily::Own => "\"text\"",
            TypeFamily::Bytes => "\"YmFzZTY0\"",
            TypeFamily::Calendar => "\"2024-05-06\" or \"07:08:09\"",
            TypeFamily::Timestamp => "\"2024-05-06T07:08:09Z\"",
            TypeFamily::Uuid => "\"0191d5f0-c0de-7000-8000-00000000abcd\"",
            TypeFamily::Json => "\"{}\"",
        }
    }

    /// Whether the values have a length that can be bounded.
    pub(super) fn has_length(self) -> bool {
        matches!(self, TypeFamily::Text | TypeFamily::Bytes | TypeFamily::Own)
    }

    /// Whether the values are texts that can be matched.
    pub(super) fn is_text(self) -> bool {
        matches!(self, TypeFamily::Text | TypeFamily::Own)
    }

    /// Whether the values are ordered.
    pub(super) fn has_order(self) -> bool {
        match self {
            TypeFamily::Counted | TypeFamily::Small | TypeFamily::Float | TypeFamily::Decimal => true,
            TypeFamily::Calendar | TypeFamily::Timestamp | TypeFamily::Own => true,
            TypeFamily::Bool | TypeFamily::Text | TypeFamily::Bytes | TypeFamily::Uuid | TypeFamily::Json => {
                false
            }
        }
    }
}

/// Whether the type is written as an `Option`.
pub(super) fn is_option(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Option")
}

/// Whether the type is `i64`.
pub(super) fn is_i64(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "i64")
}

fn inner(ty: &Type) -> &Type {
    let segment = last_segment(ty).filter(|segment| segment.ident == "Option");
    match segment.map(|segment| &segment.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
            Some(GenericArgument::Type(inner)) => inner,
            _ => ty,
        },
        _ => ty,
    }
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        _ => None,
    }
}
