//! Groups of filters: `or=(title=Rust,rating[gte]=4)`, `not=(published=true)`, also nested: `or=(a=1,and(b=2,c=3))`.

use model_resource_schema::naming::Quoted;
use model_resource_schema::query::AnyWhere;

use crate::pipeline::Result;
use crate::query::filter::Filters;
use crate::query::parameters::invalid_parameter;

/// Maximum nesting of groups.
const MAX_DEPTH: usize = 5;

/// Logical operator of a group.
#[derive(Clone, Copy)]
pub(super) enum Group {
    And,
    Or,
    Not,
}

impl Group {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "and" => Some(Self::And),
            "or" => Some(Self::Or),
            "not" => Some(Self::Not),
            _ => None,
        }
    }

    /// Parses the conditions between parentheses.
    pub(super) fn read(self, name: &str, text: &str, filters: &mut Filters<'_>) -> Result<AnyWhere> {
        let mut reader = GroupParser { name, text, filters };
        let condition = reader.group(self, 1)?;
        match reader.text {
            "" => Ok(condition),
            rest => Err(reader.syntax_error(&format!(
                "Nothing may follow the last parenthesis, and {} does.",
                Quoted(rest)
            ))),
        }
    }

    fn of(self, conditions: Vec<AnyWhere>) -> AnyWhere {
        match self {
            Self::And => AnyWhere::And(conditions),
            Self::Or => AnyWhere::Or(conditions),
            Self::Not => AnyWhere::Not(Box::new(AnyWhere::And(conditions))),
        }
    }
}

struct GroupParser<'t, 'f, 's> {
    name: &'t str,
    text: &'t str,
    filters: &'f mut Filters<'s>,
}

impl GroupParser<'_, '_, '_> {
    /// Parses comma-separated conditions between parentheses.
    fn group(&mut self, group: Group, depth: usize) -> Result<AnyWhere> {
        if depth > MAX_DEPTH {
            return Err(self.syntax_error(&format!("Groups are nested more than {MAX_DEPTH} deep.")));
        }
        if !self.skip('(') {
            return Err(
                self.syntax_error("Write it between parentheses, such as (title=Rust,rating[gte]=4).")
            );
        }
        let mut conditions = Vec::new();
        loop {
            conditions.push(self.condition(depth)?);
            if self.skip(')') {
                return Ok(group.of(conditions));
            }
            if !self.skip(',') {
                return Err(self.syntax_error("A parenthesis is not closed."));
            }
        }
    }

    fn condition(&mut self, depth: usize) -> Result<AnyWhere> {
        let end = self.text.find(['=', '(', ')', ',']).unwrap_or(self.text.len());
        let (name, rest) = self.text.split_at(end);
        if let (Some(group), true) = (Group::named(name), rest.starts_with('(')) {
            self.text = rest;
            return self.group(group, depth + 1);
        }
        self.text = rest;
        if !self.skip('=') {
            let name = Quoted(name);
            return Err(self.syntax_error(&format!("Write {name} with a value, such as title=Rust.")));
        }
        let value = self.value()?;
        self.filters.read(name, &[value])
    }

    /// Parses a value up to the next comma or parenthesis. A backslash escapes these, and so do quotation marks around
    /// the value. Between quotation marks only a quotation mark and a backslash need a backslash.
    fn value(&mut self) -> Result<String> {
        let mut value = String::new();
        let is_quoted = self.skip('"');
        let is_special = |character: char| {
            if is_quoted {
                matches!(character, '"' | '\\')
            } else {
                matches!(character, ',' | '(' | ')' | '\\')
            }
        };
        let mut characters = self.text.char_indices();
        while let Some((position, character)) = characters.next() {
            match character {
                '"' if is_quoted => {
                    self.text = &self.text[position + 1..];
                    return Ok(value);
                }
                '\\' => match characters.next() {
                    Some((_, escaped)) if is_special(escaped) => value.push(escaped),
                    Some((_, other)) => value.extend(['\\', other]),
                    None => value.push('\\'),
                },
                ',' | ')' if !is_quoted => {
                    self.text = &self.text[position..];
                    return Ok(value);
                }
                other => value.push(other),
            }
        }
        self.text = "";
        if is_quoted {
            Err(self.syntax_error("A quotation mark is not closed."))
        } else {
            Ok(value)
        }
    }

    fn skip(&mut self, expected: char) -> bool {
        match self.text.strip_prefix(expected) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn syntax_error(&self, message: &str) -> crate::pipeline::Error {
        invalid_parameter(self.name, message)
    }
}
