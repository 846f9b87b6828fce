//! Transitions: the changes that a column of an enum allows.

use crate::message::{Message, code};

/// Allowed changes of a column, as names of the enum's values. Empty if every change is allowed.
///
/// ```
/// use model_resource_schema::transitions::Transitions;
///
/// let invoice = Transitions::new(&[("draft", &["sent", "void"]), ("sent", &["paid"])]);
/// assert!(invoice.allow("draft", "sent") && invoice.allow("paid", "paid"));
/// assert!(!invoice.allow("draft", "paid") && !invoice.allow("paid", "draft"));
/// assert_eq!(invoice.after("draft"), ["sent", "void"]);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Transitions {
    /// Values, each with those that may follow it. Nothing follows a value that is not listed.
    pub steps: &'static [(&'static str, &'static [&'static str])],
    /// Values that a new row may have; empty for any.
    pub initial: &'static [&'static str],
}

impl Transitions {
    /// Allows every change.
    pub const ANY: Self = Self {
        steps: &[],
        initial: &[],
    };

    /// Allows only these changes.
    pub const fn new(steps: &'static [(&'static str, &'static [&'static str])]) -> Self {
        Self { steps, initial: &[] }
    }

    /// Sets the values that a new row may have.
    pub const fn initial(mut self, names: &'static [&'static str]) -> Self {
        self.initial = names;
        self
    }

    /// Whether every change is allowed.
    pub fn is_any(self) -> bool {
        self.steps.is_empty()
    }

    /// Values that may follow this one, in the order of their declaration.
    pub fn after(self, from: &str) -> Vec<&'static str> {
        let steps = self.steps.iter().filter(|(own, _)| *own == from);
        steps.flat_map(|(_, to)| to.iter().copied()).collect()
    }

    /// Values that this one may follow.
    pub fn before(self, to: &str) -> impl Iterator<Item = &'static str> {
        let steps = self.steps.iter().filter(move |(_, after)| after.contains(&to));
        steps.map(|(from, _)| *from)
    }

    /// Whether a value may become another one. A value that stays is no change.
    pub fn allow(self, from: &str, to: &str) -> bool {
        self.is_any() || from == to || self.before(to).any(|before| before == from)
    }

    /// Whether a new row may have a value.
    pub fn allow_initial(self, name: &str) -> bool {
        self.initial.is_empty() || self.initial.contains(&name)
    }

    /// Message for a change that is not allowed.
    pub fn message(self, from: &str) -> Message {
        let text = match self.after(from)[..] {
            [] => format!("Cannot change from {from}."),
            ref allowed => format!("Can change from {from} only to: {}.", allowed.join(", ")),
        };
        Message::new(code::TRANSITION, text)
    }

    /// Message for a new row with a value that it cannot have.
    pub fn initial_message(self) -> Message {
        let text = format!("Must be one of: {} when it is created.", self.initial.join(", "));
        Message::new(code::TRANSITION, text)
    }
}
