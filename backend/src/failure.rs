//! What ends the program early.

/// What ends the program, as a line for the terminal.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
