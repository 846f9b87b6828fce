//! Return values of operations and views: data, or any response of axum.

mod data;
pub mod returned;

pub use data::{IntoReply, via};
