//! Doc comments, which become documentation for clients.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// Text of the doc comment among these attributes, in Markdown; `None` without one.
pub(crate) fn text(attributes: &[Attribute]) -> Option<String> {
    let lines = attributes.iter().filter_map(line).collect::<Vec<String>>();
    let text = lines.join("\n");
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Lines of one `#[doc = ".."]`, without the space that follows `///`.
fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Str(text), ..
    }) = &pair.value
    else {
        return None;
    };
    let is_doc = pair.path.is_ident("doc");
    let text = text.value();
    let lines = text
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    is_doc.then(|| lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_doc_comment_keeps_its_paragraphs() {
        let item: syn::ItemStruct =
            syn::parse_str("/// First line\n/// and second.\n///\n///  * item\n#[other] struct A;")
                .expect("an item");
        let text = text(&item.attrs).expect("a doc comment");
        assert_eq!(text, "First line\nand second.\n\n * item");
    }
}
