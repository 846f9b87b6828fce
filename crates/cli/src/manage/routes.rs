//! `routes`: the registered routes as a table.

use model_resource::RouteInfo;

use crate::manage::table::aligned;

const HEADINGS: [&str; 5] = ["URL", "METHOD", "OPERATION", "HANDLER", "DECORATORS"];

/// Renders the routes as a table with aligned columns.
pub(crate) fn table(routes: &[RouteInfo]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(routes.iter().map(|route| {
        vec![
            route.url.clone(),
            route.method.clone(),
            route
                .operation
                .map_or_else(|| "-".to_owned(), |operation| operation.to_string()),
            route.handler.clone(),
            route.decorators.join(", "),
        ]
    }));
    aligned(&rows)
}
