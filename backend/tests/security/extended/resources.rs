//! The extended application: further resources of the reference application's models, under its policies.

use backend::models::{Article, Comment, Tag, User};
use backend::policies::{ArticlePolicy, UserPolicy};
use backend::serializers::{ArticleSerializer, CommentSerializer};
use backend::{extensions, security, views};
use model_resource::{
    Api, CREATE, Caller, Columns, DELETE, GET, LIST, Model, ModelPolicy, ModelResource, ModelSerializer,
    Operations, PATCH, PUT, SerializerFields, Where, model_resource, serializer,
};
use model_resource_security::NewAccountSerializer;

/// Relates an article to a tag.
#[derive(Debug, Clone, Model)]
#[model(unique(article_id, tag_id))]
pub(super) struct ArticleLabel {
    #[column(primary_key)]
    id: i64,
    #[column(references = Article, on_delete = cascade)]
    article_id: i64,
    #[column(references = Tag, on_delete = cascade)]
    tag_id: i64,
    #[column(default = "")]
    note: String,
}

struct ArticleLabelResource;

#[model_resource(
    ArticleLabel,
    "/article-labels",
    "/article-labels/<int:id>",
    policy = ArticleLabelPolicy
)]
impl ModelResource for ArticleLabelResource {
    const MERGE_DUPLICATES: Columns<ArticleLabel> =
        Columns::of(ArticleLabel::ARTICLE_ID).and(ArticleLabel::TAG_ID);
}

/// An article that its author has pinned.
#[derive(Debug, Clone, Model)]
pub(super) struct Pin {
    #[column(primary_key = client, references = Article, on_delete = cascade)]
    article_id: i64,
    note: String,
}

/// A pin is seen by those who see its article, and written by those who may change the article.
struct PinPolicy;

impl ModelPolicy for PinPolicy {
    type Model = Pin;

    fn visible(caller: &Caller) -> Where<Pin> {
        Pin::ARTICLE_ID.references(ArticlePolicy::visible(caller))
    }

    fn updatable(caller: &Caller) -> Where<Pin> {
        Pin::ARTICLE_ID.references(ArticlePolicy::updatable(caller))
    }

    fn writable(caller: &Caller) -> Where<Pin> {
        Self::updatable(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

struct PinResource;

#[model_resource(Pin, "/pins", "/pins/<int:article_id>", policy = PinPolicy)]
impl ModelResource for PinResource {
    const PUT_CREATES: bool = true;
}

/// A label is seen by those who see its article, and written by those who may change the article.
struct ArticleLabelPolicy;

impl ModelPolicy for ArticleLabelPolicy {
    type Model = ArticleLabel;

    fn visible(caller: &Caller) -> Where<ArticleLabel> {
        ArticleLabel::ARTICLE_ID.references(ArticlePolicy::visible(caller))
    }

    fn updatable(caller: &Caller) -> Where<ArticleLabel> {
        ArticleLabel::ARTICLE_ID.references(ArticlePolicy::updatable(caller))
    }

    fn writable(caller: &Caller) -> Where<ArticleLabel> {
        Self::updatable(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}

/// Articles that are written with their labels and comments.
struct LabelledArticleSerializer;

#[serializer]
impl ModelSerializer for LabelledArticleSerializer {
    type Model = Article;

    fn fields(fields: SerializerFields<Article>) -> SerializerFields<Article> {
        fields
            .many_to_many::<LabelSerializer>("tags", ArticleLabel::ARTICLE_ID, ArticleLabel::TAG_ID)
            .as_keys("tags")
            .always("tags")
            .writable("tags")
            .has_many::<CommentSerializer>("comments", Comment::ARTICLE_ID)
            .writable("comments")
            .belongs_to::<AuthorWithArticlesSerializer>("author", Article::AUTHOR_ID)
    }
}

struct LabelledArticleResource;

#[model_resource(
    Article,
    "/articles",
    "/articles/<int:id>",
    serializer = LabelledArticleSerializer,
    policy = ArticlePolicy
)]
impl ModelResource for LabelledArticleResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
    const AGGREGATE: Columns<Article> = Columns::of(Article::PUBLISHED).and(Article::AUTHOR_ID);
    const FILTER_METHODS: Operations = Operations::of([PATCH, DELETE]);
}

/// Tags with their articles.
struct LabelSerializer;

#[serializer]
impl ModelSerializer for LabelSerializer {
    type Model = Tag;

    fn fields(fields: SerializerFields<Tag>) -> SerializerFields<Tag> {
        fields
            .many_to_many::<ArticleSerializer>("articles", ArticleLabel::TAG_ID, ArticleLabel::ARTICLE_ID)
            .writable("articles")
    }
}

struct LabelResource;

#[model_resource(Tag, "/labels", "/labels/<int:id>", serializer = LabelSerializer)]
impl ModelResource for LabelResource {
    const PUBLIC: bool = true;
}

/// Users that are written with their articles.
struct AuthorWithArticlesSerializer;

#[serializer]
impl ModelSerializer for AuthorWithArticlesSerializer {
    type Model = User;
    const FIELDS: Columns<User> = Columns::of(User::ID).and(User::USERNAME);

    fn fields(fields: SerializerFields<User>) -> SerializerFields<User> {
        fields
            .has_many::<ArticleSerializer>("articles", Article::AUTHOR_ID)
            .writable("articles")
    }
}

struct AuthorResource;

#[model_resource(
    User,
    "/authors",
    "/authors/<int:id>",
    serializers = [AuthorWithArticlesSerializer, NewAccountSerializer<User>],
    policy = UserPolicy
)]
impl ModelResource for AuthorResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, GET, PUT, PATCH]);
    const AGGREGATE: Columns<User> = Columns::of(User::USERNAME);
}

/// Returns the reference application with these resources.
pub(super) fn api() -> Api {
    extensions::api::api()
        .model_resource::<views::categories::CategoryResource>()
        .model_resource::<views::comments::CommentResource>()
        .model_resource::<LabelledArticleResource>()
        .model_resource::<LabelResource>()
        .model_resource::<ArticleLabelResource>()
        .model_resource::<PinResource>()
        .model_resource::<AuthorResource>()
        .authenticator(security::UserSecurity::new())
}
