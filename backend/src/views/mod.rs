//! What is served: one visible list.

pub mod articles;
pub mod categories;
pub mod comments;
pub mod contact_submissions;
pub mod samples;
pub mod security;
pub mod tags;

use crate::api::Api;
use crate::serializers::{
    ArticleSerializer, CategorySerializer, CommentSerializer, ContactSubmissionSerializer, SampleSerializer,
    TagSerializer, UserSerializer,
};

/// Registers everything that the api serves.
pub fn register(api: Api) -> Api {
    api.serializer::<CategorySerializer>()
        .model_resource::<categories::CategoryResource>()
        .serializer::<ArticleSerializer>()
        .model_resource::<articles::ArticleResource>()
        .serializer::<CommentSerializer>()
        .model_resource::<comments::CommentResource>()
        .serializer::<TagSerializer>()
        .model_resource::<tags::TagResource>()
        .serializer::<ContactSubmissionSerializer>()
        .model_resource::<contact_submissions::ContactSubmissionResource>()
        .serializer::<SampleSerializer>()
        .model_resource::<samples::SampleResource>()
        .serializer::<UserSerializer>()
        .model_resource::<security::UserResource>()
        .route(security::login)
        .route(security::status)
}
