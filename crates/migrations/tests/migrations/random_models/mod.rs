//! Random pairs of models: the migration from one to the other, and its way back, with rows on both databases.
//!
//! `RandomModels` describes the models of a schema, and `Pair` two of them that a migration can connect: it takes back
//! what no migration can do, such as a unique column whose rows all get one value. `Models` makes the tables that the
//! store knows. `Kind` says which values a column has before and after a change of its type.

mod check;
mod conditions;
mod kind;
mod models;
mod pair;
mod tables;
