//! Generation of SQL, shared by all databases.

mod alias;
mod condition;
pub(crate) mod ddl;
pub(crate) mod delete;
mod document;
mod filter;
pub(crate) mod insert;
pub(crate) mod keyset;
mod like;
mod list;
mod order;
pub(crate) mod quote;
pub(crate) mod select;
pub(crate) mod table_sql;
pub(crate) mod update;
mod writer;

#[cfg(feature = "postgres")]
pub(crate) use filter::write_filter;
pub(crate) use like::like;
pub(crate) use list::write_list;
pub(crate) use writer::{JsonType, SqlWriter};
