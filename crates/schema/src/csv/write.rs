//! Writing of CSV cells.

use crate::csv::looks_like_formula;
use crate::json;
use crate::value::ValueRef;

/// Writes a text as a cell.
///
/// A spreadsheet interprets a text such as `=1+1` as a formula, regardless of its author. A leading apostrophe keeps
/// it a text. A text that already has such an apostrophe gets another one, so that readers can always remove one.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    let guard: &[u8] = if looks_like_formula(text) { b"'" } else { b"" };
    write_cell(out, guard, text.as_bytes());
}

/// Writes a column's value as a cell: null as an empty cell, text as it is, other types as in JSON. Quotes are used
/// for empty values and where needed.
pub fn write_value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Text(text) => write_text(out, text),
        ValueRef::Json(document) => write_document(out, document.as_bytes()),
        ValueRef::Null
        | ValueRef::Bool(_)
        | ValueRef::Int(_)
        | ValueRef::Single(_)
        | ValueRef::Double(_)
        | ValueRef::Bytes(_)
        | ValueRef::Decimal(_)
        | ValueRef::Date(_)
        | ValueRef::Time(_)
        | ValueRef::Timestamp(_)
        | ValueRef::Uuid(_) => {
            // The JSON form of these types never needs quoting.
            let start = out.len();
            json::write_value(out, value);
            match &out[start..] {
                b"null" => out.truncate(start),
                // An empty byte string is quoted like an empty text, to distinguish it from null.
                b"\"\"" => {}
                [b'"', ..] => {
                    out.pop();
                    out.remove(start);
                }
                _ => {}
            }
        }
    }
}

/// Writes a JSON value as a cell: null as an empty cell, strings as text, others as in JSON.
pub fn write_json(out: &mut Vec<u8>, json: &[u8]) {
    match serde_json::from_slice::<String>(json) {
        Ok(text) => write_text(out, &text),
        Err(_) => write_document(out, json),
    }
}

/// Writes JSON as a cell of JSON, including strings; null as an empty cell.
pub fn write_document(out: &mut Vec<u8>, json: &[u8]) {
    if json != b"null" {
        write_cell(out, b"", json);
    }
}

/// Writes a cell. An empty text is quoted, to distinguish it from null.
fn write_cell(out: &mut Vec<u8>, guard: &[u8], cell: &[u8]) {
    let is_special = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    let is_plain =
        !cell.is_empty() && !cell.starts_with(b" ") && !cell.ends_with(b" ") && !cell.iter().any(is_special);
    if is_plain {
        out.extend_from_slice(guard);
        out.extend_from_slice(cell);
        return;
    }
    out.reserve(guard.len() + cell.len() + 2);
    out.push(b'"');
    out.extend_from_slice(guard);
    for (position, part) in cell.split(|byte| *byte == b'"').enumerate() {
        if position > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(part);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(value: ValueRef<'_>) -> String {
        let mut out = Vec::new();
        write_value(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    fn of_json(json: &str) -> String {
        let mut out = Vec::new();
        write_json(&mut out, json.as_bytes());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn texts_are_quoted_only_where_they_must_be() {
        for (text, cell) in [
            ("plain text é", "plain text é"),
            ("", "\"\""),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("\"", "\"\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("a\rb", "\"a\rb\""),
            (" a", "\" a\""),
            ("a ", "\"a \""),
        ] {
            assert_eq!(written(ValueRef::Text(text)), cell);
        }
    }

    #[test]
    fn texts_that_look_like_formulas_are_guarded_and_numbers_are_not() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("'=1", "''=1"),
            ("'quoted'", "'quoted'"),
            ("a=1", "a=1"),
        ] {
            assert_eq!(written(ValueRef::Text(text)), cell);
            assert_eq!(of_json(&serde_json::to_string(text).unwrap()), cell);
        }
        assert_eq!(written(ValueRef::Int(-3)), "-3");
        assert_eq!(written(ValueRef::Decimal("-0.50".parse().unwrap())), "-0.50");
        assert_eq!(of_json("-3"), "-3");
    }

    #[test]
    fn other_values_look_as_in_json_without_quotation_marks() {
        assert_eq!(written(ValueRef::Null), "");
        assert_eq!(written(ValueRef::Double(f64::NAN)), "");
        assert_eq!(written(ValueRef::Bool(true)), "true");
        assert_eq!(written(ValueRef::Bytes(b"hi")), "aGk=");
        assert_eq!(written(ValueRef::Bytes(b"")), "\"\"");
        assert_eq!(
            written(ValueRef::Timestamp("2024-05-06T07:08:09Z".parse().unwrap())),
            "2024-05-06T07:08:09Z"
        );
        assert_eq!(written(ValueRef::Json("{\"a\":1}")), "\"{\"\"a\"\":1}\"");
        assert_eq!(written(ValueRef::Json("\"=1\"")), "\"\"\"=1\"\"\"");
        assert_eq!(written(ValueRef::Json("null")), "");
        assert_eq!(of_json("null"), "");
        assert_eq!(of_json("[1]"), "[1]");
        assert_eq!(of_json("\"a\\u00e9\\n\""), "\"aé\n\"");
    }

    proptest! {
        /// Undoing the quotation and removing the guard returns the text.
        #[test]
        fn any_text_reads_back(text in "[-a=+@'\", \t\r\né]{0,12}") {
            let cell = written(ValueRef::Text(&text));
            let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let bare = inner.map_or(cell.clone(), |inner| inner.replace("\"\"", "\""));
            prop_assert!(!bare.starts_with(['=', '+', '-', '@', '\t', '\r']));
            let is_guarded = bare.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']);
            prop_assert_eq!(if is_guarded { &bare[1..] } else { &bare }, &text);
        }
    }
}
