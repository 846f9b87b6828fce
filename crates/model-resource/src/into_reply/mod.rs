//! The values that operations and views may return: data, or any response of axum.

mod data;
pub mod returned;

pub use data::{IntoReply, via};
