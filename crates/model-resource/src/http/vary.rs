//! The header `Vary`.

use http::{HeaderMap, HeaderValue, header};

/// Adds names to `Vary`, in one line: some caches read only one.
pub(crate) fn vary_by(headers: &mut HeaderMap, names: &HeaderValue) {
    if !headers.contains_key(header::VARY) {
        headers.insert(header::VARY, names.clone());
        return;
    }
    let Ok(names) = names.to_str() else {
        return;
    };
    let present = headers.get_all(header::VARY).iter();
    let present: Vec<&str> = present.filter_map(|line| line.to_str().ok()).collect();
    let mut all = present.join(", ");
    for name in names.split(',').map(str::trim) {
        let mut known = all.split(',').map(str::trim);
        if !known.any(|known| known.eq_ignore_ascii_case(name)) {
            all.push_str(", ");
            all.push_str(name);
        }
    }
    if let Ok(all) = HeaderValue::try_from(all) {
        headers.insert(header::VARY, all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_added_once_and_in_one_line() {
        let mut headers = HeaderMap::new();
        for names in ["accept", "authorization, Accept", "origin", "cookie, origin"] {
            vary_by(&mut headers, &HeaderValue::from_static(names));
        }
        let lines: Vec<_> = headers.get_all(header::VARY).iter().collect();
        assert_eq!(lines, ["accept, authorization, origin, cookie"]);
        headers.append(header::VARY, HeaderValue::from_static("accept-language"));
        vary_by(&mut headers, &HeaderValue::from_static("accept-encoding"));
        let lines: Vec<_> = headers.get_all(header::VARY).iter().collect();
        assert_eq!(
            lines,
            ["accept, authorization, origin, cookie, accept-language, accept-encoding"]
        );
    }
}
