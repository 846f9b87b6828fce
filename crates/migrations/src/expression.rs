//! Expressions of checks and partial indexes, compared as text.

use crate::token::{SqlToken, text, tokens};

/// Returns an expression in one form: names of columns in quotation marks, other words in capital letters, and no
/// parentheses around the whole.
pub(crate) fn normalize(found: &[SqlToken], columns: &[String]) -> String {
    let mut found: Vec<_> = found
        .iter()
        .map(|token| normalize_token(token, columns))
        .collect();
    while is_enclosed(&found) {
        found.pop();
        found.remove(0);
    }
    text(&found)
}

fn normalize_token(token: &SqlToken, columns: &[String]) -> SqlToken {
    let SqlToken::Word(word) = token else {
        return token.clone();
    };
    match columns.iter().find(|column| column.eq_ignore_ascii_case(word)) {
        Some(column) => SqlToken::Name(column.clone()),
        None => SqlToken::Word(word.to_uppercase()),
    }
}

/// Whether the first token opens a parenthesis that the last one closes.
fn is_enclosed(tokens: &[SqlToken]) -> bool {
    let mut depth = 0;
    for (position, token) in tokens.iter().enumerate() {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth -= 1;
        }
        if depth == 0 {
            return position > 0 && position + 1 == tokens.len();
        }
    }
    false
}

/// Returns an expression with another name for a column.
pub(crate) fn rename_column(expression: &str, from: &str, to: &str) -> String {
    let renamed = tokens(expression).into_iter().map(|token| match token {
        SqlToken::Name(name) if name == from => SqlToken::Name(to.to_owned()),
        token => token,
    });
    text(&renamed.collect::<Vec<_>>())
}

/// Returns a statement with another name for a table or a column, in quotation marks or without.
pub(crate) fn rename_in_statement(statement: &str, from: &str, to: &str) -> String {
    let renamed = tokens(statement).into_iter().map(|token| match token {
        SqlToken::Name(name) if name == from => SqlToken::Name(to.to_owned()),
        SqlToken::Word(word) if word.eq_ignore_ascii_case(from) => SqlToken::Name(to.to_owned()),
        token => token,
    });
    text(&renamed.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_one_meaning_have_one_text() {
        let columns = ["Price".to_owned(), "size".to_owned()];
        let normal = "(\"Price\" > 0) AND (\"size\" IS NULL)";
        for sql in [
            normal,
            "((price>0) and (size is null))",
            "( (\"Price\" > 0) AND (\"size\" IS NULL) )",
        ] {
            assert_eq!(normalize(&tokens(sql), &columns), normal);
        }
    }

    #[test]
    fn a_renamed_column_is_no_part_of_a_text() {
        let renamed = rename_column("\"a\" <> 'a' AND \"ab\" > \"a\"", "a", "b");
        assert_eq!(renamed, "\"b\" <> 'a' AND \"ab\" > \"b\"");
    }
}
