//! Upserts of a resource: which of its operations run one after the other.

use std::sync::Arc;

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::query::AnyColumns;

use crate::pipeline::{Chain, Decorator, UrlParameter};
use crate::resource::spec::ResourceSpec;
use crate::routing::Operation;
use crate::upsert::{FindDuplicate, MergeDuplicates, PutCreates};

/// Chains of the operations that are upserts, with their decorators. Fails with the remedy if the declarations do not fit.
pub(super) fn upserts(
    spec: &ResourceSpec,
    chain: impl Fn(Operation) -> Option<Arc<Chain>>,
) -> Result<Vec<(Operation, Chain)>, String> {
    let mut upserts = Vec::new();
    if spec.put_creates {
        let operations = [Operation::Put, Operation::Create];
        let [put, create] = automatic(spec, &chain, "PUT_CREATES", operations)?;
        upserts.push((Operation::Put, put_creates(&put, &create)?));
    }
    if !spec.merged.is_empty() {
        let operations = [Operation::Create, Operation::Patch];
        let [create, patch] = automatic(spec, &chain, "MERGE_DUPLICATES", operations)?;
        check_unique(spec.table, spec.merged)?;
        upserts.push((Operation::Create, merge_duplicates(spec, &create, &patch)));
    }
    Ok(upserts)
}

fn put_creates(put: &Chain, create: &Arc<Chain>) -> Result<Chain, String> {
    let is_by_last = |guard: &&Arc<dyn Decorator>| guard.caller_parameter() == Some(UrlParameter::Last);
    if let Some(guard) = create.decorators.iter().find(is_by_last) {
        return Err(format!(
            "PUT_CREATES runs `create` at the URL of the object, and {} of `create` compares the caller with the last parameter, which is \
             another one there: name the parameter by `.by(\"..\")`",
            guard.name()
        ));
    }
    let mut decorators: Vec<Arc<dyn Decorator>> = vec![Arc::new(PutCreates {
        create: Arc::clone(create),
    })];
    decorators.extend(put.decorators.iter().cloned());
    Ok(with_decorators(put, decorators))
}

fn merge_duplicates(spec: &ResourceSpec, create: &Chain, patch: &Arc<Chain>) -> Chain {
    let (table, columns) = (spec.table, spec.merged);
    let mut decorators: Vec<Arc<dyn Decorator>> = vec![Arc::new(MergeDuplicates {
        table,
        patch: Arc::clone(patch),
    })];
    decorators.extend(create.decorators.iter().cloned());
    decorators.push(Arc::new(FindDuplicate { table, columns }));
    with_decorators(create, decorators)
}

/// Chains of the automatic operations that an upsert consists of.
fn automatic(
    spec: &ResourceSpec,
    chain: impl Fn(Operation) -> Option<Arc<Chain>>,
    name: &str,
    operations: [Operation; 2],
) -> Result<[Arc<Chain>; 2], String> {
    if spec.requires_if_match {
        return Err(format!(
            "{name} writes objects whose version the client does not know, and REQUIRE_IF_MATCH needs it: leave out one of them"
        ));
    }
    let [one, other] = operations.map(|operation| {
        let is_loaded = spec.loaded.contains(operation);
        chain(operation).filter(|chain| chain.is_automatic && is_loaded)
    });
    let [first, second] = operations;
    one.zip(other).map(|(one, other)| [one, other]).ok_or_else(|| {
        format!("{name} needs the automatic `{first}` and `{second}` with their loaders: support both, and define neither in the resource")
    })
}

/// Rejects columns that the database does not keep unique together, and those that clients do not set.
fn check_unique(table: &'static Table, columns: AnyColumns) -> Result<(), String> {
    let own: Vec<usize> = (0..table.columns.len())
        .filter(|column| columns.contains(*column))
        .collect();
    let names: Vec<&str> = own.iter().map(|column| table.columns[*column].name).collect();
    let names = names.join(", ");
    if let Some(column) = own.iter().find(|column| !is_assigned(&table.columns[**column])) {
        return Err(format!(
            "MERGE_DUPLICATES names `{}`, which clients do not set: name columns that they do",
            table.columns[*column].name
        ));
    }
    let is_single =
        matches!(own[..], [column] if table.columns[column].unique || column == table.primary_key);
    let is_same =
        |unique: &[usize]| unique.len() == own.len() && unique.iter().all(|column| own.contains(column));
    let mut uniques = table.uniques.iter();
    if is_single || uniques.any(|unique| unique.condition.is_none() && is_same(unique.columns)) {
        return Ok(());
    }
    Err(format!(
        "MERGE_DUPLICATES names `{names}`, which are not unique together for all rows: declare #[model(unique({names}))] on {}, or name \
         the columns of a constraint that it has",
        table.model
    ))
}

/// Whether clients assign the values of a column.
pub(crate) fn is_assigned(column: &Column) -> bool {
    match column.role {
        ColumnRole::Data | ColumnRole::PrimaryKey(KeyGeneration::Client) => true,
        ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement | KeyGeneration::UuidV7) => false,
        ColumnRole::Created | ColumnRole::Updated | ColumnRole::Version | ColumnRole::Deleted => false,
        ColumnRole::Slug(_) | ColumnRole::StableSlug(_) => false,
    }
}

fn with_decorators(chain: &Chain, decorators: Vec<Arc<dyn Decorator>>) -> Chain {
    Chain {
        name: chain.name.clone(),
        decorators,
        handler: Arc::clone(&chain.handler),
        is_automatic: chain.is_automatic,
    }
}
