//! Texts that match a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Returns a text that matches the pattern. Different seeds give different texts, as far as the pattern allows. `None`
/// if the pattern is invalid, or if it needs a text that is not built part by part.
pub(super) fn matching(pattern: &str, seed: u64) -> Option<String> {
    let parsed = regex_syntax::parse(pattern).ok()?;
    let mut text = String::new();
    let mut seed = seed;
    append(&parsed, &mut seed, &mut text)?;
    Some(text)
}

/// Appends a text that matches one part. Each choice uses up a part of the seed.
fn append(part: &Hir, seed: &mut u64, text: &mut String) -> Option<()> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(choose(class, seed)?),
        HirKind::Repetition(repetition) => {
            // At least one, so that an optional part can tell two texts apart.
            let count = repetition.min.max(1).min(repetition.max.unwrap_or(u32::MAX));
            for _ in 0..count {
                append(&repetition.sub, seed, text)?;
            }
        }
        HirKind::Capture(capture) => append(&capture.sub, seed, text)?,
        HirKind::Concat(parts) => {
            for part in parts {
                append(part, seed, text)?;
            }
        }
        HirKind::Alternation(parts) => append(parts.first()?, seed, text)?,
    }
    Some(())
}

/// Chooses a character of a class, if possible one of ASCII that is visible.
fn choose(class: &Class, seed: &mut u64) -> Option<char> {
    let contains = |char: char| match class {
        Class::Unicode(class) => class
            .ranges()
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&char)),
        Class::Bytes(class) => u8::try_from(char).is_ok_and(|byte| {
            class
                .ranges()
                .iter()
                .any(|range| (range.start()..=range.end()).contains(&byte))
        }),
    };
    let signs = ('!'..='~').filter(|char| !char.is_ascii_alphanumeric());
    let plain = ('a'..='z').chain('0'..='9').chain('A'..='Z').chain(signs);
    let plain: Vec<char> = plain.filter(|char| contains(*char)).collect();
    if plain.is_empty() {
        return match class {
            Class::Unicode(class) => class.ranges().first().map(|range| range.start()),
            Class::Bytes(class) => class.ranges().first().map(|range| char::from(range.start())),
        };
    }
    let count = plain.len() as u64;
    let chosen = plain[usize::try_from(*seed % count).ok()?];
    *seed /= count;
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_their_pattern() {
        for (pattern, expected) in [
            ("[0-9]{3}", "100"),
            ("[A-Z]{2}-[0-9]+", "BA-0"),
            ("(?:red|green)?", "red"),
            ("^a.c$", "abc"),
            ("\\p{Greek}", "\u{370}"),
        ] {
            let text = matching(pattern, 1);
            if let Some(text) = &text {
                assert_eq!(text, expected, "{pattern}");
            } else {
                assert!(pattern.contains('p'), "without tables of Unicode: {pattern}");
            }
        }
        assert_eq!(matching("[", 1), None);
    }

    #[test]
    fn different_seeds_give_different_texts() {
        let texts: std::collections::BTreeSet<_> =
            (0..1000).map(|seed| matching("[0-9]{13}", seed)).collect();
        assert_eq!(texts.len(), 1000);
    }
}
