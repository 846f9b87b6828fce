//! Serializers of the models.

use model_resource::{Columns, DefaultSerializer, SerializerFields, json_schema, serializer};
use model_resource_security::Account;

use crate::api::{ModelSerializer, WrappedSerializer};
use crate::models::{Article, Category, Comment, ContactSubmission, Tag, User};

/// Categories, with their articles if expanded.
pub struct CategorySerializer;

#[serializer]
impl ModelSerializer for CategorySerializer {
    type Model = Category;

    fn fields(fields: SerializerFields<Category>) -> SerializerFields<Category> {
        fields.has_many::<ArticleSerializer>("articles", Article::CATEGORY_ID)
    }
}

/// Articles, with their related objects if expanded.
pub struct ArticleSerializer;

#[serializer]
impl ModelSerializer for ArticleSerializer {
    type Model = Article;

    fn fields(fields: SerializerFields<Article>) -> SerializerFields<Article> {
        fields
            .belongs_to::<CategorySerializer>("category", Article::CATEGORY_ID)
            .belongs_to::<AuthorSerializer>("author", Article::AUTHOR_ID)
            .has_many::<CommentSerializer>("comments", Comment::ARTICLE_ID)
    }
}

/// Comments, with their article if expanded.
pub struct CommentSerializer;

#[serializer]
impl ModelSerializer for CommentSerializer {
    type Model = Comment;

    fn fields(fields: SerializerFields<Comment>) -> SerializerFields<Comment> {
        fields.belongs_to::<ArticleSerializer>("article", Comment::ARTICLE_ID)
    }
}

/// Public profile of a user.
pub struct AuthorSerializer;

#[serializer]
impl ModelSerializer for AuthorSerializer {
    type Model = User;
    const FIELDS: Columns<User> = Columns::of(User::ID).and(User::USERNAME);
}

/// Tags, under the key `tag`.
pub type TagSerializer = WrappedSerializer<DefaultSerializer<Tag>>;

/// Contact submissions, under the key `contactSubmission`.
pub type ContactSubmissionSerializer = WrappedSerializer<DefaultSerializer<ContactSubmission>>;

/// Users in lists, which only admins see: also the columns that admins manage.
pub struct UserListSerializer;

#[serializer(many)]
impl ModelSerializer for UserListSerializer {
    type Model = User;

    fn fields(fields: SerializerFields<User>) -> SerializerFields<User> {
        fields
            .computed_from("isActive", Columns::of(User::IS_ACTIVE), |user| user.is_active)
            .describe("isActive", "Whether the user can log in.")
            .schema("isActive", json_schema::<bool>)
            .computed_from("roles", Columns::of(User::ROLES), Account::roles)
            .describe("roles", "Roles of the user.")
            .schema("roles", json_schema::<Vec<String>>)
    }
}
