//! Escaping of text in HTML: the only place where text becomes markup.
//!
//! Text is shown as it is: control characters become visible, characters that reorder the text around them become
//! visible too, and text from right to left is isolated from its surroundings.

/// Appends text as the content of an element.
pub(crate) fn push_text(out: &mut String, text: &str) {
    if text.bytes().all(is_plain) {
        out.push_str(text);
        return;
    }
    let is_isolated = text.chars().any(changes_direction);
    if is_isolated {
        out.push_str("<bdi>");
    }
    for character in text.chars() {
        match entity(character) {
            Some(entity) => out.push_str(entity),
            None if is_invisible(character) => push_invisible(out, character),
            None => out.push(character),
        }
    }
    if is_isolated {
        out.push_str("</bdi>");
    }
}

/// Appends text as the value of an attribute in quotation marks, or as the content of a `textarea`. The browser reads
/// exactly this text, except for NUL, which HTML cannot contain.
pub(crate) fn push_exact(out: &mut String, text: &str) {
    if text.bytes().all(|byte| is_plain(byte) || byte >= 0x80) {
        out.push_str(text);
        return;
    }
    for character in text.chars() {
        match entity(character) {
            Some(entity) => out.push_str(entity),
            // A literal carriage return would become a line feed.
            None if character == '\r' => out.push_str("&#13;"),
            None if character == '\0' => out.push('\u{fffd}'),
            None => out.push(character),
        }
    }
}

/// Text as the content of an element.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_text(&mut out, text);
    out
}

/// URL that a link may lead to: of the scheme http, https or mailto.
pub(crate) fn external_url(url: &str) -> Option<&str> {
    let is_clean = !url.chars().any(|c| c.is_whitespace() || c.is_control());
    let (scheme, rest) = url.split_once(':')?;
    let is_known = match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => rest
            .strip_prefix("//")
            .is_some_and(|rest| !rest.starts_with('/') && !rest.is_empty()),
        "mailto" => is_email(rest),
        _ => false,
    };
    (is_clean && is_known).then_some(url)
}

/// Whether a text looks like an e-mail address, so that it is shown as a link.
pub(crate) fn is_email(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "!#$%'*+-/=^_`{|}~.@".contains(c);
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    !local.is_empty()
        && domain.contains('.')
        && !domain.starts_with('.')
        && !domain.ends_with('.')
        && !domain.contains('@')
        && text.len() <= 254
        && text.chars().all(is_allowed)
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t') && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'' | b'`')
}

const fn entity(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&#39;",
        '`' => "&#96;",
        _ => return None,
    })
}

/// Whether a character is not visible itself and changes what the reader sees, or is dropped by the browser.
fn is_invisible(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    }
}

/// Appends a symbol or the number of an invisible character.
fn push_invisible(out: &mut String, character: char) {
    let code = u32::from(character);
    let symbol = match character {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + code),
        '\u{7f}' => Some('\u{2421}'),
        _ => None,
    };
    out.push_str("<span class=\"control\">");
    match symbol {
        Some(symbol) => out.push(symbol),
        None => out.push_str(&format!("U+{code:04X}")),
    }
    out.push_str("</span>");
}

/// Whether a character is written from right to left, or controls the direction of text.
const fn changes_direction(character: char) -> bool {
    matches!(character,
        '\u{590}'..='\u{8ff}'
        | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fb1d}'..='\u{fdff}'
        | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> String {
        let mut out = String::new();
        push_exact(&mut out, text);
        out
    }

    #[test]
    fn markup_is_shown_as_text() {
        assert_eq!(
            text("<b a=\"1\" b='2'>&"),
            "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;"
        );
        assert_eq!(exact("\"><script>"), "&quot;&gt;&lt;script&gt;");
        assert_eq!(text("a\nb\tc"), "a\nb\tc");
    }

    #[test]
    fn control_characters_are_visible() {
        assert_eq!(text("\0"), "<span class=\"control\">\u{2400}</span>");
        assert_eq!(text("a\u{7f}"), "a<span class=\"control\">\u{2421}</span>");
        assert_eq!(text("\u{85}"), "<span class=\"control\">U+0085</span>");
    }

    #[test]
    fn text_from_right_to_left_is_isolated() {
        assert_eq!(text("\u{5d0}b"), "<bdi>\u{5d0}b</bdi>");
        assert_eq!(
            text("\u{202e}<"),
            "<bdi><span class=\"control\">U+202E</span>&lt;</bdi>"
        );
        assert_eq!(
            text("\u{2069}"),
            "<bdi><span class=\"control\">U+2069</span></bdi>"
        );
        assert_eq!(text("\u{fc}ber"), "\u{fc}ber");
    }

    #[test]
    fn values_of_attributes_are_exact() {
        assert_eq!(exact("a\r\nb\u{7}\u{202e}"), "a&#13;\nb\u{7}\u{202e}");
        assert_eq!(exact("\0"), "\u{fffd}");
    }

    #[test]
    fn links_lead_only_to_known_schemes() {
        for url in [
            "http://a.example/b?c=d",
            "HTTPS://a.example",
            "mailto:ann@example.com",
        ] {
            assert_eq!(external_url(url), Some(url));
        }
        for url in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "http:/a",
            "http://",
            "https:///a",
            "http://a b",
            "mailto:x?body=y",
            "a",
            "//a.example",
        ] {
            assert_eq!(external_url(url), None, "{url}");
        }
    }

    #[test]
    fn only_plain_addresses_are_links() {
        assert!(is_email("ann@example.com"));
        for text in [
            "ann",
            "ann@",
            "@example.com",
            "a b@example.com",
            "a@b@c.d",
            "a@b",
            "a@b.c?x=\"",
            "a@.c",
        ] {
            assert!(!is_email(text), "{text}");
        }
    }
}
