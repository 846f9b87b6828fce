//! The header `Vary`.

use http::{HeaderMap, HeaderValue, header};

/// Adds names to `Vary`, in one line: some caches read only one.
pub(crate) fn vary_by(headers: &mut HeaderMap, names: &HeaderValue) {
    let Some(present) = headers.get(header::VARY) else {
        headers.insert(header::VARY, names.clone());
        return;
    };
    let (Ok(present), Ok(names)) = (present.to_str(), names.to_str()) else {
        return;
    };
    let mut all = present.to_owned();
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
    }
}
