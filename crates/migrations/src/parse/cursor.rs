//! A position among tokens.

use model_resource_store::SqlDialect;

use crate::error::{MigrationError, MigrationResult};
use crate::table_name::qualified;
use crate::token::{SqlToken, text};

/// Reads tokens in order.
pub(crate) struct TokenCursor<'t> {
    tokens: &'t [SqlToken],
}

impl<'t> TokenCursor<'t> {
    pub(crate) fn new(tokens: &'t [SqlToken]) -> Self {
        Self { tokens }
    }

    pub(crate) fn peek(&self) -> Option<&'t SqlToken> {
        self.tokens.first()
    }

    pub(crate) fn next(&mut self) -> Option<&'t SqlToken> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    /// Tokens that are not read yet.
    pub(crate) fn rest(&self) -> &'t [SqlToken] {
        self.tokens
    }

    /// Whether these keywords are next.
    pub(crate) fn is_at(&self, keywords: &[&str]) -> bool {
        let mut keywords = keywords.iter().enumerate();
        keywords.all(|(position, keyword)| self.tokens.get(position).is_some_and(|own| own.is_word(keyword)))
    }

    /// Reads these keywords if they are next. Returns whether they were.
    pub(crate) fn take(&mut self, keywords: &[&str]) -> bool {
        let is_next = self.is_at(keywords);
        if is_next {
            self.tokens = &self.tokens[keywords.len()..];
        }
        is_next
    }

    /// Reads a name. That of a schema before it is ignored.
    pub(crate) fn name(&mut self) -> MigrationResult<String> {
        let Some(SqlToken::Word(name) | SqlToken::Name(name)) = self.next() else {
            return Err(self.unexpected("a name"));
        };
        if self.peek().is_some_and(|token| token.is_symbol(".")) {
            self.next();
            return self.name();
        }
        Ok(name.clone())
    }

    /// Reads the name of a table, which has that of a schema before it in PostgreSQL.
    pub(crate) fn table_name(&mut self, dialect: SqlDialect) -> MigrationResult<String> {
        let (schema, name) = self.schema_and_name(dialect)?;
        Ok(qualified(schema.as_deref(), &name))
    }

    /// Reads the name of a table or an index, and that of a schema before it in PostgreSQL.
    pub(crate) fn schema_and_name(
        &mut self,
        dialect: SqlDialect,
    ) -> MigrationResult<(Option<String>, String)> {
        let schema = match (self.tokens, dialect) {
            ([SqlToken::Word(schema) | SqlToken::Name(schema), dot, ..], SqlDialect::Postgres)
                if dot.is_symbol(".") =>
            {
                Some(schema.clone())
            }
            _ => None,
        };
        Ok((schema, self.name()?))
    }

    /// Reads a text in parentheses, without them.
    pub(crate) fn group(&mut self) -> MigrationResult<&'t [SqlToken]> {
        if !self.is_at_group() {
            return Err(self.unexpected("a parenthesis"));
        }
        let mut depth = 0;
        for (position, token) in self.tokens.iter().enumerate() {
            if token.is_symbol("(") {
                depth += 1;
            } else if token.is_symbol(")") {
                depth -= 1;
            }
            if depth == 0 {
                let group = &self.tokens[1..position];
                self.tokens = &self.tokens[position + 1..];
                return Ok(group);
            }
        }
        Err(self.unexpected("a closing parenthesis"))
    }

    pub(crate) fn is_at_group(&self) -> bool {
        self.peek().is_some_and(|token| token.is_symbol("("))
    }

    /// Reads the names in parentheses.
    pub(crate) fn names(&mut self) -> MigrationResult<Vec<String>> {
        let group = self.group()?;
        let names = split(group, ",").into_iter();
        names.map(|part| TokenCursor::new(part).name()).collect()
    }

    pub(crate) fn unexpected(&self, expected: &str) -> MigrationError {
        let found = text(&self.tokens[..self.tokens.len().min(8)]);
        MigrationError::new(format!(
            "expected {expected} in a statement of the schema before `{found}`"
        ))
    }
}

/// Splits tokens at a symbol outside of parentheses.
pub(crate) fn split<'t>(tokens: &'t [SqlToken], symbol: &str) -> Vec<&'t [SqlToken]> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (position, token) in tokens.iter().enumerate() {
        if token.is_symbol("(") {
            depth += 1;
        } else if token.is_symbol(")") {
            depth -= 1;
        } else if depth == 0 && token.is_symbol(symbol) {
            parts.push(&tokens[start..position]);
            start = position + 1;
        }
    }
    if start < tokens.len() {
        parts.push(&tokens[start..]);
    }
    parts
}
