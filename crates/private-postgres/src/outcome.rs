//! What every step here gives.

/// What a step gives: nothing, or a message for the person who called it.
pub type Outcome<T = ()> = Result<T, String>;
