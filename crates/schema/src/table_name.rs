//! Names of tables with a schema.

/// Returns the schema of a table's name. Evaluated in a constant, it fails to compile if the name has an empty part or
/// more than two of them.
pub(crate) const fn schema_of(name: &'static str) -> Option<&'static str> {
    let Some(dot) = first_dot(name.as_bytes(), 0) else {
        return None;
    };
    let (schema, rest) = name.split_at(dot);
    assert!(
        !schema.is_empty() && rest.len() > 1 && first_dot(rest.as_bytes(), 1).is_none(),
        "a dot separates the schema of a table from its name: write it as in \"crm.customers\""
    );
    assert!(
        !matches!(schema.as_bytes(), b"public"),
        "`public` is where PostgreSQL looks for tables without a schema: leave it out of the name"
    );
    Some(schema)
}

const fn first_dot(name: &[u8], from: usize) -> Option<usize> {
    let mut i = from;
    while i < name.len() {
        if name[i] == b'.' {
            return Some(i);
        }
        i += 1;
    }
    None
}
