//! Confirmation of a deletion, with the rows that reference the object.

use futures_util::future::join_all;
use model_resource_schema::column::OnDelete;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::content::Fetch;
use crate::pages::form::WrittenObject;
use crate::pages::frame::Frame;
use crate::pages::naming;
use crate::pages::object::children::child_sources;
use crate::pages::object::page::object_label;
use crate::pages::page_json::PageJson;
use crate::pages::required_headers::requires_key;
use crate::pages::row_permission::RowPermission;
use crate::pages::settings::CompiledPages;
use crate::pages::site::{Site, count_query};

/// Page that confirms a deletion.
#[derive(Serialize)]
pub(crate) struct DeletePage {
    frame: Frame,
    label: String,
    url: String,
    /// Whether it is sent with an `Idempotency-Key`.
    is_keyed: bool,
    /// Version of the object that the page shows; empty if it has none.
    version: String,
    /// Page to open afterwards.
    next_url: String,
    related: Vec<RelatedCount>,
    object: WrittenObject,
    /// Whether the object cannot be restored.
    is_final: bool,
}

/// Number of rows that belong to the object.
#[derive(Serialize)]
struct RelatedCount {
    title: String,
    url: String,
    count: String,
    /// Number of rows; `None` if they could not be counted in time.
    rows: Option<u64>,
    /// Consequence of the deletion for the rows.
    consequence: &'static str,
    /// Consequence of the deletion of several objects.
    consequences: &'static str,
}

/// Makes the confirmation. `None` if the caller cannot delete the object.
pub(crate) async fn delete_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    item: &ActionDescription,
    object: &PageJson<'_>,
    version: String,
    fetch: &dyn Fetch,
) -> Option<DeletePage> {
    let request = site.request;
    if RowPermission::to_delete(site, fetch).await != RowPermission::Granted {
        return None;
    }
    let label = object_label(site, item, object);
    let counts = child_sources(site, item, object).into_iter().map(async |source| {
        let query = count_query(source.list, &source.filter);
        let content = fetch.get(query.url(&source.path)).await;
        let count = match content.total() {
            Some(0) => return None,
            Some(total) => naming::counted(total, "row", "rows"),
            None if content.status.is_client_error() => return None,
            None => "rows that could not be counted in time".to_owned(),
        };
        let (consequence, consequences) = if item.soft_delete {
            ("kept", "kept")
        } else {
            consequence(source.on_delete())
        };
        Some(RelatedCount {
            url: source.filter.url(&site.href(&source.path)),
            count,
            rows: content.total(),
            consequence,
            consequences,
            title: source.title,
        })
    });
    let related = join_all(counts).await.into_iter().flatten().collect();
    let parent = request
        .path
        .trim_end_matches('/')
        .rsplit_once('/')
        .map(|(parent, _)| parent);
    Some(DeletePage {
        url: request.path.clone(),
        is_keyed: request.action_of("DELETE").is_some_and(requires_key),
        version,
        next_url: request
            .next
            .clone()
            .unwrap_or_else(|| parent.unwrap_or("/").to_owned()),
        related,
        is_final: !item.soft_delete,
        object: WrittenObject::of(site, item, object),
        frame: Frame::new(pages, site, format!("Delete {label}"))
            .of_object(&label)
            .of_form("Delete"),
        label,
    })
}

/// Consequence of the deletion of one object and of several ones.
fn consequence(on_delete: Option<OnDelete>) -> (&'static str, &'static str) {
    match on_delete {
        Some(OnDelete::Cascade) => ("deleted with it", "deleted with them"),
        Some(OnDelete::SetNull) => (
            "kept without a reference to it",
            "kept without a reference to them",
        ),
        Some(OnDelete::Restrict) => (
            "must be deleted or changed first",
            "must be deleted or changed first",
        ),
        None => ("may be affected", "may be affected"),
    }
}
