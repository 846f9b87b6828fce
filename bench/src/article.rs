//! Request bodies and queries, shared by both hand-written servers.

use std::collections::HashMap;

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize};

/// Columns in the order of the table and of the JSON object, for use in statements.
macro_rules! columns {
    () => {
        "id, title, slug, body, summary, published, rating, price, publish_date, category_id, author_id, \
         created_at, updated_at"
    };
}
pub(crate) use columns;

/// Selects articles with the columns of their category, if any.
pub(crate) const WITH_CATEGORIES: &str = "SELECT articles.id, articles.title, articles.slug, articles.body, \
     articles.summary, articles.published, articles.rating, articles.price, articles.publish_date, \
     articles.category_id, articles.author_id, articles.created_at, articles.updated_at, \
     categories.id AS category_key, categories.name AS category_name, categories.slug AS category_slug, \
     categories.created_at AS category_created_at, categories.updated_at AS category_updated_at \
     FROM articles LEFT JOIN categories ON categories.id = articles.category_id ORDER BY articles.id";

/// Selects the tags of articles, with the key of the article. The keys of the articles follow.
macro_rules! tags_of {
    () => {
        "SELECT article_tags.article_id, tags.id, tags.name FROM article_tags JOIN tags ON tags.id = \
         article_tags.tag_id WHERE article_tags.article_id"
    };
}
pub(crate) use tags_of;

/// Tag of an article.
#[derive(sqlx::FromRow)]
pub(crate) struct ArticleTag {
    pub(crate) article_id: i64,
    #[sqlx(flatten)]
    pub(crate) tag: Tag,
}

#[derive(sqlx::FromRow, Serialize)]
pub(crate) struct Tag {
    id: i64,
    name: String,
}

/// Groups tags by the keys of their articles.
pub(crate) fn by_article(all: Vec<ArticleTag>) -> HashMap<i64, Vec<Tag>> {
    let mut grouped: HashMap<i64, Vec<Tag>> = HashMap::new();
    for one in all {
        grouped.entry(one.article_id).or_default().push(one.tag);
    }
    grouped
}

/// Query parameters of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    pub(crate) published: Option<bool>,
    #[serde(rename = "rating[gte]")]
    pub(crate) least_rating: Option<f64>,
    pub(crate) sort: Option<Sort>,
    pub(crate) limit: Option<i64>,
    pub(crate) expand: Option<Expand>,
}

#[derive(Clone, Copy, Deserialize)]
pub(crate) enum Sort {
    #[serde(rename = "-createdAt")]
    Newest,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expand {
    Category,
    Tags,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewArticle {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) summary: Option<String>,
    #[serde(default)]
    pub(crate) published: bool,
    pub(crate) rating: Option<f64>,
    pub(crate) price: Option<Decimal>,
    pub(crate) publish_date: Option<NaiveDate>,
    pub(crate) category_id: Option<i64>,
    pub(crate) author_id: Option<i64>,
}

/// Changes of a PATCH. The outer option is whether a column changes, the inner one its value.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Changes {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) summary: Option<Option<String>>,
    pub(crate) published: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) rating: Option<Option<f64>>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) price: Option<Option<Decimal>>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) publish_date: Option<Option<NaiveDate>>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) category_id: Option<Option<i64>>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) author_id: Option<Option<i64>>,
}

fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(value: D) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

impl NewArticle {
    pub(crate) fn is_valid(&self) -> bool {
        is_title(&self.title) && self.price.is_none_or(is_price)
    }
}

impl Changes {
    pub(crate) fn is_valid(&self) -> bool {
        self.title.as_deref().is_none_or(is_title) && self.price.flatten().is_none_or(is_price)
    }
}

fn is_title(title: &str) -> bool {
    (1..=200).contains(&title.chars().count())
}

fn is_price(price: Decimal) -> bool {
    price.normalize().scale() <= 2 && price.abs() < Decimal::from(100_000_000)
}

/// Returns a price in hundredths, as SQLite stores it.
pub(crate) fn cents(price: Decimal) -> i64 {
    let mut price = price;
    price.rescale(2);
    i64::try_from(price.mantissa()).unwrap_or_default()
}

/// Returns a date in days since 1970, as SQLite stores it.
pub(crate) fn days(date: NaiveDate) -> i64 {
    date.signed_duration_since(NaiveDate::default()).num_days()
}
