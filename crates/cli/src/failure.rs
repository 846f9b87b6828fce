//! Error type of commands.

/// An error that ends the program with exit status 1, printed as one line after the program's name.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
