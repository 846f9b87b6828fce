//! Custom texts for built-in messages.

use crate::message::{Message, code};

/// Custom texts for built-in messages, by message code.
///
/// ```
/// use model_resource_schema::message::Message;
/// use model_resource_schema::messages::Messages;
///
/// let messages = Messages(&[("unique", "This slug is taken.")]);
/// assert_eq!(messages.replace(Message::unique("Slug")).text(), "This slug is taken.");
/// assert_eq!(messages.replace(Message::null("Slug")).text(), "Slug may not be null.");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Messages(pub &'static [(&'static str, &'static str)]);

impl Messages {
    /// Replaces the text of a message if its code has a custom text. The text for `type` also replaces those of
    /// `decimal_places`, `whole_digits` and `null_character`, unless they have custom texts.
    pub fn replace(self, message: Message) -> Message {
        let replaced = |code: &str| {
            let mut texts = self.0.iter();
            texts.find(|(of, _)| *of == code).map(|(_, text)| *text)
        };
        let of_type = || match message.code() {
            code::DECIMAL_PLACES | code::WHOLE_DIGITS | code::NULL_CHARACTER => replaced(code::TYPE),
            _ => None,
        };
        match replaced(message.code()).or_else(of_type) {
            Some(text) => Message::new(message.code().to_owned(), text),
            None => message,
        }
    }

    /// Whether this code has a custom text.
    pub fn has(self, code: &str) -> bool {
        self.0.iter().any(|(of, _)| *of == code)
    }
}
