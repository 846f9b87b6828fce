//! How the models look to clients.

use model_resource::{Declare, Input, serializer};

use crate::api::{ModelSerializer, WrappedSerializer};
use crate::models::{Article, Category, Comment, ContactSubmission, Sample, Tag, User};
use crate::security::hash_password;

/// Categories, as they are.
pub struct CategorySerializer;

#[serializer]
impl ModelSerializer for CategorySerializer {
    type Model = Category;
}

/// Articles, as they are.
pub struct ArticleSerializer;

#[serializer]
impl ModelSerializer for ArticleSerializer {
    type Model = Article;
}

/// Comments, as they are.
pub struct CommentSerializer;

#[serializer]
impl ModelSerializer for CommentSerializer {
    type Model = Comment;
}

/// Tags, under the key `tag`.
pub type TagSerializer = WrappedSerializer<BareTagSerializer>;

/// Tags without their envelope.
pub struct BareTagSerializer;

#[serializer]
impl ModelSerializer for BareTagSerializer {
    type Model = Tag;
}

/// Contact submissions, under the key `contactSubmission`.
pub type ContactSubmissionSerializer = WrappedSerializer<BareContactSubmissionSerializer>;

/// Contact submissions without their envelope.
pub struct BareContactSubmissionSerializer;

#[serializer]
impl ModelSerializer for BareContactSubmissionSerializer {
    type Model = ContactSubmission;
}

/// Samples, as they are.
pub struct SampleSerializer;

#[serializer]
impl ModelSerializer for SampleSerializer {
    type Model = Sample;
}

/// Users: the password enters, is hashed on every way in, and never leaves.
pub struct UserSerializer;

#[serializer]
impl ModelSerializer for UserSerializer {
    type Model = User;

    fn declare(fields: Declare<User>) -> Declare<User> {
        fields.write_only(
            Input::new("password")
                .min_length(8)
                .max_length(128)
                .required_on_create()
                .into_column(User::PASSWORD_HASH, hash_password),
        )
    }
}
