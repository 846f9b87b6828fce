//! Pattern of a URL, such as `/users/<int:id>`.

use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::routing::converter::Converter;

/// Characters that are escaped in a path segment.
pub(super) const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Characters that are escaped in a path of several segments.
const PATH: &AsciiSet = &SEGMENT.remove(b'/');

/// Parsed URL rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    url: String,
    segments: Vec<UrlSegment>,
    names: Arc<[String]>,
    /// Last parameter of an item URL.
    key: Option<usize>,
}

/// Segment of a URL, between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UrlSegment {
    Fixed(String),
    Parameter(SegmentPattern),
}

/// Parameter with the text before and after it in its segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentPattern {
    pub(crate) before: String,
    pub(crate) converter: Converter,
    pub(crate) after: String,
}

/// Parameters of a matched URL, in their order.
#[derive(Debug, Clone, Default)]
pub struct Params {
    names: Arc<[String]>,
    values: Vec<String>,
}

impl Rule {
    /// Parses a rule. Fails with the mistake and the remedy.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let url = match url.strip_suffix('/') {
            Some(shorter) if !shorter.is_empty() => shorter,
            _ => url,
        };
        let Some(path) = url.strip_prefix('/') else {
            return Err(format!("URL `{url}` must start with `/`: write `/{url}`"));
        };
        if url.contains(['{', '}', '?', '#', '%']) || url.contains("//") {
            return Err(format!(
                "URL `{url}`: write parameters as `<int:id>`, and the rest as plain path segments"
            ));
        }
        let mut names = Vec::new();
        let mut segments = Vec::new();
        if !path.is_empty() {
            for text in path.split('/') {
                let segment = UrlSegment::parse(text, &mut names);
                segments.push(segment.map_err(|mistake| format!("URL `{url}`: {mistake}"))?);
            }
        }
        let is_item = matches!(segments.last(), Some(UrlSegment::Parameter(_)));
        Ok(Self {
            url: url.to_owned(),
            segments,
            key: if is_item { names.len().checked_sub(1) } else { None },
            names: names.into(),
        })
    }

    /// Marks the URL as an item or a collection URL, like this part of it.
    pub(crate) fn with_key_of(mut self, part: &Rule) -> Self {
        let key = part.key.and_then(|key| part.names.get(key));
        self.key = key.and_then(|key| self.names.iter().position(|name| name == key));
        self
    }

    /// URL as it was registered.
    pub(crate) fn as_str(&self) -> &str {
        &self.url
    }

    pub(crate) fn segments(&self) -> &[UrlSegment] {
        &self.segments
    }

    /// Names of the parameters, in their order.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Position of the last parameter of an item URL; `None` for a collection.
    pub(crate) fn key(&self) -> Option<usize> {
        self.key
    }

    /// Converter of the parameter at this position.
    pub(crate) fn converter(&self, position: usize) -> &Converter {
        let pattern = self.patterns().nth(position);
        &pattern
            .expect("`parse` adds one name for each parameter, and callers count by the names")
            .converter
    }

    /// Pattern of the last parameter of an item URL; `None` for a collection.
    pub(crate) fn key_pattern(&self) -> Option<&SegmentPattern> {
        self.patterns().nth(self.key?)
    }

    /// Patterns of the parameters, in their order.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &SegmentPattern> {
        self.segments.iter().filter_map(|segment| match segment {
            UrlSegment::Parameter(pattern) => Some(pattern),
            UrlSegment::Fixed(_) => None,
        })
    }

    /// Parameters of a request that matched this rule with these values.
    pub(crate) fn params(&self, values: Vec<String>) -> Params {
        Params {
            names: Arc::clone(&self.names),
            values,
        }
    }

    /// URL with these values of its parameters, and the others as `{name}`.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    pub(crate) fn template<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> String {
        let mut url = String::with_capacity(self.url.len());
        let mut names = self.names.iter();
        for segment in &self.segments {
            url.push('/');
            match segment {
                UrlSegment::Fixed(text) => url.extend(utf8_percent_encode(text, SEGMENT)),
                UrlSegment::Parameter(pattern) => {
                    url.extend(utf8_percent_encode(&pattern.before, SEGMENT));
                    match names.next().map(|name| (name, value(name))) {
                        Some((_, Some(value))) => url.extend(utf8_percent_encode(value, SEGMENT)),
                        Some((name, None)) => url.extend(["{", name, "}"]),
                        None => {}
                    }
                    url.extend(utf8_percent_encode(&pattern.after, SEGMENT));
                }
            }
        }
        if url.is_empty() { "/".to_owned() } else { url }
    }

    /// Builds the URL for these parameters. Fails if one is missing or its converter does not accept it.
    pub(crate) fn build<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> Result<String, String> {
        let mut url = String::with_capacity(self.url.len() + 16);
        let mut names = self.names.iter();
        for segment in &self.segments {
            url.push('/');
            match segment {
                UrlSegment::Fixed(text) => url.extend(utf8_percent_encode(text, SEGMENT)),
                UrlSegment::Parameter(pattern) => {
                    let name = names.next().expect("`parse` adds one name for each parameter");
                    let value =
                        value(name).ok_or_else(|| format!("`{}` needs the parameter `{name}`", self.url))?;
                    if !pattern.converter.takes(value) {
                        return Err(format!("`{value}` is not a value of `{name}` in `{}`", self.url));
                    }
                    url.extend(utf8_percent_encode(&pattern.before, SEGMENT));
                    match pattern.converter {
                        Converter::Path => url.extend(utf8_percent_encode(value, PATH)),
                        _ => url.extend(utf8_percent_encode(value, SEGMENT)),
                    }
                    url.extend(utf8_percent_encode(&pattern.after, SEGMENT));
                }
            }
        }
        Ok(if url.is_empty() { "/".to_owned() } else { url })
    }
}

impl UrlSegment {
    fn parse(text: &str, names: &mut Vec<String>) -> Result<Self, String> {
        let Some((before, rest)) = text.split_once('<') else {
            return if text.contains('>') {
                Err("a `>` without its `<`".to_owned())
            } else {
                Ok(UrlSegment::Fixed(text.to_owned()))
            };
        };
        let (parameter, after) = rest.split_once('>').ok_or("a `<` is not closed by `>`")?;
        if before.contains('>') || after.contains(['<', '>']) {
            return Err("one segment holds at most one parameter".to_owned());
        }
        let (converter, name) = parameter.rsplit_once(':').unwrap_or(("string", parameter));
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_name {
            return Err(format!("`{name}` is not a parameter's name: write `<int:id>`"));
        }
        if names.iter().any(|earlier| earlier == name) {
            return Err(format!("the parameter `{name}` occurs twice"));
        }
        names.push(name.to_owned());
        let converter = Converter::parse(converter)
            .map_err(|mistake| format!("{mistake}; write `<{name}>` for any text without a slash"))?;
        Ok(UrlSegment::Parameter(SegmentPattern {
            before: before.to_owned(),
            converter,
            after: after.to_owned(),
        }))
    }
}

impl SegmentPattern {
    /// Extracts the parameter from a segment that matches this pattern.
    pub(crate) fn capture<'a>(&self, segment: &'a str) -> Option<&'a str> {
        let text = segment
            .strip_prefix(self.before.as_str())?
            .strip_suffix(self.after.as_str())?;
        self.converter.takes(text).then_some(text)
    }
}

impl Params {
    /// Parameter of this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Position of the parameter of this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Last parameter.
    pub fn last(&self) -> Option<&str> {
        self.values.last().map(String::as_str)
    }

    /// All parameters, in the URL's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.names
            .iter()
            .zip(&self.values)
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}
