//! Error of an audit.

use std::fmt;

/// Error type of the application's own functions.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Reasons why an access matrix cannot be made, each with its remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditError {
    mistakes: Vec<String>,
}

impl AuditError {
    pub(crate) fn new(mistakes: Vec<String>) -> Self {
        Self { mistakes }
    }

    pub(crate) fn one(mistake: impl Into<String>) -> Self {
        Self::new(vec![mistake.into()])
    }

    /// Returns the error of the application's own function, or of the database.
    pub(crate) fn of(error: BoxError) -> Self {
        match error.downcast::<Self>() {
            Ok(own) => *own,
            Err(other) => Self::one(other.to_string()),
        }
    }

    /// The mistakes, each with its remedy.
    pub fn mistakes(&self) -> &[String] {
        &self.mistakes
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the audit cannot determine access:")?;
        self.mistakes
            .iter()
            .try_for_each(|mistake| write!(f, "\n- {mistake}"))
    }
}

impl std::error::Error for AuditError {}
