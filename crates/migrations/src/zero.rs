//! Empty values of types, for columns that return without their values.

/// Returns the literal of a type's empty value; `None` if there is none, as for enum types.
pub(crate) fn zero_value(data_type: &str) -> Option<String> {
    let word = data_type.split(['(', ' ']).next().unwrap_or_default();
    let literal = match word.to_ascii_lowercase().as_str() {
        "integer" | "int" | "smallint" | "bigint" | "numeric" => "0",
        "real" | "double" => "0.0",
        "text" | "varchar" => "''",
        // Those of a UUID, since the type does not tell it from other bytes, and no model reads a shorter one.
        "blob" => "zeroblob(16)",
        "boolean" => "FALSE",
        "bytea" => "''::bytea",
        "date" => "'0001-01-01'::date",
        "time" => "'00:00'::time",
        "timestamptz" => "'0001-01-01 00:00:00+00'::timestamptz",
        "uuid" => "'00000000-0000-0000-0000-000000000000'::uuid",
        "json" => "'null'",
        _ => return None,
    };
    Some(literal.to_owned())
}
