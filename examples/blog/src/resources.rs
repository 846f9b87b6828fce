//! The resources: the URLs of each model.

use model_resource::{Api, ModelSerializer, model_resource, serializer};

use crate::models::{Article, ArticleTag, Category, Series, Tag, User};

struct UserSerializer;

#[serializer]
impl ModelSerializer for UserSerializer {
    type Model = User;
}

struct CategorySerializer;

#[serializer]
impl ModelSerializer for CategorySerializer {
    type Model = Category;
}

struct SeriesSerializer;

#[serializer]
impl ModelSerializer for SeriesSerializer {
    type Model = Series;
}

struct TagSerializer;

#[serializer]
impl ModelSerializer for TagSerializer {
    type Model = Tag;
}

struct ArticleSerializer;

#[serializer]
impl ModelSerializer for ArticleSerializer {
    type Model = Article;
}

struct ArticleTagSerializer;

#[serializer]
impl ModelSerializer for ArticleTagSerializer {
    type Model = ArticleTag;
}

#[model_resource(User, "/users", "/users/<username>")]
struct UserResource;

#[model_resource(Category, "/categories", "/categories/<slug>")]
struct CategoryResource;

#[model_resource(Series, "/series", "/series/<slug>")]
struct SeriesResource;

#[model_resource(Tag, "/tags", "/tags/<name>")]
struct TagResource;

#[model_resource(
    Article,
    "/articles",
    "/articles/<slug>",
    "/categories/<category_slug>/articles",
    "/series/<series_slug>/articles",
    "/users/<user_username>/articles",
    "/users/<user_username>/articles/<slug>"
)]
struct ArticleResource;

#[model_resource(
    ArticleTag,
    "/articles/<article_slug>/tags",
    "/users/<user_username>/articles/<article_slug>/tags"
)]
struct ArticleTagResource;

/// Returns the blog's api.
pub(crate) fn api() -> Api {
    Api::new("blog")
        .serializer::<UserSerializer>()
        .model_resource::<UserResource>()
        .serializer::<CategorySerializer>()
        .model_resource::<CategoryResource>()
        .serializer::<SeriesSerializer>()
        .model_resource::<SeriesResource>()
        .serializer::<TagSerializer>()
        .model_resource::<TagResource>()
        .serializer::<ArticleSerializer>()
        .model_resource::<ArticleResource>()
        .serializer::<ArticleTagSerializer>()
        .model_resource::<ArticleTagResource>()
}
