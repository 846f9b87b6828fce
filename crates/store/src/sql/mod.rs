//! Generation of SQL for conditions and lists, shared by all databases.

mod alias;
mod condition;
mod like;
mod list;
mod order;
mod writer;

pub(crate) use condition::{write_condition, write_related};
pub(crate) use like::like;
pub(crate) use list::write_list;
pub(crate) use writer::{JsonType, SqlWriter};
