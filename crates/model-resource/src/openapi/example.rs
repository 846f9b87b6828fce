//! Examples of values, made from their types and constraints.

use model_resource_schema::constraints::FieldConstraints;
use model_resource_schema::data_type::DataType;
use model_resource_schema::naming;
use serde_json::{Value, json};

use crate::openapi::data_type::json_value;

/// Example of an input field; `None` if a valid one is not known, as for a pattern.
pub(super) fn example(name: &str, data_type: DataType, constraints: &FieldConstraints) -> Option<Value> {
    if let Some(choice) = constraints.choices.first() {
        return Some((*choice).into());
    }
    if constraints.pattern.is_some() {
        return None;
    }
    if let Some(bound) = constraints.min.as_deref().or(constraints.max.as_deref()) {
        return json_value(data_type, bound);
    }
    match data_type {
        DataType::Text if constraints.is_email => {
            let fits = fits_length("user@example.com", constraints);
            fits.then(|| "user@example.com".into())
        }
        DataType::Text => Some(text(name, constraints).into()),
        DataType::Bytes if constraints.min_length.is_some_and(|min| min > 3) => None,
        DataType::Bytes if constraints.max_length.is_some_and(|max| max < 3) => None,
        other => Some(plain_example(other)),
    }
}

/// Example of a value without constraints.
pub(super) fn plain_example(data_type: DataType) -> Value {
    match data_type {
        DataType::Bool => json!(true),
        DataType::I16 | DataType::I32 | DataType::I64 => json!(1),
        DataType::F32 | DataType::F64 => json!(1.5),
        DataType::Text => json!("text"),
        DataType::Bytes => json!("AQID"),
        DataType::Decimal { precision, scale } => decimal(precision, scale).into(),
        DataType::Date => json!("2024-05-06"),
        DataType::Time => json!("07:08:09"),
        DataType::Timestamp => json!("2024-05-06T07:08:09Z"),
        DataType::Uuid => json!("01902d5e-7b6c-7c3a-9f00-0123456789ab"),
        DataType::Json => json!({"key": "value"}),
        DataType::Enum(names) => names.first().map_or(Value::Null, |name| (*name).into()),
    }
}

/// Label of the field, repeated or shortened to the allowed length.
fn text(name: &str, constraints: &FieldConstraints) -> String {
    let label = naming::label(name);
    let max = constraints.max_length.unwrap_or(usize::MAX);
    let min = constraints.min_length.unwrap_or(0).max(1).min(max);
    let length = label.chars().count().clamp(min, max.max(min));
    label.chars().cycle().take(length.min(max)).collect()
}

fn fits_length(text: &str, constraints: &FieldConstraints) -> bool {
    let (min, max) = (constraints.min_length, constraints.max_length);
    min.is_none_or(|min| text.len() >= min) && max.is_none_or(|max| text.len() <= max)
}

fn decimal(precision: u8, scale: u8) -> String {
    let whole = if precision > scale { "1" } else { "0" };
    match scale {
        0 => whole.to_owned(),
        scale => format!("{whole}.{}", "5".repeat(scale.min(2).into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constrained(min: usize, max: usize) -> FieldConstraints {
        let mut constraints = FieldConstraints::default();
        (constraints.min_length, constraints.max_length) = (Some(min), Some(max));
        constraints
    }

    #[test]
    fn texts_have_the_allowed_length() {
        assert_eq!(text("firstName", &FieldConstraints::default()), "First Name");
        assert_eq!(text("title", &constrained(8, 20)), "TitleTit");
        assert_eq!(text("title", &constrained(0, 3)), "Tit");
        assert_eq!(text("title", &constrained(0, 0)), "");
    }

    #[test]
    fn decimals_have_the_allowed_digits() {
        assert_eq!(decimal(10, 2), "1.55");
        assert_eq!(decimal(2, 2), "0.55");
        assert_eq!(decimal(3, 0), "1");
    }
}
