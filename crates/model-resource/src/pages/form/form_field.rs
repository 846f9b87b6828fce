//! Field of a form, as its template shows it.

use serde::Serialize;

use crate::description::end_sentence;
use crate::pages::reference::ReferenceSearch;

/// Field of a form.
#[derive(Debug, Serialize, Default)]
pub(crate) struct FormField {
    pub(crate) name: String,
    /// Id of the control in the page, if it is not the name.
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) help: String,
    /// Control: `checkbox`, `select`, `textarea`, `json`, `file`, `reference`, `account`, `repeat`, `links`, `lines`, `fixed`, or
    /// the type of an `input`. Empty if a line has no such field.
    pub(crate) control: &'static str,
    /// Type of the value in JSON: `boolean`, `number`, `string`, `json` or `bytes`.
    pub(crate) json_type: &'static str,
    pub(crate) value: String,
    /// Label of the referenced object.
    pub(crate) shown: String,
    /// Link to the referenced object, if the caller sees it.
    pub(crate) link: String,
    /// Current value as JSON; empty for a new object.
    pub(crate) original: String,
    pub(crate) is_required: bool,
    pub(crate) nullable: bool,
    pub(crate) options: Vec<String>,
    pub(crate) min: String,
    pub(crate) max: String,
    pub(crate) step: String,
    pub(crate) min_length: Option<usize>,
    pub(crate) max_length: Option<usize>,
    pub(crate) pattern: String,
    /// Sentence about the pattern; empty if the browser's own is shown.
    pub(crate) pattern_message: String,
    pub(crate) autocomplete: &'static str,
    pub(crate) reference: Option<ReferenceSearch>,
    pub(crate) is_wide: bool,
    /// Objects that a many-to-many relation links.
    pub(crate) links: Vec<ChosenLink>,
    /// Changes of a relation that the caller may make.
    pub(crate) access: RelationAccess,
    /// Objects that are written with the object of the form.
    pub(crate) lines: Option<LineTable>,
}

impl FormField {
    /// Shows the value instead of a control.
    pub(super) fn fix(&mut self) {
        if self.json_type == "boolean" {
            self.value = if self.value == "true" { "Yes" } else { "No" }.to_owned();
        }
        self.control = "fixed";
    }
}

/// Changes of a relation that the caller may make, as far as the rows do not decide it.
#[derive(Debug, Serialize, Default)]
pub(crate) struct RelationAccess {
    pub(super) can_add: bool,
    pub(super) can_remove: bool,
}

/// Object that a many-to-many relation links.
#[derive(Debug, Serialize)]
pub(crate) struct ChosenLink {
    /// Value that names the object in a body, as JSON.
    pub(super) value: String,
    pub(super) label: String,
    /// Link to the object; empty if the caller cannot open it.
    pub(super) link: String,
}

/// Objects that are written with the object of the form.
#[derive(Debug, Serialize)]
pub(crate) struct LineTable {
    /// Name of the key in bodies.
    pub(super) key: String,
    pub(super) headings: Vec<LineHeading>,
    pub(super) lines: Vec<FormLine>,
    /// Line that a script adds.
    pub(super) blank: FormLine,
    /// Whether the fields of a line are below each other, since they would not fit beside each other.
    pub(super) is_stacked: bool,
}

/// Heading of the fields of one name.
#[derive(Debug, Serialize)]
pub(crate) struct LineHeading {
    pub(super) label: String,
    pub(super) help: String,
    pub(super) is_required: bool,
}

/// One of the lines.
#[derive(Debug, Serialize)]
pub(crate) struct FormLine {
    /// Key as JSON; empty for a new line.
    pub(super) key: String,
    pub(super) fields: Vec<FormField>,
}

impl FormField {
    /// Adds a sentence to the help.
    pub(super) fn add_help(&mut self, sentence: &str) {
        if !self.help.is_empty() {
            end_sentence(&mut self.help);
            self.help.push(' ');
        }
        self.help.push_str(sentence);
    }

    /// Adds the lengths of the text to the help. That it must not be empty is shown by the mark of required fields.
    pub(crate) fn add_length_help(&mut self) {
        let min = self.min_length.filter(|min| *min > 1).map(|min| min.to_string());
        let max = self.max_length.map(|max| max.to_string());
        if let Some(range) = range_words(min.as_deref(), max.as_deref()) {
            self.add_help(&format!("{range} characters."));
        }
    }

    /// Adds the least and the greatest value to the help.
    pub(crate) fn add_range_help(&mut self) {
        let bound = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let (min, max) = (bound(&self.min), bound(&self.max));
        if let Some(range) = range_words(min.as_deref(), max.as_deref()) {
            self.add_help(&format!("{range}."));
        }
    }
}

/// Limits in words, without a full stop.
fn range_words(min: Option<&str>, max: Option<&str>) -> Option<String> {
    match (min, max) {
        (Some(min), Some(max)) => Some(format!("From {min} to {max}")),
        (Some(min), None) => Some(format!("At least {min}")),
        (None, Some(max)) => Some(format!("At most {max}")),
        (None, None) => None,
    }
}
