//! Handlers: the default one of each operation, the arguments of custom ones, and their replies.

mod argument;
mod children;
mod default;
mod delete;
mod delete_row;
mod into_reply;
mod json_body;
mod overrides;
mod payload;
mod prefer;
mod reply;
mod respond;
mod restore;
mod row_write;
mod rows;
pub mod schemas;
mod serializer;
mod state;
mod write;

pub use argument::{Argument, FromContext, check_untaken_errors, op, via};
pub use into_reply::{IntoReply, returned, via as reply_via};
pub use json_body::JsonBody;
pub use overrides::Overrides;
pub use reply::{Reply, ReplyContent};
pub use serializer::Serializer;
pub use state::WithState;

pub(crate) use argument::ModelOf;
pub(crate) use default::default_handler;
pub(crate) use payload::{BoxRow, Data, JsonObject, Mapped, ObjectMap, Payload, ProjectionChoice};
pub(crate) use prefer::{
    DRY_RUN, Handling, MERGES_DUPLICATES, PREFERENCE_APPLIED, Return, Wait, max_affected, merges_duplicates,
    prefers_dry_run,
};
pub(crate) use reply::ReplyKind;
pub(crate) use restore::restore_handler;
