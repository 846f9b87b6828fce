//! A lexer of Rust source that skips comments, literals and test code.

/// A word, `::`, or a single punctuation mark, with its line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub(crate) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c == '_' || c.is_alphabetic())
    }
}

/// The relevant content of a file: its tokens, and the modules that exist for tests only.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) tokens: Vec<Token>,
    pub(crate) test_modules: Vec<String>,
}

impl Source {
    pub(crate) fn read(text: &str) -> Self {
        let tokens = tokens(text);
        let mut source = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            if begins_test_code(&tokens[at..]) {
                let item = after_attributes(&tokens, at);
                if let [first, name, end, ..] = &tokens[item..]
                    && first.is("mod")
                    && end.is(";")
                {
                    source.test_modules.push(name.text.clone());
                }
                at = after_item(&tokens, item);
            } else {
                source.tokens.push(tokens[at].clone());
                at += 1;
            }
        }
        source
    }
}

fn begins_test_code(tokens: &[Token]) -> bool {
    let sign = ["#", "[", "cfg", "(", "test", ")", "]"];
    tokens.len() >= sign.len() && tokens.iter().zip(sign).all(|(token, text)| token.is(text))
}

fn after_attributes(tokens: &[Token], mut at: usize) -> usize {
    while at + 1 < tokens.len() && tokens[at].is("#") && tokens[at + 1].is("[") {
        at = after_brackets(tokens, at + 1);
    }
    at
}

/// Returns the position after an item: after its semicolon, or its closing brace.
pub(crate) fn after_item(tokens: &[Token], mut at: usize) -> usize {
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            ";" => return at + 1,
            "{" => return after_brackets(tokens, at),
            "(" | "[" => at = after_brackets(tokens, at),
            _ => at += 1,
        }
    }
    at
}

fn after_brackets(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = blank_length(rest).or_else(|| literal_length(rest));
        let (length, token) = match length {
            Some(length) => (length, None),
            None if first == '_' || first.is_alphanumeric() => {
                let length = word_length(rest);
                (length, Some(&rest[..length]))
            }
            None if rest.starts_with("::") => (2, Some("::")),
            None => (first.len_utf8(), Some(&rest[..first.len_utf8()])),
        };
        if let Some(text) = token {
            tokens.push(Token {
                text: text.to_owned(),
                line,
            });
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| c != '_' && !c.is_alphanumeric())
        .unwrap_or(text.len())
}

/// Returns the length of leading white space or of a leading comment.
fn blank_length(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        let (mut depth, mut at) = (0_usize, 0);
        while at < text.len() {
            let rest = &text.as_bytes()[at..];
            if rest.starts_with(b"/*") {
                depth += 1;
                at += 2;
            } else if rest.starts_with(b"*/") {
                depth -= 1;
                at += 2;
            } else {
                at += 1;
            }
            if depth == 0 {
                break;
            }
        }
        return Some(at);
    }
    text.starts_with(char::is_whitespace)
        .then(|| text.find(|c: char| !c.is_whitespace()).unwrap_or(text.len()))
}

/// Returns the length of a leading string, character or lifetime.
fn literal_length(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r", "b", "c", ""].into_iter().find(|prefix| {
        let rest = text.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.trim_start_matches('#').starts_with('"') || rest.starts_with('\''))
    })?;
    let rest = &text[prefix.len()..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    if prefix.ends_with('r') && !rest.starts_with('\'') {
        let end = format!("\"{}", "#".repeat(hashes));
        let body = prefix.len() + hashes + 1;
        return Some(
            text[body..]
                .find(&end)
                .map_or(text.len(), |at| body + at + end.len()),
        );
    }
    if hashes > 0 {
        return None;
    }
    if rest.starts_with('"') {
        return Some(prefix.len() + quoted_length(rest, '"'));
    }
    let mut after = rest.chars().skip(1);
    match (after.next(), after.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => Some(prefix.len() + quoted_length(rest, '\'')),
        _ => Some(prefix.len() + 1 + word_length(&rest[1..])),
    }
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        Source::read(text)
            .tokens
            .into_iter()
            .map(|token| token.text)
            .collect()
    }

    #[test]
    fn comments_and_strings_are_skipped() {
        assert_eq!(words("a // crate::b\n/* c /* d */ e */ f"), ["a", "f"]);
        assert_eq!(
            words(r##"a "crate::b \" c" r#"d " e"# b"f" 'g' '\'' h"##),
            ["a", "h"]
        );
    }

    #[test]
    fn lifetimes_are_not_characters() {
        assert_eq!(words("&'a str, 'b"), ["&", "str", ","]);
        assert_eq!(
            words("'a: loop { crate::x }"),
            [":", "loop", "{", "crate", "::", "x", "}"]
        );
    }

    #[test]
    fn test_code_is_skipped() {
        assert_eq!(
            words("a #[cfg(test)] #[path = \"x\"] mod tests { use crate::b; fn c() {} } d"),
            ["a", "d"]
        );
        let source = Source::read("#[cfg(test)]\nmod samples;\nmod kept;");
        assert_eq!(source.test_modules, ["samples"]);
        assert_eq!(
            source.tokens[0],
            Token {
                text: "mod".into(),
                line: 3
            }
        );
    }
}
