//! Texts of doc comments, and those that take their place.

use model_resource_schema::column::Table;
use model_resource_schema::naming;

use crate::routing::{ActionDocs, Operation, UrlBinding};

/// Summary and description of an action.
pub(crate) fn action_texts(
    docs: &ActionDocs,
    operation: Option<Operation>,
    binding: &UrlBinding,
    is_bulk: bool,
) -> (String, String) {
    if docs.handler.is_empty() {
        (default_summary(operation, docs, binding, is_bulk), String::new())
    } else {
        split_summary(docs.handler)
    }
}

/// Splits documentation into its first sentence, without the full stop, and the rest.
fn split_summary(text: &str) -> (String, String) {
    let paragraph = text.find("\n\n").unwrap_or(text.len());
    let end = sentence_end(&text[..paragraph]);
    let sentence: Vec<&str> = text[..end].split_whitespace().collect();
    let sentence = sentence.join(" ");
    let summary = sentence.strip_suffix('.').unwrap_or(&sentence);
    (summary.to_owned(), text[end..].trim().to_owned())
}

/// First sentence of documentation as plain text, with its full stop.
#[cfg(feature = "pages")]
pub(crate) fn first_sentence(text: &str) -> String {
    let (mut sentence, _) = split_summary(text);
    sentence.retain(|character| character != '`');
    end_sentence(&mut sentence);
    sentence
}

/// Adds a full stop to a text that has none and is not empty.
#[cfg(feature = "pages")]
pub(crate) fn end_sentence(text: &mut String) {
    if !text.is_empty() && !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
}

/// End of the first sentence: a full stop before a word with a capital letter, or the end of the paragraph.
fn sentence_end(paragraph: &str) -> usize {
    let stops = paragraph.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let mut ends = stops.filter(|end| {
        let rest = &paragraph[*end..];
        let next = rest.trim_start();
        rest.starts_with(char::is_whitespace)
            && next.starts_with(char::is_uppercase)
            && !ends_with_abbreviation(&paragraph[..*end])
    });
    ends.next().unwrap_or(paragraph.len())
}

/// Whether a text ends with an abbreviation of single letters, such as `e.g.`
fn ends_with_abbreviation(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = word.trim_start_matches('(').trim_end_matches('.');
    let mut letters = word.split('.');
    word.contains('.') && letters.all(|letter| letter.len() == 1 && letter.chars().all(char::is_alphabetic))
}

/// Summary of an action without a doc comment, such as `List articles of a user`.
fn default_summary(
    operation: Option<Operation>,
    docs: &ActionDocs,
    binding: &UrlBinding,
    is_bulk: bool,
) -> String {
    let Some(table) = binding.table else {
        return sentence_case(docs.endpoint);
    };
    let verb = match operation {
        None if binding.restores => "Restore",
        None => return sentence_case(docs.endpoint),
        Some(Operation::List) => "List",
        Some(Operation::Create) => "Create",
        Some(Operation::Get) => "Get",
        Some(Operation::Put) => "Replace",
        Some(Operation::Patch) => "Update",
        Some(Operation::Delete) => "Delete",
    };
    let is_many = operation == Some(Operation::List) || is_bulk && operation != Some(Operation::Create);
    let object = if is_many {
        naming::plural(&words(table))
    } else {
        with_article(&words(table))
    };
    let parents = binding
        .parents
        .iter()
        .map(|parent| with_article(&words(parent.table)));
    let parents = parents.collect::<Vec<_>>().join(" and ");
    if parents.is_empty() {
        format!("{verb} {object}")
    } else {
        format!("{verb} {object} of {parents}")
    }
}

/// Name of a model in a sentence, such as `blog post`.
pub(super) fn words(table: &Table) -> String {
    naming::snake_case(table.model).replace('_', " ")
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// Converts `change_password` to `Change password`.
fn sentence_case(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "pages")]
    #[test]
    fn documentation_is_shortened_to_its_first_sentence() {
        for (text, sentence) in [
            ("All `articles`. With bulk\nwrites.\n\nMore.", "All articles."),
            ("Tags\nof articles", "Tags of articles."),
            ("Ready? Then it is shown.", "Ready?"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }

    #[test]
    fn the_summary_is_the_first_sentence() {
        for (text, summary, rest) in [
            ("", "", ""),
            ("Logs in.", "Logs in", ""),
            (
                "Logs in\nby name. Fails otherwise.",
                "Logs in by name",
                "Fails otherwise.",
            ),
            ("Takes files, e.g. CSV", "Takes files, e.g. CSV", ""),
            ("No full stop\n\nMore.", "No full stop", "More."),
            ("Version 1.5 of it. It is new.", "Version 1.5 of it", "It is new."),
        ] {
            assert_eq!(
                split_summary(text),
                (summary.to_owned(), rest.to_owned()),
                "{text:?}"
            );
        }
    }
}
