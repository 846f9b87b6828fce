//! Loads JSON into drafts, for the body loaders and for serializers in handlers.

use std::sync::Arc;

use model_resource_schema::draft::AnyDraft;
use model_resource_schema::errors::Errors;
use model_resource_schema::serializer::{CompiledSerializer, ReadOnlyMembers, WriteMode, WriteRules};
use model_resource_schema::value::Value;

use crate::handle::Handling;
use crate::load::caller_check::check_for_caller;
use crate::pipeline::{Context, Error, PatchedRow, Result, run_cpu_bound};

/// Columns that the URL and the saved row fix for a draft, with their values.
///
/// Ends the request if a new row cannot be created at this URL: because its parents do not exist for the caller, or
/// because they contradict the policy's presets.
pub(crate) async fn fixed_columns(cx: &Context, draft: &AnyDraft) -> Result<Vec<(usize, Value)>> {
    let table = draft.table();
    let access = cx.access(table);
    let mut fixed = access.url_columns()?;
    match draft.key() {
        Some(key) => {
            fixed.push((table.primary_key, key.clone()));
            fixed.extend(access.parent_columns(draft));
        }
        None => {
            fixed.extend(access.require_parents().await?);
            if !fixed.is_empty() {
                access.require_agreement(&fixed, &access.presets())?;
            }
        }
    }
    Ok(fixed)
}

/// Loads a JSON object into a draft. Clients cannot set the `reserved` column.
pub(crate) async fn read_limited(
    cx: &Context,
    serializer: &CompiledSerializer,
    mode: WriteMode,
    draft: &mut AnyDraft,
    fixed: &[(usize, Value)],
    text: &str,
    reserved: Option<usize>,
) -> Result<Errors> {
    let access = cx.access(serializer.table());
    let mut read_only = access.read_only();
    if let Some(column) = reserved {
        read_only = read_only.with(column);
    }
    let mut presets = access.presets();
    if mode != WriteMode::Create {
        // Presets are read-only once the row exists: a caller cannot pass a row on to another owner.
        for (column, _) in presets.drain(..) {
            read_only = read_only.with(column);
        }
    }
    let rules = WriteRules {
        from_url: fixed,
        presets: &presets,
        hidden: access.hidden(),
        read_only,
        // A related object has its key, which is read-only.
        read_only_members: match reserved {
            Some(_) => ReadOnlyMembers::Ignore,
            None => read_only_members(cx),
        },
    };
    let loaded = serializer.load(text, mode, draft, &rules);
    let mut errors = loaded.map_err(|malformed| Error::malformed(malformed.0))?;
    check_for_caller(serializer, cx.caller(), draft, mode, &mut errors);
    access.check_item_columns(draft, &mut errors);
    access.check_scope(draft, fixed, &mut errors).await?;
    Ok(errors)
}

/// Treatment of read-only members of a body: those that the operations of a patch change are rejected.
fn read_only_members(cx: &Context) -> ReadOnlyMembers {
    let has_operations = cx.extension() == Some(&PatchedRow::Operations);
    if has_operations || Handling::preferred(cx.headers()) == Some(Handling::Strict) {
        ReadOnlyMembers::Reject
    } else {
        ReadOnlyMembers::Ignore
    }
}

/// Converts and stores the extra fields of a valid draft that belong to columns, on the pool for CPU-bound work.
///
/// A conversion may be expensive, so a draft that the database would reject for a value that is taken is rejected
/// before.
pub(crate) async fn convert(
    cx: &Context,
    serializer: &Arc<CompiledSerializer>,
    mut draft: AnyDraft,
) -> Result<(AnyDraft, Errors)> {
    if !serializer.converts(&draft) {
        return Ok((draft, Errors::new()));
    }
    let taken = cx.store_unchecked().unique_conflicts(&draft).await?;
    if !taken.is_empty() {
        return Ok((draft, taken));
    }
    let serializer = Arc::clone(serializer);
    run_cpu_bound(move || {
        let errors = serializer.convert(&mut draft);
        (draft, errors)
    })
    .await
}
