//! Generation of SQL, shared by all databases.

pub(crate) mod aggregate;
mod condition;
pub(crate) mod ddl;
pub(crate) mod delete;
mod document;
#[cfg(feature = "postgres")]
pub(crate) mod document_members;
pub(crate) mod few_rows;
pub(crate) mod insert;
pub(crate) mod keyset;
mod like;
mod order;
pub(crate) mod postgres_syntax;
pub(crate) mod quote;
pub(crate) mod related;
mod row_condition;
pub(crate) mod select;
pub(crate) mod sqlite_syntax;
pub(crate) mod table_index;
pub(crate) mod table_sql;
pub(crate) mod table_syntax;
pub(crate) mod update;
mod writer;

pub(crate) use like::like;
#[cfg(feature = "postgres")]
pub(crate) use select::write_filter;
pub(crate) use select::write_list;
pub(crate) use writer::{JsonType, SqlWriter};
