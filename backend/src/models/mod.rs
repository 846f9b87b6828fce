//! The models, one file each.

mod article;
mod category;
mod comment;
mod contact_submission;
mod sample;
mod tag;
mod user;

pub use article::Article;
pub use category::Category;
pub use comment::Comment;
pub use contact_submission::ContactSubmission;
pub use sample::{Color, Sample};
pub use tag::Tag;
pub use user::User;

pub use model_resource_security::{AuthSession, AuthToken};
