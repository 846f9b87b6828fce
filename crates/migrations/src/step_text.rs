//! Steps as text for people.

use std::fmt;

use crate::step::{MigrationStep, TableChange};

impl fmt::Display for MigrationStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreateTable(table) => write!(f, "create table `{}`", table.name),
            Self::DropTable(table) => write!(f, "remove table `{}`", table.name),
            Self::RenameTable { from, to } => write!(f, "rename table `{from}` to `{to}`"),
            Self::AlterTable { table, change } => write!(f, "table `{table}`: {change}"),
            Self::RenameColumn { table, from, to } => {
                write!(f, "table `{table}`: rename column `{from}` to `{to}`")
            }
            Self::CreateIndex { table, index } => write!(f, "table `{table}`: create index `{}`", index.name),
            Self::DropIndex { table, index } => write!(f, "table `{table}`: remove index `{}`", index.name),
            Self::CreateEnum { name, .. } => write!(f, "create type `{name}`"),
            Self::DropEnum { name, .. } => write!(f, "remove type `{name}`"),
            Self::ChangeEnum { name, .. } => write!(f, "change the labels of type `{name}`"),
        }
    }
}

impl fmt::Display for TableChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddColumn(column) => write!(f, "add column `{}`", column.name),
            Self::DropColumn(column) => write!(f, "remove column `{}`", column.name),
            Self::ChangeColumn { from, to, .. } if !from.is_stored_as(to) => {
                let (name, old, new) = (&to.name, &from.data_type, &to.data_type);
                write!(f, "change column `{name}` from {old} to {new}")
            }
            Self::ChangeColumn { to, .. } if to.is_nullable => {
                write!(f, "allow null in column `{}`", to.name)
            }
            Self::ChangeColumn { to, .. } => write!(f, "forbid null in column `{}`", to.name),
            Self::ChangePrimaryKey { to, .. } => {
                write!(f, "change the primary key to `{}`", to.columns.join("`, `"))
            }
            Self::AddUnique(columns) => write!(f, "make `{}` unique", columns.join("`, `")),
            Self::DropUnique(columns) => write!(f, "make `{}` not unique", columns.join("`, `")),
            Self::AddCheck { name, .. } => write!(f, "add check `{name}`"),
            Self::DropCheck { name, .. } => write!(f, "remove check `{name}`"),
            Self::AddForeignKey(key) => {
                write!(
                    f,
                    "add foreign key `{}` to `{}`",
                    key.columns.join("`, `"),
                    key.table
                )
            }
            Self::DropForeignKey(key) => {
                write!(
                    f,
                    "remove foreign key `{}` to `{}`",
                    key.columns.join("`, `"),
                    key.table
                )
            }
        }
    }
}
