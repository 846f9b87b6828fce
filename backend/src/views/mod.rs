//! The list of everything the api serves.

pub mod articles;
pub mod categories;
pub mod comments;
pub mod contact_submissions;
pub mod samples;
pub mod security;
pub mod tags;

use model_resource_security::{SessionPolicy, SessionSerializer, TokenPolicy, TokenSerializer};

use crate::api::Api;
use crate::policies::{ArticlePolicy, CategoryPolicy, CommentPolicy, UserPolicy};
use crate::serializers::{
    ArticleSerializer, CategorySerializer, CommentSerializer, ContactSubmissionSerializer, SampleSerializer,
    TagSerializer, UserCreateSerializer, UserListSerializer, UserSerializer,
};

/// Registers the resources, the views and the policies of the models.
pub fn register(api: Api) -> Api {
    api.serializer::<CategorySerializer>()
        .policy::<CategoryPolicy>()
        .model_resource::<categories::CategoryResource>()
        .serializer::<ArticleSerializer>()
        .policy::<ArticlePolicy>()
        .model_resource::<articles::ArticleResource>()
        .serializer::<CommentSerializer>()
        .policy::<CommentPolicy>()
        .model_resource::<comments::CommentResource>()
        .serializer::<TagSerializer>()
        .model_resource::<tags::TagResource>()
        .serializer::<ContactSubmissionSerializer>()
        .model_resource::<contact_submissions::ContactSubmissionResource>()
        .serializer::<SampleSerializer>()
        .model_resource::<samples::SampleResource>()
        .serializer::<UserSerializer>()
        .serializer::<UserListSerializer>()
        .serializer::<UserCreateSerializer>()
        .policy::<UserPolicy>()
        .model_resource::<security::UserResource>()
        .route(security::disable_user)
        .route(security::enable_user)
        .route(security::login)
        .route(security::logout)
        .route(security::status)
        .route(security::change_password)
        .serializer::<TokenSerializer>()
        .policy::<TokenPolicy>()
        .model_resource::<security::TokenResource>()
        .serializer::<SessionSerializer>()
        .policy::<SessionPolicy>()
        .model_resource::<security::SessionResource>()
}
