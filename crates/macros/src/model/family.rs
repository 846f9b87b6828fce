//! What the name of a field's type tells of its values.

use syn::{GenericArgument, PathArguments, PathSegment, Type};

use super::literal::Form;

/// The known types, by what their columns can be told; the options of all others are checked when the model is registered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Bool,
    /// `i32` and `i64`, which a database counts.
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
    /// A type of the user's own.
    Own,
}

impl Family {
    /// The family of a field's type, or of the type inside its `Option`.
    pub(super) fn of(ty: &Type) -> Self {
        let Some(segment) = last_segment(inner(ty)) else {
            return Family::Own;
        };
        match segment.ident.to_string().as_str() {
            "bool" => Family::Bool,
            "i32" | "i64" => Family::Counted,
            "i16" => Family::Small,
            "f32" | "f64" => Family::Float,
            "Decimal" => Family::Decimal,
            "String" => Family::Text,
            "Vec" => Family::Bytes,
            "Date" | "Time" => Family::Calendar,
            "Timestamp" => Family::Timestamp,
            "Uuid" => Family::Uuid,
            "Json" => Family::Json,
            _ => Family::Own,
        }
    }

    /// Whether a bound or a default can be written like this.
    pub(super) fn takes(self, form: Form) -> bool {
        match self {
            Family::Bool => form == Form::Bool,
            Family::Counted | Family::Small => form == Form::Integer,
            Family::Float => matches!(form, Form::Integer | Form::Fraction),
            Family::Decimal => form != Form::Bool,
            Family::Text | Family::Bytes | Family::Calendar | Family::Timestamp | Family::Uuid => {
                form == Form::Text
            }
            Family::Json | Family::Own => true,
        }
    }

    /// A value as an option spells it.
    pub(super) fn example(self) -> &'static str {
        match self {
            Family::Bool => "true",
            Family::Counted | Family::Small => "1",
            Family::Float => "0.5",
            Family::Decimal => "\"9.99\"",
            Family::Text | Family::Own => "\"text\"",
            Family::Bytes => "\"YmFzZTY0\"",
            Family::Calendar => "\"2024-05-06\" or \"07:08:09\"",
            Family::Timestamp => "\"2024-05-06T07:08:09Z\"",
            Family::Uuid => "\"0191d5f0-c0de-7000-8000-00000000abcd\"",
            Family::Json => "\"{}\"",
        }
    }

    /// Whether the values have a length that can be bounded.
    pub(super) fn has_length(self) -> bool {
        matches!(self, Family::Text | Family::Bytes | Family::Own)
    }

    /// Whether the values are texts that can be matched.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Family::Text | Family::Own)
    }

    /// Whether one value can be less than another.
    pub(super) fn has_order(self) -> bool {
        match self {
            Family::Counted | Family::Small | Family::Float | Family::Decimal => true,
            Family::Calendar | Family::Timestamp | Family::Own => true,
            Family::Bool | Family::Text | Family::Bytes | Family::Uuid | Family::Json => false,
        }
    }
}

/// Whether the type is written as an `Option`.
pub(super) fn is_option(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == "Option")
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
