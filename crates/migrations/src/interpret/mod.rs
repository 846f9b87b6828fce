//! Schema that the statements of PostgreSQL migrations lead to, without a server.

mod alter_table;
mod migrations;
mod statement;
