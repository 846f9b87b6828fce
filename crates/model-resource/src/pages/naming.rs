//! Names of fields and URLs as people read them.

/// Turns a name such as `publishDate`, `publish_date` or `contact-submissions` into words: "Publish date".
pub(crate) fn words(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for character in name.chars() {
        let is_separator = matches!(character, '_' | '-' | '.' | ' ');
        if (is_separator || (character.is_uppercase() && after_lower))
            && !out.is_empty()
            && !out.ends_with(' ')
        {
            out.push(' ');
        }
        if is_separator {
            after_lower = false;
            continue;
        }
        after_lower = character.is_lowercase() || character.is_ascii_digit();
        if out.is_empty() {
            out.extend(character.to_uppercase());
        } else {
            out.extend(character.to_lowercase());
        }
    }
    match out.as_str() {
        "Id" => "ID".to_owned(),
        "Url" => "URL".to_owned(),
        "Ip" => "IP".to_owned(),
        _ => out.trim_end().to_owned(),
    }
}

/// Label of the description in sentence case: "First name" for "First Name". Words of capitals stay.
pub(crate) fn sentence(label: &str) -> String {
    let mut words = label.split(' ');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        out.push(' ');
        if word.chars().skip(1).any(char::is_uppercase) {
            out.push_str(word);
        } else {
            out.push_str(&word.to_lowercase());
        }
    }
    match out.as_str() {
        "Id" => "ID".to_owned(),
        "Url" => "URL".to_owned(),
        _ => out,
    }
}

/// Label of a foreign key: "Category" for `categoryId`.
pub(crate) fn reference_words(name: &str) -> String {
    let shortened = name.strip_suffix("Id").or_else(|| name.strip_suffix("_id"));
    words(shortened.filter(|name| !name.is_empty()).unwrap_or(name))
}

/// Label of a field: that of the description in sentence case, and that of a foreign key without `Id`.
pub(crate) fn field_words(name: &str, label: &str, references: Option<&str>) -> String {
    match references {
        Some(_) => reference_words(name),
        None => sentence(label),
    }
}

/// Words for an operator of a filter.
pub(crate) fn operator_words(operator: &str) -> &str {
    match operator {
        "eq" => "is",
        "ne" => "is not",
        "gt" => "greater than",
        "gte" => "at least",
        "lt" => "less than",
        "lte" => "at most",
        "in" => "is one of",
        "nin" => "is none of",
        "contains" => "contains (case-sensitive)",
        "icontains" => "contains",
        "startswith" => "begins with",
        "endswith" => "ends with",
        "like" => "matches (case-sensitive)",
        "ilike" => "matches",
        "between" => "between",
        "isnull" => "is empty or not",
        other => other,
    }
}

/// A count with its noun, in the singular for one.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{} {noun}", grouped(count))
}

/// A number with a thin space between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + 4);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// Size of some bytes.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return counted(bytes, "byte", "bytes");
    }
    let (mut tenths, mut unit) = (bytes * 10 / 1024, 0);
    while tenths >= 10240 && unit + 1 < UNITS.len() {
        (tenths, unit) = (tenths / 1024, unit + 1);
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        assert_eq!(words("publishDate"), "Publish date");
        assert_eq!(words("contact-submissions"), "Contact submissions");
        assert_eq!(words("ContactSubmission"), "Contact submission");
        assert_eq!(words("first_name"), "First name");
        assert_eq!(words("id"), "ID");
        assert_eq!(reference_words("categoryId"), "Category");
        assert_eq!(reference_words("id"), "ID");
    }

    #[test]
    fn labels_are_in_sentence_case() {
        assert_eq!(sentence("First Name"), "First name");
        assert_eq!(sentence("Base URL"), "Base URL");
        assert_eq!(sentence("Id"), "ID");
    }

    #[test]
    fn numbers_are_grouped_and_sized() {
        assert_eq!(grouped(1234567), "1\u{202f}234\u{202f}567");
        assert_eq!(counted(1, "row", "rows"), "1 row");
        assert_eq!(size(1), "1 byte");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(5 * 1024 * 1024), "5.0 MiB");
    }
}
