//! Description of an api as data: what routes, audits, documentation and pages read.

mod action;
mod caller_key;
mod condition_words;
mod described_action;
mod describer;
mod docs;
mod group_value;
mod handler_schemas;
mod list;
mod model;
mod models;
mod objects;
mod policy_words;
mod reach;
mod route_info;

pub use action::{ActionDescription, ApiDescription, ParameterDescription, ResourceDescription};
pub use caller_key::DescriptionKey;
pub use group_value::GroupValueDescription;
pub use handler_schemas::{HandlerSchemas, ReplySchema, ResponseDescription};
pub use list::{FilterDescription, ListDescription, RelationDescription};
pub use model::ModelDescription;
pub use policy_words::PolicyDescription;
pub use route_info::RouteInfo;

pub(crate) use described_action::DescribedAction;
pub(crate) use describer::{Allows, Describer};
pub(crate) use docs::action_texts;
#[cfg(feature = "pages")]
pub(crate) use docs::{end_sentence, first_sentence};
#[cfg(feature = "pages")]
pub(crate) use policy_words::PolicySentence;
