//! Objects of a description.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use model_resource_schema::serializer::{CompiledSerializer, InputRules, ObjectSchema, Visibility};

use crate::description::caller_key::DescriptionKey;
use crate::description::list::ListDescription;
use crate::query::ListOptions;

/// Objects of one description, each described once.
pub(super) struct ObjectCache {
    visibility: Option<Arc<dyn Visibility>>,
    known: HashMap<(usize, InputRules), Arc<ObjectSchema>>,
}

impl ObjectCache {
    pub(super) fn new(key: Option<&DescriptionKey>) -> Self {
        Self {
            visibility: key.map(|key| Arc::new(key.clone()) as Arc<dyn Visibility>),
            known: HashMap::new(),
        }
    }

    pub(super) fn get(
        &mut self,
        serializer: &Arc<CompiledSerializer>,
        inputs: InputRules,
    ) -> Arc<ObjectSchema> {
        let id = Arc::as_ptr(serializer).addr();
        let describe = || Arc::new(serializer.describe(self.visibility.as_ref(), &inputs));
        let known = self.known.entry((id, inputs)).or_insert_with(describe);
        Arc::clone(known)
    }

    pub(super) fn list(&self, options: &ListOptions, serializer: &CompiledSerializer) -> ListDescription {
        let projection = serializer.projection();
        match &self.visibility {
            Some(visibility) => ListDescription::of(options, &projection.restricted_to(visibility)),
            None => ListDescription::of(options, projection),
        }
    }
}
