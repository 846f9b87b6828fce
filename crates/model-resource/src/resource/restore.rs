//! Composition of the restoration of deleted objects.

use std::sync::Arc;

use crate::access::DefaultAccess;
use crate::handle::restore_handler;
use crate::load::ObjectLoader;
use crate::pipeline::Chain;
use crate::resource::compose::{ComposeEnv, ResourceOperation, outer_decorators};
use crate::resource::spec::ResourceSpec;
use crate::routing::Operation;

/// Composes the restoration of deleted objects, if the resource has it. It is an update, with the decorators of `patch`
/// that read no body.
pub(crate) fn compose_restore(
    spec: &ResourceSpec,
    env: &ComposeEnv<'_>,
) -> Result<Option<ResourceOperation>, String> {
    if !spec.restores {
        return Ok(None);
    }
    let table = spec.table;
    if table.soft_delete.is_none() {
        return Err(format!(
            "RESTORE needs rows that are deleted softly: mark a field of {} with #[column(soft_delete)]",
            table.model
        ));
    }
    if table.is_view {
        return Err(format!(
            "RESTORE writes the deleted rows, and {} reads a view of the database: leave it out",
            table.model
        ));
    }
    if !matches!(env.access, DefaultAccess::ByPolicy { .. }) {
        return Err(format!(
            "RESTORE is for callers who see deleted objects, and nobody does: add a policy of {} with `shows_deleted`",
            table.model
        ));
    }
    let own = spec.decorators.of(Operation::Patch);
    let own = own
        .filter(|decorator| !decorator.loads(table).contains(Operation::Patch))
        .collect();
    let (mut decorators, access) = outer_decorators(spec, Operation::Patch, own, env);
    decorators.push(Arc::new(ObjectLoader { table }));
    Ok(Some(ResourceOperation {
        chain: Arc::new(Chain {
            name: "default restore".to_owned(),
            decorators,
            handler: restore_handler(table),
            is_automatic: true,
        }),
        access,
        has_own_format: false,
        list: None,
    }))
}
