//! The list of everything the api serves.

pub mod articles;
pub mod categories;
pub mod comments;
pub mod contact_submissions;
pub mod samples;
pub mod tags;
pub mod users;

use model_resource_security::AccountRoute;

use crate::api::Api;
use crate::security::UserSecurity;

/// Registers the resources, with their serializers and policies, and the views.
pub fn register(api: Api) -> Api {
    api.model_resource::<categories::CategoryResource>()
        .model_resource::<articles::ArticleResource>()
        .model_resource::<comments::CommentResource>()
        .model_resource::<tags::TagResource>()
        .model_resource::<contact_submissions::ContactSubmissionResource>()
        .model_resource::<samples::SampleResource>()
        .model_resource::<users::UserResource>()
        .register(UserSecurity::routes().without(AccountRoute::Register))
}
