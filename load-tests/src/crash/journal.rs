//! Journal of the writes that the clients sent.

/// Kind of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowKind {
    Tag,
    Article,
    /// Named by the title of its article and its own text.
    Comment,
    /// A number that one client increments.
    Counter,
}

/// Name of a row, which the client chose and no other row has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowName {
    pub(crate) kind: RowKind,
    pub(crate) text: String,
}

impl RowName {
    pub(crate) fn tag(name: &str) -> Self {
        Self {
            kind: RowKind::Tag,
            text: name.to_owned(),
        }
    }

    pub(crate) fn article(title: &str) -> Self {
        Self {
            kind: RowKind::Article,
            text: title.to_owned(),
        }
    }

    pub(crate) fn counter(name: &str) -> Self {
        Self {
            kind: RowKind::Counter,
            text: name.to_owned(),
        }
    }

    pub(crate) fn comment(title: &str, body: &str) -> Self {
        Self {
            kind: RowKind::Comment,
            text: format!("{title}/{body}"),
        }
    }
}

/// Effect of a write on one row. The text is the content of the row beside its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    Created(String),
    Updated(String),
    Deleted,
}

impl Effect {
    /// Content of the row after the write, if there is one.
    pub(crate) fn content(&self) -> Option<&String> {
        match self {
            Self::Created(content) | Self::Updated(content) => Some(content),
            Self::Deleted => None,
        }
    }
}

/// Change of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) row: RowName,
    pub(crate) effect: Effect,
}

/// Response to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A success: the write must be stored, and stay stored.
    Acknowledged,
    /// A refusal of the request: the write must have no effect.
    Refused,
    /// No response, or one that leaves the outcome open: the write is stored completely or not at all.
    Unknown,
}

/// One request, whose changes are stored all together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Write {
    pub(crate) changes: Vec<Change>,
    pub(crate) answer: Answer,
}
