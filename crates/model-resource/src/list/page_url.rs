//! URLs of other pages.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that are escaped in the names and values of a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// URL of the request, from which the URLs of other pages are built.
pub(crate) struct PageUrl {
    pub(crate) path: String,
    /// Path as clients see it, for links.
    pub(crate) external_path: String,
    pub(crate) parameters: Vec<(String, String)>,
}

impl PageUrl {
    /// Builds the URL with changed values of some parameters.
    pub(crate) fn with(&self, changes: &[(&str, String)]) -> String {
        let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
        let kept = self.parameters.iter().filter(|(name, _)| !is_changed(name));
        let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
        let changed = changes.iter().map(|(name, value)| (*name, value.as_str()));
        let pairs = kept.chain(changed).map(|(name, value)| {
            let (name, value) = (
                utf8_percent_encode(name, PLAIN),
                utf8_percent_encode(value, PLAIN),
            );
            format!("{name}={value}")
        });
        format!("{}?{}", self.external_path, pairs.collect::<Vec<_>>().join("&"))
    }
}
