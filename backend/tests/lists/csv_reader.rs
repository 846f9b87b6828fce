//! A strict parser of RFC 4180, independent of the code that writes CSV.

/// Returns the lines of a file as cells.
pub(crate) fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let mut cells = Vec::new();
        loop {
            let (cell, behind) = read_cell(rest);
            cells.push(cell);
            if let Some(next) = behind.strip_prefix(',') {
                rest = next;
                continue;
            }
            let end = behind.strip_prefix("\r\n");
            rest = end.unwrap_or_else(|| panic!("no end of the line after {cells:?}"));
            break;
        }
        lines.push(cells);
    }
    lines
}

fn read_cell(text: &str) -> (String, &str) {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\r', '\n', '"']).expect("a cell ends");
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut cell = String::new();
    loop {
        let (part, behind) = rest.split_once('"').expect("a quotation ends");
        cell.push_str(part);
        let Some(next) = behind.strip_prefix('"') else {
            return (cell, behind);
        };
        cell.push('"');
        rest = next;
    }
}
