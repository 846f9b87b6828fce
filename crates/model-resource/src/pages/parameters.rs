//! Query parameters of pages, which begin with an underscore and are removed before the api sees the query.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::pages::content::PageView;

/// Parameters that the api does not see.
const OF_PAGES: [&str; 4] = ["_view", "_next", "_form", "_from"];

/// Query of a page's URL.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PageParameters {
    /// Parameters of the api, decoded.
    pub(crate) query: Vec<(String, String)>,
    /// View that `_view` chooses.
    pub(crate) view: PageView,
    /// Path to return to, from `_next`.
    pub(crate) next: Option<String>,
    /// Key of the object that a new one begins as a copy of, from `_from`.
    pub(crate) from: Option<String>,
    /// Whether the query comes from a form, by `_form`: empty inputs are no parameters then.
    pub(crate) is_form: bool,
}

impl PageParameters {
    /// Separates the parameters of pages from those of the api.
    pub(crate) fn of(pairs: &[(String, String)]) -> Self {
        let mut parameters = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                "_view" => parameters.view = PageView::parse(value).unwrap_or_default(),
                "_next" => parameters.next = own_path(value),
                "_form" => parameters.is_form = true,
                "_from" => parameters.from = Some(value.clone()),
                _ => parameters.query.push((name.clone(), value.clone())),
            }
        }
        parameters
    }

    /// Parameters of a form without those of its empty inputs.
    pub(crate) fn submitted(self) -> Vec<(String, String)> {
        let mut query = Vec::new();
        for (name, value) in self.query {
            match name.as_str() {
                _ if value.is_empty() => {}
                "fields" => add_fields(&mut query, value),
                _ => query.push((name, complete_time(value))),
            }
        }
        query
    }
}

/// Adds names to the parameter `fields`. A form has one input for each field, and the api takes a list.
fn add_fields(query: &mut Vec<(String, String)>, fields: String) {
    match query.iter_mut().find(|(name, _)| name == "fields") {
        Some((_, known)) => {
            known.push(',');
            known.push_str(&fields);
        }
        None => query.push(("fields".to_owned(), fields)),
    }
}

/// Completes the time of an input for a date and time, which has no zone and may have no seconds. Pages show times in
/// UTC.
fn complete_time(mut value: String) -> String {
    let shape: String = value
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    match shape.as_str() {
        "0000-00-00T00:00" => value.push_str(":00Z"),
        "0000-00-00T00:00:00" => value.push('Z'),
        _ => {}
    }
    value
}

/// Path of this origin; `None` for anything that a browser could take for another origin.
fn own_path(text: &str) -> Option<String> {
    let is_own = text.starts_with('/') && !text.starts_with("//") && !text.contains('\\');
    let is_printable = text.bytes().all(|byte| byte.is_ascii_graphic());
    (is_own && is_printable).then(|| text.to_owned())
}

/// Characters of a query parameter that are written as they are, apart from letters and digits.
const IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'[')
    .remove(b']')
    .remove(b',')
    .remove(b':')
    .remove(b'@')
    .remove(b'/');

/// Writes a query string.
pub(crate) fn to_query_string(pairs: &[(String, String)]) -> String {
    let encoded = |text| utf8_percent_encode(text, IN_QUERY);
    let pairs = pairs.iter();
    let pairs = pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Query string that the api sees: the client's own without the parameters of pages, as it was written, and some
/// defaults.
pub(crate) fn api_query(query: &str, defaults: &[(String, String)]) -> String {
    let is_of_api = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        let name = percent_decode_str(name).decode_utf8_lossy();
        !pair.is_empty() && !OF_PAGES.contains(&&*name)
    };
    let mut pairs: Vec<&str> = query.split('&').filter(is_of_api).collect();
    let defaults = to_query_string(defaults);
    if !defaults.is_empty() {
        pairs.push(&defaults);
    }
    pairs.join("&")
}

/// Appends a query string to a path.
pub(crate) fn with_query(path: &str, pairs: &[(String, String)]) -> String {
    if pairs.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", to_query_string(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn parameters_of_pages_are_separated() {
        let parameters = PageParameters::of(&pairs(&[
            ("q", "snow"),
            ("_view", "edit"),
            ("_next", "/api/v1/tags?page=2"),
        ]));
        assert_eq!(parameters.query, pairs(&[("q", "snow")]));
        assert_eq!(parameters.view, PageView::Edit);
        assert_eq!(parameters.next.as_deref(), Some("/api/v1/tags?page=2"));
    }

    #[test]
    fn only_paths_of_this_origin_are_returned_to() {
        for text in [
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "/a b",
            "/\tb",
            "",
        ] {
            assert_eq!(own_path(text), None, "{text}");
        }
    }

    #[test]
    fn empty_inputs_of_a_form_are_no_parameters() {
        let parameters = PageParameters::of(&pairs(&[
            ("q", ""),
            ("sort", "-id"),
            ("_form", "1"),
            ("rating[gte]", "4"),
        ]));
        assert!(parameters.is_form);
        assert_eq!(to_query_string(&parameters.submitted()), "sort=-id&rating[gte]=4");
    }

    #[test]
    fn fields_are_joined_and_times_are_completed() {
        let parameters = PageParameters::of(&pairs(&[
            ("fields", "id"),
            ("title", "a"),
            ("title", "b"),
            ("fields", "title"),
            ("createdAt[gte]", "2026-03-01T12:30"),
        ]));
        assert_eq!(
            to_query_string(&parameters.submitted()),
            "fields=id,title&title=a&title=b&createdAt[gte]=2026-03-01T12:30:00Z"
        );
    }

    #[test]
    fn the_api_sees_the_rest_of_the_query_as_it_was_written() {
        let query = "_view=new&q=a+b%ff!&%5fnext=/x&_form&page=1&";
        assert_eq!(
            api_query(query, &pairs(&[("expand", "a,b")])),
            "q=a+b%ff!&page=1&expand=a,b"
        );
        assert_eq!(api_query("", &[]), "");
    }

    #[test]
    fn values_are_encoded() {
        let query = pairs(&[("q", "a&b=\"<é>")]);
        assert_eq!(to_query_string(&query), "q=a%26b%3D%22%3C%C3%A9%3E");
    }
}
