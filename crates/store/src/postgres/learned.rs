//! Types of the parameters of statements that are not prepared by name.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use foldhash::HashMap;
use tokio_postgres::types::Type;

use super::statement::PostgresStatement;

/// Maximum statements that are kept.
const MAX_STATEMENTS: usize = 4096;

/// Parameter types of the statements that were described once, for all connections of a server.
#[derive(Default)]
pub(super) struct LearnedTypes(RwLock<HashMap<String, Arc<[Type]>>>);

impl LearnedTypes {
    /// Returns the types of a statement's parameters, if they are known and as many as its values.
    pub(super) fn get(&self, statement: &PostgresStatement<'_>) -> Option<Arc<[Type]>> {
        let types = self.read().get(statement.sql()).cloned()?;
        (types.len() == statement.parameters().len()).then_some(types)
    }

    /// Adds a statement. Returns the types of its parameters if it can run without a name: as many as its values, and
    /// no column of a type that only this database has, which the driver would look up by statements with names.
    pub(super) fn add(
        &self,
        statement: &PostgresStatement<'_>,
        described: &tokio_postgres::Statement,
    ) -> Option<Arc<[Type]>> {
        let is_built_in = |ty: &Type| Type::from_oid(ty.oid()).is_some();
        let (parameters, columns) = (described.params(), described.columns());
        let is_usual = parameters.len() == statement.parameters().len()
            && parameters.iter().all(is_built_in)
            && columns.iter().all(|column| is_built_in(column.type_()));
        if !is_usual {
            return None;
        }
        let types: Arc<[Type]> = parameters.into();
        let mut learned = self.write();
        if learned.len() >= MAX_STATEMENTS {
            learned.clear();
        }
        learned.insert(statement.sql().to_owned(), Arc::clone(&types));
        Some(types)
    }

    /// Removes a statement. Returns whether it was known.
    pub(super) fn forget(&self, sql: &str) -> bool {
        self.write().remove(sql).is_some()
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<String, Arc<[Type]>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<String, Arc<[Type]>>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
