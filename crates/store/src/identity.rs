//! Identity of a store, for caches of what was read from it.

use std::sync::{Arc, Weak};

use crate::statistics::StatisticsCache;
use crate::store::Store;

/// Identity of a store and its clones. It keeps neither a connection nor a transaction open.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct StoreIdentity(Weak<StatisticsCache>);

impl StoreIdentity {
    /// Whether it is that of this store.
    pub fn is_of(&self, store: &Store) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(&store.statistics))
    }
}

impl Store {
    /// Returns the identity, which no store that is opened later gets.
    #[doc(hidden)]
    pub fn identity(&self) -> StoreIdentity {
        StoreIdentity(Arc::downgrade(&self.statistics))
    }
}
