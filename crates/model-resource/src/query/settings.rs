//! Settings that apply to one list request.

use crate::list::{CursorKey, DefaultPage};
use crate::query::options::ListOptions;
use crate::query::parameters::{DELETED, Parameters};
use crate::query::price::PriceLimit;
use crate::query::syntax::QuerySyntax;

/// Settings of the resource and the api that apply to a list.
pub(crate) struct ListSettings<'a> {
    pub(crate) options: &'a ListOptions,
    pub(crate) default_page: DefaultPage,
    /// Whether the parameter `deleted` was read already.
    pub(crate) takes_deleted: bool,
    pub(crate) cursor_key: &'a CursorKey,
    pub(crate) syntax: QuerySyntax,
    /// Path of the request.
    pub(crate) path: &'a str,
    /// Maximum price of the query, if it is limited.
    pub(crate) price_limit: Option<PriceLimit<'a>>,
}

impl ListSettings<'_> {
    /// Takes out the parameters that are not the list's.
    pub(super) fn take_own(&self, parameters: &mut Parameters<'_>) {
        for name in self.options.own_parameters.iter().chain(&["format"]) {
            parameters.take_all(name);
        }
        if self.takes_deleted {
            parameters.take_all(DELETED);
        }
    }
}
