//! Tables for the terminal.

/// Formats rows of cells as lines with aligned columns, such as those of a table on the terminal.
///
/// ```
/// let rows = [["URL", "METHOD"], ["/books", "GET"]];
/// let rows = rows.map(|row| row.map(str::to_owned).to_vec());
/// assert_eq!(model_resource_cli::aligned(&rows), "URL     METHOD\n/books  GET\n");
/// ```
pub fn aligned(rows: &[Vec<String>]) -> String {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(row.len().max(widths.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
