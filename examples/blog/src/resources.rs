//! The resources: the URLs and representations of each model.

use model_resource::{Api, ModelSerializer, SerializerFields, model_resource, serializer};

use crate::access::{ArticlePolicy, ArticleTagPolicy, SharedPolicy, UserHeader, UserPolicy};
use crate::models::{Article, ArticleTag, Category, Series, Tag, User};

#[model_resource(User, "/users", "/users/<username>", policy = UserPolicy)]
struct UserResource;

#[model_resource(Category, "/categories", "/categories/<slug>", policy = SharedPolicy<Category>)]
struct CategoryResource;

#[model_resource(Series, "/series", "/series/<slug>", serializer = SeriesSerializer, policy = SharedPolicy<Series>)]
struct SeriesResource;

#[model_resource(Tag, "/tags", "/tags/<name>", serializer = TagSerializer, policy = SharedPolicy<Tag>)]
struct TagResource;

#[model_resource(
    Article,
    "/articles",
    "/articles/<slug>",
    "/categories/<category_slug>/articles",
    "/series/<series_slug>/articles",
    "/users/<user_username>/articles",
    "/users/<user_username>/articles/<slug>",
    serializer = ArticleSerializer,
    policy = ArticlePolicy
)]
struct ArticleResource;

#[model_resource(
    ArticleTag,
    "/articles/<article_slug>/tags",
    "/users/<user_username>/articles/<article_slug>/tags",
    policy = ArticleTagPolicy
)]
struct ArticleTagResource;

/// Articles name their tags.
struct ArticleSerializer;

#[serializer]
impl ModelSerializer for ArticleSerializer {
    type Model = Article;

    fn fields(fields: SerializerFields<Article>) -> SerializerFields<Article> {
        fields
            .many_to_many::<TagSerializer>("tags", ArticleTag::ARTICLE_ID, ArticleTag::TAG_ID)
            .as_member("tags", Tag::NAME)
            .ordered("tags", Tag::NAME.asc())
            .always("tags")
            .writable("tags")
    }
}

/// Tags list the keys of their articles.
struct TagSerializer;

#[serializer]
impl ModelSerializer for TagSerializer {
    type Model = Tag;

    fn fields(fields: SerializerFields<Tag>) -> SerializerFields<Tag> {
        fields
            .many_to_many::<ArticleSerializer>("articles", ArticleTag::TAG_ID, ArticleTag::ARTICLE_ID)
            .as_keys("articles")
            .always("articles")
    }
}

/// Series list the slugs of their articles in reading order.
struct SeriesSerializer;

#[serializer]
impl ModelSerializer for SeriesSerializer {
    type Model = Series;

    fn fields(fields: SerializerFields<Series>) -> SerializerFields<Series> {
        fields
            .has_many::<ArticleSerializer>("articles", Article::SERIES_ID)
            .as_member("articles", Article::SLUG)
            .ordered("articles", Article::PART.asc())
            .always("articles")
    }
}

/// Returns the blog's api.
pub fn api() -> Api {
    Api::new("blog")
        .model_resource::<UserResource>()
        .model_resource::<CategoryResource>()
        .model_resource::<SeriesResource>()
        .model_resource::<TagResource>()
        .model_resource::<ArticleResource>()
        .model_resource::<ArticleTagResource>()
        .authenticator(UserHeader)
}
