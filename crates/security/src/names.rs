//! Login names: their stored form, and the valid characters of a user name.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Converts a login name to lower case and Unicode normalization form C, so that no two users have names that look the
/// same.
///
/// Each letter is converted independently of its neighbours, so that its position does not matter.
///
/// ```
/// use model_resource_security::normalize_name;
///
/// assert_eq!(normalize_name("A\u{30a}SA"), "åsa");
/// ```
pub fn normalize_name(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// Rejects a user name with anything but letters, digits, `.`, `_` and `-`, in any case and normalization form, with a
/// message for the client. Letters of any script are valid, with their combining marks; invisible characters are not.
pub fn check_username(name: &str) -> Result<(), String> {
    let mut takes_mark = false;
    for char in normalize_name(name).chars() {
        let is_mark = char.general_category_group() == GeneralCategoryGroup::Mark;
        let is_valid = if is_mark {
            takes_mark
        } else {
            is_letter(char) || is_punctuation(char)
        };
        if !is_valid || is_invisible(char) {
            return Err("Must consist of letters, digits, \".\", \"_\" and \"-\".".to_owned());
        }
        takes_mark = !is_punctuation(char);
    }
    Ok(())
}

fn is_letter(char: char) -> bool {
    char.general_category_group() == GeneralCategoryGroup::Letter
        || char.general_category() == GeneralCategory::DecimalNumber
}

fn is_punctuation(char: char) -> bool {
    matches!(char, '.' | '_' | '-')
}

/// Whether a letter or a mark is invisible: Unicode's default ignorable characters, and a filler. Characters that
/// change the direction of a text are neither letters nor marks.
fn is_invisible(char: char) -> bool {
    matches!(
        char,
        '\u{34f}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{16fe4}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SEC-48: folding is idempotent, and its result is valid.
    #[test]
    fn a_normalized_name_stays_as_it_is_and_valid() {
        for char in (char::MIN..=char::MAX).filter(|char| *char != '@') {
            let name = format!("a{char}");
            let normalized = normalize_name(&name);
            assert_eq!(normalize_name(&normalized), normalized, "{:?}", char);
            assert_eq!(check_username(&normalized), check_username(&name), "{:?}", char);
        }
    }

    /// SEC-48
    #[test]
    fn a_user_name_is_made_of_letters_digits_and_three_signs() {
        for name in [
            "ann",
            "a.b_c-d",
            "änna",
            "a\u{308}nna",
            "Ντίνος",
            "दीपक्",
            "안나",
            "山田2",
            "...",
            "ann٣",
        ] {
            assert_eq!(check_username(name), Ok(()), "{name}");
        }
        for char in [
            ' ',
            '\t',
            '@',
            '%',
            '/',
            '\\',
            '<',
            '\'',
            ';',
            '!',
            '²',
            '½',
            '€',
            '😀',
            '\0',
            '\u{7f}',
            '\u{a0}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{2800}',
            '\u{3000}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fffd}',
            '\u{e0001}',
            '\u{e0100}',
            '\u{e000}',
        ] {
            assert!(check_username(&format!("ann{char}")).is_err(), "{:?}", char);
        }
        for name in ["\u{301}ann", "ann.\u{301}", "_\u{301}ann"] {
            assert!(check_username(name).is_err(), "a mark needs a letter: {name}");
        }
    }

    #[test]
    fn forms_of_one_name_are_one() {
        for other in ["A\u{30a}sa", "\u{212b}sa", "\u{c5}SA", "å\u{73}a"] {
            assert_eq!(normalize_name(other), "åsa");
        }
    }
}
