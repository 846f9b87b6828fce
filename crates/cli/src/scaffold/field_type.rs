//! Types of fields on the command line, and what they are in Rust and in JSON.

/// Type of a field as `add resource` knows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FieldType {
    /// Name on the command line.
    pub(super) name: &'static str,
    /// Type in Rust.
    pub(super) rust: &'static str,
    /// Type to import from `model_resource`, if any.
    pub(super) import: Option<&'static str>,
    /// Options of the column, if it has any.
    pub(super) options: &'static [&'static str],
    /// An example in JSON, for the test of the resource.
    pub(super) example: &'static str,
    /// Meaning, for the help.
    pub(super) meaning: &'static str,
}

/// Every type, in the order of the help.
pub(super) const TYPES: [FieldType; 12] = [
    FieldType {
        name: "string",
        rust: "String",
        import: None,
        options: &["min_length = 1", "max_length = 200"],
        example: "\"A text\"",
        meaning: "text of 1 to 200 characters",
    },
    FieldType {
        name: "text",
        rust: "String",
        import: None,
        options: &[],
        example: "\"A text\"",
        meaning: "text of any length",
    },
    FieldType {
        name: "email",
        rust: "String",
        import: None,
        options: &["email", "trim", "lowercase"],
        example: "\"ann@example.com\"",
        meaning: "e-mail address",
    },
    FieldType {
        name: "int",
        rust: "i64",
        import: None,
        options: &[],
        example: "1",
        meaning: "integer of 64 bits",
    },
    FieldType {
        name: "float",
        rust: "f64",
        import: None,
        options: &[],
        example: "1.5",
        meaning: "floating-point number of 64 bits",
    },
    FieldType {
        name: "decimal",
        rust: "Decimal",
        import: Some("Decimal"),
        options: &["precision = 10", "scale = 2"],
        example: "\"1.50\"",
        meaning: "decimal number with two digits after the point",
    },
    FieldType {
        name: "bool",
        rust: "bool",
        import: None,
        options: &[],
        example: "true",
        meaning: "true or false",
    },
    FieldType {
        name: "date",
        rust: "Date",
        import: Some("Date"),
        options: &[],
        example: "\"2024-02-29\"",
        meaning: "date",
    },
    FieldType {
        name: "time",
        rust: "Time",
        import: Some("Time"),
        options: &[],
        example: "\"12:30:00\"",
        meaning: "time of day",
    },
    FieldType {
        name: "datetime",
        rust: "Timestamp",
        import: Some("Timestamp"),
        options: &[],
        example: "\"2024-02-29T12:30:00Z\"",
        meaning: "point in time",
    },
    FieldType {
        name: "uuid",
        rust: "Uuid",
        import: Some("Uuid"),
        options: &[],
        example: "\"018d0000-0000-7000-8000-000000000001\"",
        meaning: "UUID",
    },
    FieldType {
        name: "json",
        rust: "Json",
        import: Some("Json"),
        options: &[],
        example: "{\"key\": 1}",
        meaning: "JSON document",
    },
];

impl FieldType {
    /// Finds a type by its name on the command line.
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        TYPES.iter().find(|known| known.name == name)
    }

    /// Lists the types for the help and for errors.
    pub(super) fn names() -> String {
        TYPES.map(|known| known.name).join(", ")
    }
}
