//! Tokens of SQL, for the statements that a database keeps as text.

/// A token of SQL. White space is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SqlToken {
    /// A keyword, a name without quotation marks or a number.
    Word(String),
    /// A name in quotation marks, without them.
    Name(String),
    /// A literal with its quotation marks, such as `'a'` or `X'00'`.
    Literal(String),
    /// An operator or punctuation.
    Symbol(String),
    /// The text of a comment that follows the type INTEGER. Other comments are left out.
    Comment(String),
}

impl SqlToken {
    /// Whether the token is this keyword, in capital letters.
    pub(crate) fn is_word(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Whether the token is this symbol.
    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self, Self::Symbol(own) if own == symbol)
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Word(word) if word.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Whether a minus after this token is an operator rather than a sign.
    fn is_operand(&self) -> bool {
        match self {
            Self::Name(_) | Self::Literal(_) => true,
            Self::Comment(_) => false,
            Self::Symbol(symbol) => symbol == ")",
            Self::Word(_) => self.is_number(),
        }
    }
}

/// Operators of more than one character.
const OPERATORS: [&str; 9] = ["<=", ">=", "<>", "!=", "==", "||", "::", "<<", ">>"];

/// Splits SQL into tokens. An unfinished literal or comment ends with the text.
pub(crate) fn tokens(sql: &str) -> Vec<SqlToken> {
    let mut found = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => {
                let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
                if found
                    .last()
                    .is_some_and(|last: &SqlToken| last.is_word("INTEGER"))
                {
                    found.push(comment(&rest[..length]));
                }
                length
            }
            '\'' => push(&mut found, rest, quoted(rest, '\''), |text| {
                SqlToken::Literal(text.to_owned())
            }),
            'x' | 'X' if rest[1..].starts_with('\'') => {
                let length = 1 + quoted(&rest[1..], '\'');
                push(&mut found, rest, length, |text| {
                    SqlToken::Literal(text.to_owned())
                })
            }
            '$' if dollar_quoted(rest).is_some() => {
                let length = dollar_quoted(rest).unwrap_or(1);
                push(&mut found, rest, length, |text| {
                    SqlToken::Literal(text.to_owned())
                })
            }
            '"' | '`' => push(&mut found, rest, quoted(rest, first), |text| name(text, first)),
            '[' => {
                let length = rest.find(']').map_or(rest.len(), |end| end + 1);
                push(&mut found, rest, length, |text| name(text, ']'))
            }
            _ if first.is_ascii_digit() => push(&mut found, rest, number(rest), |text| {
                SqlToken::Word(text.to_owned())
            }),
            _ if is_part_of_word(first) => {
                let length = rest.find(|c| !is_part_of_word(c)).unwrap_or(rest.len());
                push(&mut found, rest, length, |text| SqlToken::Word(text.to_owned()))
            }
            _ => {
                let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
                let length = operator.map_or(first.len_utf8(), |operator| operator.len());
                push(&mut found, rest, length, |text| SqlToken::Symbol(text.to_owned()))
            }
        };
        rest = rest[length..].trim_start();
    }
    found
}

fn push(found: &mut Vec<SqlToken>, rest: &str, length: usize, token: impl Fn(&str) -> SqlToken) -> usize {
    found.push(token(&rest[..length]));
    length
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Text of a comment without its marks.
fn comment(text: &str) -> SqlToken {
    let inner = text.strip_prefix("/*").unwrap_or(text);
    SqlToken::Comment(inner.strip_suffix("*/").unwrap_or(inner).trim().to_owned())
}

/// Length of a text in quotation marks, with them. Doubled marks are part of it.
fn quoted(text: &str, mark: char) -> usize {
    let mut end = 1;
    while let Some(next) = text[end..].find(mark) {
        end += next + 1;
        if !text[end..].starts_with(mark) {
            return end;
        }
        end += 1;
    }
    text.len()
}

/// Length of a text between two tags such as `$$` or `$body$`, with them; `None` if it begins with no tag.
fn dollar_quoted(text: &str) -> Option<usize> {
    let end = text[1..].find('$')? + 2;
    let tag = &text[..end];
    let is_tag = tag[1..end - 1].chars().all(|c| c.is_alphabetic() || c == '_');
    let after = text[end..]
        .find(tag)
        .map_or(text.len(), |position| end + position + tag.len());
    is_tag.then_some(after)
}

/// Length of a number, such as `1`, `1.5` or `1e-7`.
fn number(text: &str) -> usize {
    let mut last = '0';
    for (position, c) in text.char_indices() {
        let is_sign = (c == '-' || c == '+') && matches!(last, 'e' | 'E');
        if !(is_sign || c == '.' || is_part_of_word(c)) {
            return position;
        }
        last = c;
    }
    text.len()
}

/// A name without its quotation marks, the last of which is given.
fn name(text: &str, mark: char) -> SqlToken {
    let inner = text[1..].strip_suffix(mark).unwrap_or(&text[1..]);
    let doubled: String = [mark, mark].iter().collect();
    SqlToken::Name(inner.replace(&doubled, &mark.to_string()))
}

/// Returns the SQL of tokens with one form of white space and quotation marks.
pub(crate) fn text(tokens: &[SqlToken]) -> String {
    let mut sql = String::new();
    for (position, token) in tokens.iter().enumerate() {
        let before = position.checked_sub(1).map(|before| &tokens[before]);
        if before.is_some_and(|before| has_space(tokens, position, before)) {
            sql.push(' ');
        }
        match token {
            SqlToken::Word(text) | SqlToken::Literal(text) | SqlToken::Symbol(text) => sql.push_str(text),
            SqlToken::Name(name) => push_name(&mut sql, name),
            SqlToken::Comment(text) => sql.push_str(&format!("/* {text} */")),
        }
    }
    sql
}

/// Whether a space separates the token at this position from the one before.
fn has_space(tokens: &[SqlToken], position: usize, before: &SqlToken) -> bool {
    let token = &tokens[position];
    let is_tight = |token: &SqlToken| token.is_symbol("::") || token.is_symbol(".");
    let is_sign = before.is_symbol("-")
        && token.is_number()
        && !tokens[..position - 1].last().is_some_and(SqlToken::is_operand);
    let is_inside = before.is_symbol("(") || token.is_symbol(")") || token.is_symbol(",");
    !(is_inside || is_sign || is_tight(before) || is_tight(token))
}

/// Appends a name in quotation marks.
pub(crate) fn push_name(sql: &mut String, name: &str) {
    sql.push('"');
    sql.push_str(&name.replace('"', "\"\""));
    sql.push('"');
}

/// Returns a name in quotation marks.
pub(crate) fn quoted_name(name: &str) -> String {
    let mut sql = String::new();
    push_name(&mut sql, name);
    sql
}

/// Returns names in quotation marks, separated by commas.
pub(crate) fn quoted_names<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    let quoted: Vec<_> = names.into_iter().map(|name| quoted_name(name)).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_one_form_whatever_the_white_space_and_the_marks() {
        let sql = "`a`>=-1.5e-7 AND/* or */ [b c] IN ('it''s',X'00') -- end\n AND d::text <> \"x\"\"y\"";
        let expected = "\"a\" >= -1.5e-7 AND \"b c\" IN ('it''s', X'00') AND d::text <> \"x\"\"y\"";
        assert_eq!(text(&tokens(sql)), expected);
        assert_eq!(text(&tokens(expected)), expected);
    }

    #[test]
    fn a_difference_is_no_sign() {
        assert_eq!(text(&tokens("\"a\"-1 > (- 1)")), "\"a\" - 1 > (-1)");
    }

    #[test]
    fn an_unfinished_text_ends_with_the_statement() {
        for sql in ["'a", "$$a", "$1", "\"a", "/* a", "-- a", "[a", "x'"] {
            text(&tokens(sql));
        }
    }
}
