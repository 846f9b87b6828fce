//! Conversions between types that a database knows by itself.

use model_resource_store::SqlDialect;

use crate::encoding::SqliteConversion;
use crate::state::ColumnState;

/// Returns the conversion of values between two columns; `Unknown` if only a person knows.
pub(super) fn conversion(dialect: SqlDialect, from: &ColumnState, to: &ColumnState) -> SqliteConversion {
    match dialect {
        SqlDialect::Sqlite => from.conversion_to(to),
        SqlDialect::Postgres
            if from.data_type == to.data_type || is_castable(&from.data_type, &to.data_type) =>
        {
            SqliteConversion::Copy
        }
        SqlDialect::Postgres => SqliteConversion::Unknown,
    }
}

/// Whether PostgreSQL has an explicit cast. Every type has one from and to text.
pub(crate) fn is_castable(from: &str, to: &str) -> bool {
    if is_text(from) || is_text(to) {
        return true;
    }
    match (family(from), family(to)) {
        (Some(one), Some(two)) => {
            one == two || from == "boolean" && to == "integer" || from == "integer" && to == "boolean"
        }
        (Some(_), None) | (None, Some(_)) | (None, None) => false,
    }
}

fn is_text(data_type: &str) -> bool {
    data_type == "text" || data_type.starts_with("varchar") || data_type.starts_with("character")
}

/// Types between which values are cast.
fn family(data_type: &str) -> Option<&'static str> {
    let word = data_type.split(['(', ' ']).next().unwrap_or_default();
    match word {
        "smallint" | "integer" | "bigint" | "real" | "double" | "numeric" => Some("number"),
        "date" | "timestamptz" | "timestamp" => Some("time"),
        "json" | "jsonb" => Some("document"),
        "boolean" => Some("boolean"),
        _ => None,
    }
}
