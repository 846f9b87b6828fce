//! The models: their columns, constraints and messages.

use model_resource::Model;

/// An author of articles.
#[derive(Model)]
pub(crate) struct User {
    pub(crate) id: i64,
    #[column(
        unique,
        trim,
        lowercase,
        pattern = "[a-z0-9._-]+",
        max_length = 32,
        message(
            unique = "This user name is taken.",
            pattern = "Use letters, digits and . _ - only."
        )
    )]
    pub(crate) username: String,
}

/// A subject of articles.
#[derive(Model)]
#[model(table = "categories")]
pub(crate) struct Category {
    pub(crate) id: i64,
    #[column(
        unique,
        trim,
        min_length = 1,
        message(unique = "There is a category of this name already.")
    )]
    pub(crate) name: String,
    #[column(unique, slug(from = name))]
    pub(crate) slug: String,
}

/// Articles with a reading order.
#[derive(Model)]
#[model(table = "series")]
pub(crate) struct Series {
    pub(crate) id: i64,
    #[column(min_length = 1, max_length = 200)]
    pub(crate) title: String,
    #[column(unique, slug(from = title), message(unique = "There is a series of this title already."))]
    pub(crate) slug: String,
}

/// A keyword of articles.
#[derive(Model)]
pub(crate) struct Tag {
    pub(crate) id: i64,
    #[column(
        unique,
        trim,
        lowercase,
        pattern = "[a-z0-9-]+",
        message(unique = "This tag exists already.")
    )]
    pub(crate) name: String,
}

/// An article, identified by the slug of its first title.
#[derive(Model)]
#[model(unique(series_id, part, message = "The series has such a part already."))]
pub(crate) struct Article {
    pub(crate) id: i64,
    #[column(trim, min_length = 1, max_length = 200)]
    pub(crate) title: String,
    #[column(unique, slug(from = title, stable), message(unique = "There is an article of this title already."))]
    pub(crate) slug: String,
    /// `content` in JSON, `body_text` in the database.
    #[column(json = "content", name = "body_text")]
    pub(crate) body: String,
    #[column(default = false)]
    pub(crate) published: bool,
    #[column(references = User)]
    pub(crate) author_id: i64,
    #[column(references = Category)]
    pub(crate) category_id: i64,
    #[column(references = Series, on_delete = set_null)]
    pub(crate) series_id: Option<i64>,
    /// Position in the series.
    #[column(min = 1)]
    pub(crate) part: Option<i32>,
}

/// A tag of an article.
#[derive(Model)]
#[model(unique(article_id, tag_id))]
pub(crate) struct ArticleTag {
    pub(crate) id: i64,
    #[column(references = Article, on_delete = cascade)]
    pub(crate) article_id: i64,
    #[column(references = Tag, on_delete = cascade, message(missing_reference = "There is no such tag."))]
    pub(crate) tag_id: i64,
}
