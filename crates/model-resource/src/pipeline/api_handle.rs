//! Store and states of an application, for code outside of a request.

use std::any::{Any, TypeId};
use std::sync::Arc;

use model_resource_store::Store;

/// Handle to a running api for code that belongs to no request: its store and its states. Subscribers of
/// [`Api::after_change`](crate::Api::after_change) get one.
#[derive(Clone)]
pub struct ApiHandle {
    store: Option<Store>,
    states: Arc<States>,
}

impl ApiHandle {
    pub(crate) fn new(store: Option<Store>, states: States) -> Self {
        let states = Arc::new(states);
        Self { store, states }
    }

    /// Store of the application. It applies no policy, and its writes call no subscriber.
    ///
    /// # Panics
    /// If the api has no store, which only an api without resources may lack.
    pub fn store_unchecked(&self) -> &Store {
        let store = self.store.as_ref();
        store.expect("this api has no store: add `.store(..)`")
    }

    /// Application state of type `S`. `None` unless [`Api::with_state`](crate::Api::with_state) set it.
    pub fn state<S: Any>(&self) -> Option<&S> {
        self.states.get()
    }

    pub(crate) fn states(&self) -> &Arc<States> {
        &self.states
    }
}

impl std::fmt::Debug for ApiHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiHandle").finish_non_exhaustive()
    }
}

/// States of an application, one per type.
pub(crate) struct States(Vec<Box<dyn Any + Send + Sync>>);

impl Default for States {
    /// Holds only `()`, for extractors without a state.
    fn default() -> Self {
        Self(vec![Box::new(())])
    }
}

impl States {
    /// Adds a state. Returns `false` if there is one of its type already.
    pub(crate) fn insert<S: Send + Sync + 'static>(&mut self, state: S) -> bool {
        let is_new = self.get::<S>().is_none();
        if is_new {
            self.0.push(Box::new(state));
        }
        is_new
    }

    pub(crate) fn get<S: 'static>(&self) -> Option<&S> {
        self.0.iter().find_map(|state| state.downcast_ref())
    }

    /// Whether there is a state of this type.
    pub(crate) fn has(&self, id: TypeId) -> bool {
        self.0.iter().any(|state| (**state).type_id() == id)
    }
}
