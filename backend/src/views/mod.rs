//! The list of everything the api serves.

pub mod articles;
pub mod categories;
pub mod comments;
pub mod contact_submissions;
pub mod samples;
pub mod security;
pub mod tags;

use crate::api::Api;

/// Registers the resources, with their serializers and policies, and the views.
pub fn register(api: Api) -> Api {
    api.model_resource::<categories::CategoryResource>()
        .model_resource::<articles::ArticleResource>()
        .model_resource::<comments::CommentResource>()
        .model_resource::<tags::TagResource>()
        .model_resource::<contact_submissions::ContactSubmissionResource>()
        .model_resource::<samples::SampleResource>()
        .model_resource::<security::UserResource>()
        .route(security::disable_user)
        .route(security::enable_user)
        .route(security::login)
        .route(security::logout)
        .route(security::status)
        .route(security::change_password)
        .model_resource::<security::TokenResource>()
        .model_resource::<security::SessionResource>()
}
