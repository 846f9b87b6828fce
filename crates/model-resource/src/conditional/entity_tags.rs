//! Lists of entity tags in `If-Match` and `If-None-Match`.

use http::{HeaderMap, HeaderName};

use crate::conditional::row_tag::RowTag;

/// Value of `If-Match` or `If-None-Match`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EntityTags {
    /// `*`: any version.
    Any,
    Listed(Vec<EntityTag>),
}

/// An entity tag as the client has sent it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EntityTag {
    is_weak: bool,
    /// Tag with its quotes.
    text: Vec<u8>,
}

impl EntityTags {
    /// Reads all lines of a header. Returns `None` if there is none, and an error if one is not a list of entity tags.
    pub(crate) fn read(headers: &HeaderMap, name: &HeaderName) -> Result<Option<Self>, InvalidTags> {
        let lines = headers.get_all(name);
        let mut lines = lines.iter().map(|line| line.as_bytes().trim_ascii()).peekable();
        if lines.peek().is_none() {
            return Ok(None);
        }
        let mut tags = Vec::new();
        for line in lines {
            if line == b"*" {
                return Ok(Some(EntityTags::Any));
            }
            read_line(line, &mut tags)?;
        }
        Ok(Some(EntityTags::Listed(tags)))
    }

    /// Whether a tag is the row's. A weak one is not, because it may stand for several versions.
    pub(crate) fn contain_strongly(&self, tag: &RowTag) -> bool {
        self.contain(|listed| !listed.is_weak && listed.text == tag.as_bytes())
    }

    /// Whether a tag is the row's, weak or not.
    pub(crate) fn contain_weakly(&self, tag: &[u8]) -> bool {
        self.contain(|listed| listed.text == tag)
    }

    fn contain(&self, is_tag: impl Fn(&EntityTag) -> bool) -> bool {
        match self {
            EntityTags::Any => true,
            EntityTags::Listed(tags) => tags.iter().any(is_tag),
        }
    }
}

/// A header that is not a list of entity tags.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidTags;

/// Reads tags that are separated by commas.
fn read_line(mut line: &[u8], tags: &mut Vec<EntityTag>) -> Result<(), InvalidTags> {
    loop {
        line = line.trim_ascii_start();
        if let Some(rest) = line.strip_prefix(b",") {
            line = rest;
            continue;
        }
        if line.is_empty() {
            return Ok(());
        }
        let is_weak = line.starts_with(b"W/");
        let opaque = if is_weak { &line[2..] } else { line };
        let end = opaque
            .strip_prefix(b"\"")
            .and_then(|rest| rest.iter().position(|byte| *byte == b'"'))
            .ok_or(InvalidTags)?;
        let (text, rest) = opaque.split_at(end + 2);
        let text = text.to_vec();
        tags.push(EntityTag { is_weak, text });
        line = rest.trim_ascii_start();
        if !line.is_empty() && !line.starts_with(b",") {
            return Err(InvalidTags);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderValue, header};

    fn read(lines: &[&'static str]) -> Result<Option<EntityTags>, InvalidTags> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::IF_MATCH, HeaderValue::from_static(line));
        }
        EntityTags::read(&headers, &header::IF_MATCH)
    }

    fn tag(is_weak: bool, text: &str) -> EntityTag {
        let text = text.as_bytes().to_vec();
        EntityTag { is_weak, text }
    }

    #[test]
    fn lists_may_have_several_lines_and_empty_elements() {
        let all = || {
            EntityTags::Listed(vec![
                tag(false, "\"a\""),
                tag(true, "\"b,c\""),
                tag(false, "\"\""),
            ])
        };
        for lines in [
            &[r#""a", W/"b,c","""#][..],
            &[r#""a""#, r#" W/"b,c" , "" "#],
            &[r#", "a",, W/"b,c" ,"#, r#""""#],
        ] {
            assert_eq!(read(lines), Ok(Some(all())));
        }
        assert_eq!(read(&[]), Ok(None));
        assert_eq!(read(&[" * "]), Ok(Some(EntityTags::Any)));
    }

    #[test]
    fn other_texts_are_invalid() {
        for line in [
            "a",
            "\"a",
            "a\"",
            "\"a\" \"b\"",
            "w/\"a\"",
            "W/a",
            "\"a\", *",
            "\"a\"b",
        ] {
            assert_eq!(read(&[line]), Err(InvalidTags), "{line}");
        }
    }
}
