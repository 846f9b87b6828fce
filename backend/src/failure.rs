//! The program's error type.

/// An error that ends the program, printed as one line.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
