//! Permission of the caller to change or delete the object of a page, as the policy of its model decides.

use futures_util::future::join4;
use http::Method;
use model_resource_schema::query::RowScope;

use crate::pages::content::Fetch;
use crate::pages::site::Site;

/// Permission to use a method on the object of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowPermission {
    /// The caller may use it on this object.
    Granted,
    /// The caller may use it on other objects only.
    Refused,
    /// The URL has no such method for the caller.
    Unavailable,
}

/// Permissions to change and to delete the object of a page.
#[derive(Debug, Clone)]
pub(crate) struct RowPermissions {
    pub(crate) change: RowPermission,
    pub(crate) delete: RowPermission,
    /// Whether the object is deleted and the caller may restore it.
    pub(crate) restore: bool,
    /// Fields that the caller may change on other objects only.
    pub(crate) frozen: Vec<String>,
}

impl RowPermissions {
    pub(crate) async fn of(site: &Site<'_>, fetch: &dyn Fetch) -> Self {
        let change = RowPermission::to_change(site, fetch);
        let delete = RowPermission::to_delete(site, fetch);
        let frozen = fetch.frozen_fields(site.path().to_owned());
        let (change, delete, restore, frozen) = join4(change, delete, may_restore(site, fetch), frozen).await;
        Self {
            change,
            delete,
            restore,
            frozen,
        }
    }

    /// Verbs that the caller may use on other objects only; empty if there are none.
    pub(crate) fn refused(&self) -> &'static str {
        use RowPermission::Refused;
        match (self.change, self.delete) {
            (Refused, Refused) => "change or delete",
            (Refused, _) => "change",
            (_, Refused) => "delete",
            _ => "",
        }
    }
}

/// Whether the object is deleted and the caller may restore it.
async fn may_restore(site: &Site<'_>, fetch: &dyn Fetch) -> bool {
    let Some(item) = &site.request.action else {
        return false;
    };
    let path = format!("{}/restore", site.path().trim_end_matches('/'));
    let rule = format!("{}/restore", item.route.url.trim_end_matches('/'));
    let is_known = site.action(&rule, "POST").is_some_and(|action| action.restores);
    is_known && fetch.permits(Method::POST, path).await
}

impl RowPermission {
    pub(crate) async fn to_change(site: &Site<'_>, fetch: &dyn Fetch) -> Self {
        match Self::to_use(site, fetch, Method::PATCH).await {
            Self::Unavailable => Self::to_use(site, fetch, Method::PUT).await,
            known => known,
        }
    }

    pub(crate) async fn to_delete(site: &Site<'_>, fetch: &dyn Fetch) -> Self {
        Self::to_use(site, fetch, Method::DELETE).await
    }

    async fn to_use(site: &Site<'_>, fetch: &dyn Fetch, method: Method) -> Self {
        let Some(action) = site.request.action_of(method.as_str()) else {
            return Self::Unavailable;
        };
        let depends_on_row = action.rows == Some(RowScope::Some);
        if depends_on_row && !fetch.permits(method, site.path().to_owned()).await {
            Self::Refused
        } else {
            Self::Granted
        }
    }
}
