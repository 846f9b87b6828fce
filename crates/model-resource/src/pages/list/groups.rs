//! Page of the groups of a list.

use minijinja::Value as Html;
use model_resource_schema::serializer::ObjectSchema;
use serde::Serialize;

use crate::description::{ActionDescription, GroupValueDescription, ListDescription};
use crate::pages::content::{Fetch, PageContent};
use crate::pages::format::ValueKind;
use crate::pages::frame::Frame;
use crate::pages::labels::Labels;
use crate::pages::list::columns::ListColumn;
use crate::pages::list::order::{heading_url, sorted_by};
use crate::pages::list::page::references;
use crate::pages::list::rows::{ShownRows, explanation, exports, pager};
use crate::pages::list::table::{TableRows, push_table};
use crate::pages::naming;
use crate::pages::settings::CompiledPages;
use crate::pages::site::Site;
use crate::pages::urls::PageQuery;

/// Page of the groups of a list.
#[derive(Serialize)]
pub(crate) struct GroupsPage {
    frame: Frame,
    #[serde(flatten)]
    rows: ShownRows,
    /// Link to the rows.
    list_url: String,
}

/// Makes the page of a list's groups. `None` if the query does not ask for groups.
pub(crate) async fn groups_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    action: &ActionDescription,
    content: &PageContent<'_>,
    fetch: &dyn Fetch,
) -> Option<GroupsPage> {
    let list = action.list.as_ref()?;
    let query = PageQuery(site.request.query.clone());
    if !asks_for_groups(list, &query) {
        return None;
    }
    let rows = content.json.as_array()?;
    let path = site.request.path.as_str();
    let first = rows.first().and_then(|row| row.as_object()).unwrap_or_default();
    let value = |member: &str| list.groups.iter().find(|value| value.member == member);
    let columns: Vec<ListColumn> = first
        .iter()
        .filter_map(|(member, _)| value(member))
        .map(|value| column(value, action.response.as_deref(), &query, path))
        .collect();
    let labels = Labels::load(site, fetch, references(rows, &columns), &[]).await;
    let title = format!("{}: groups", site.list_title(action));
    let table = TableRows::unlinked(rows, &columns, &labels);
    Some(GroupsPage {
        rows: ShownRows {
            table: Html::from_safe_string(push_table(&table, &title)),
            is_empty: rows.is_empty(),
            pager: pager(pages, site, action, &query, content, rows.len()),
            exports: exports(action, &query, path, &[]),
            explanation: explanation(site, &query, fetch).await,
        },
        list_url: path.to_owned(),
        frame: Frame::new(pages, site, title),
    })
}

/// Whether the query asks for groups instead of rows.
fn asks_for_groups(list: &ListDescription, query: &PageQuery) -> bool {
    let is_aggregate = |name: &str| {
        let mut values = list.groups.iter();
        values.any(|value| !value.is_key && value.parameter == name)
    };
    let mut pairs = query.0.iter();
    !list.groups.is_empty()
        && pairs.any(|(name, value)| name == "group" || value.is_empty() && is_aggregate(name))
}

/// Column of a value of the groups.
fn column(
    value: &GroupValueDescription,
    schema: Option<&ObjectSchema>,
    query: &PageQuery,
    path: &str,
) -> ListColumn {
    let mut fields = schema.into_iter().flat_map(|schema| &schema.output);
    let field = fields.find(|field| value.is_key && field.name == value.member);
    let keys = sorted_by(query);
    let position = keys.iter().position(|key| key.name == value.member);
    ListColumn {
        name: value.member.clone(),
        label: naming::words(&value.member),
        kind: field.map_or(ValueKind::Column(value.data_type), ValueKind::of),
        is_shown: true,
        order: position.map_or("none", |position| keys[position].direction()),
        priority: position
            .filter(|_| keys.len() > 1)
            .map_or(0, |position| position + 1),
        sort_name: value.member.clone(),
        sort_url: heading_url(query, path, &value.member, &[]),
    }
}
