//! The text of a statement and its parameters, put together side by side.

use std::borrow::Cow;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::value::Value;
use rusqlite::types::ToSqlOutput;
use rusqlite::{CachedStatement, Connection, ParamsFromIter};

use super::cell;
use super::fault::fault;
use crate::error::Result;
use crate::fit::{fit, fit_sought};
use crate::names::{push_name, push_names};
use crate::select::Select;

/// A statement in the making. Names are quoted, values are bound: neither can become SQL.
pub(super) struct Statement<'v> {
    sql: Cow<'v, str>,
    parameters: Vec<ToSqlOutput<'v>>,
}

impl<'v> Statement<'v> {
    /// Begins with these words.
    pub(super) fn new(words: &str) -> Self {
        let mut sql = String::with_capacity(256);
        sql.push_str(words);
        Self {
            sql: Cow::Owned(sql),
            parameters: Vec::new(),
        }
    }

    /// A text that is there already, whose parameters are bound next.
    pub(super) fn ready(sql: &'v str) -> Self {
        Self {
            sql: Cow::Borrowed(sql),
            parameters: Vec::new(),
        }
    }

    pub(super) fn words(mut self, words: &str) -> Self {
        self.sql.to_mut().push_str(words);
        self
    }

    pub(super) fn name(mut self, name: &str) -> Self {
        push_name(self.sql.to_mut(), name);
        self
    }

    /// Names, with commas between them.
    pub(super) fn names(mut self, names: impl Iterator<Item = &'static str>) -> Self {
        push_names(self.sql.to_mut(), names);
        self
    }

    /// Whatever `item` writes for each of the items, with commas between them.
    pub(super) fn list<I>(
        mut self,
        items: impl IntoIterator<Item = I>,
        mut item: impl FnMut(Self, I) -> Result<Self>,
    ) -> Result<Self> {
        for (count, next) in items.into_iter().enumerate() {
            self = item(self.words(if count > 0 { ", " } else { "" }), next)?;
        }
        Ok(self)
    }

    /// A value to write. One that the column cannot hold is invalid.
    pub(super) fn value(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.words("?").bind(column, value)
    }

    /// The same where the text has its place already.
    pub(super) fn bind(mut self, column: &Column, value: &'v Value) -> Result<Self> {
        self.parameters.push(cell::store(fit(column, value)?));
        Ok(self)
    }

    /// A value to look for. One that the column cannot hold is found nowhere.
    pub(super) fn sought(self, column: &Column, value: &'v Value) -> Result<Self> {
        self.words("?").bind_sought(column, value)
    }

    /// The same where the text has its place already.
    pub(super) fn bind_sought(mut self, column: &Column, value: &'v Value) -> Result<Self> {
        self.parameters.push(cell::store(fit_sought(column, value)?));
        Ok(self)
    }

    /// The conditions of a select, after which more can be added.
    pub(super) fn filter(self, select: &'v Select) -> Result<Self> {
        let columns = select.table().columns;
        select
            .conditions()
            .iter()
            .try_fold(self.words(" WHERE TRUE"), |statement, (column, value)| {
                let column = &columns[*column];
                let statement = statement.words(" AND ").name(column.name);
                match value {
                    Value::Null => Ok(statement.words(" IS NULL")),
                    _ => statement.words(" = ").sought(column, value),
                }
            })
    }

    /// One more condition on the primary key, such as `=` or `>` this value.
    pub(super) fn and_key(self, table: &Table, operator: &str, key: &'v Value) -> Result<Self> {
        let column = table.key();
        self.words(" AND ")
            .name(column.name)
            .words(operator)
            .sought(column, key)
    }

    pub(super) fn prepare<'c>(&self, connection: &'c Connection) -> Result<CachedStatement<'c>> {
        connection.prepare_cached(&self.sql).map_err(fault)
    }

    /// The text alone.
    pub(super) fn into_sql(self) -> String {
        self.sql.into_owned()
    }

    pub(super) fn parameters(&self) -> ParamsFromIter<&[ToSqlOutput<'v>]> {
        rusqlite::params_from_iter(self.parameters.as_slice())
    }
}
