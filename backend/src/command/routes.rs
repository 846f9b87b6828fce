//! `backend routes`: what is served, as a table.

use model_resource::RouteLine;

const HEADINGS: [&str; 5] = ["URL", "METHOD", "OPERATION", "HANDLER", "DECORATORS"];

/// The routes as a table with aligned columns.
pub(super) fn table(routes: &[RouteLine]) -> String {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(routes.iter().map(|route| {
        [
            route.url.clone(),
            route.method.clone(),
            route
                .operation
                .map_or_else(|| "-".to_owned(), |operation| operation.to_string()),
            route.handler.clone(),
            route.decorators.join(", "),
        ]
    }));
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    let line = |row: &[String; 5]| {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
