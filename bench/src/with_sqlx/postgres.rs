//! Articles on PostgreSQL.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder, Row};

use super::handler_error::HandlerError;
use super::wire;
use crate::article::{
    Changes, Expand, NewArticle, Sort, Tag, WITH_CATEGORIES, Wanted, by_article, columns, tags_of,
};
use crate::outcome;

#[derive(FromRow, Serialize)]
#[serde(rename_all = "camelCase")]
struct Article {
    id: i64,
    title: String,
    slug: String,
    body: String,
    summary: Option<String>,
    published: bool,
    rating: Option<f64>,
    #[serde(serialize_with = "wire::price")]
    price: Option<Decimal>,
    publish_date: Option<NaiveDate>,
    category_id: Option<i64>,
    author_id: Option<i64>,
    #[serde(serialize_with = "wire::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "wire::moment")]
    updated_at: DateTime<Utc>,
}

#[derive(Serialize)]
struct WithCategory {
    #[serde(flatten)]
    article: Article,
    category: Option<Category>,
}

#[derive(Serialize)]
struct WithTags {
    #[serde(flatten)]
    article: Article,
    tags: Vec<Tag>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Category {
    id: i64,
    name: String,
    slug: String,
    #[serde(serialize_with = "wire::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "wire::moment")]
    updated_at: DateTime<Utc>,
}

impl FromRow<'_, PgRow> for WithCategory {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let category = match row.try_get("category_key")? {
            None => None,
            Some(id) => Some(Category {
                id,
                name: row.try_get("category_name")?,
                slug: row.try_get("category_slug")?,
                created_at: row.try_get("category_created_at")?,
                updated_at: row.try_get("category_updated_at")?,
            }),
        };
        Ok(Self {
            article: Article::from_row(row)?,
            category,
        })
    }
}

pub(super) async fn router(database: &str) -> Result<Router, outcome::Failure> {
    let pool = PgPool::connect(database).await?;
    Ok(Router::new()
        .route("/api/v1/articles", get(list).post(create))
        .route("/api/v1/articles/{id}", get(one).patch(patch))
        .with_state(pool))
}

async fn one(State(pool): State<PgPool>, Path(id): Path<i64>) -> Result<Json<Article>, HandlerError> {
    let sql = concat!("SELECT ", columns!(), " FROM articles WHERE id = $1");
    Ok(Json(sqlx::query_as(sql).bind(id).fetch_one(&pool).await?))
}

async fn list(State(pool): State<PgPool>, Query(wanted): Query<Wanted>) -> Result<Response, HandlerError> {
    match (wanted.expand, wanted.sort) {
        (Some(Expand::Category), None) => {
            let all: Vec<WithCategory> = sqlx::query_as(WITH_CATEGORIES).fetch_all(&pool).await?;
            Ok(Json(all).into_response())
        }
        (Some(Expand::Tags), None) => Ok(Json(with_tags(&pool).await?).into_response()),
        (None, Some(Sort::Newest)) => Ok(Json(newest(&pool, &wanted).await?).into_response()),
        (None, None) => {
            let sql = concat!("SELECT ", columns!(), " FROM articles ORDER BY id");
            let all: Vec<Article> = sqlx::query_as(sql).fetch_all(&pool).await?;
            Ok(Json(all).into_response())
        }
        (Some(_), Some(Sort::Newest)) => Err(HandlerError::Invalid),
    }
}

async fn with_tags(pool: &PgPool) -> Result<Vec<WithTags>, HandlerError> {
    let sql = concat!("SELECT ", columns!(), " FROM articles ORDER BY id");
    let all: Vec<Article> = sqlx::query_as(sql).fetch_all(pool).await?;
    let keys: Vec<i64> = all.iter().map(|article| article.id).collect();
    let sql = concat!(tags_of!(), " = ANY($1) ORDER BY tags.id");
    let mut tags = by_article(sqlx::query_as(sql).bind(keys).fetch_all(pool).await?);
    let with_tags = all.into_iter().map(|article| WithTags {
        tags: tags.remove(&article.id).unwrap_or_default(),
        article,
    });
    Ok(with_tags.collect())
}

async fn newest(pool: &PgPool, wanted: &Wanted) -> Result<Vec<Article>, HandlerError> {
    let mut query =
        QueryBuilder::<Postgres>::new(concat!("SELECT ", columns!(), " FROM articles WHERE TRUE"));
    if let Some(published) = wanted.published {
        query.push(" AND published = ").push_bind(published);
    }
    if let Some(rating) = wanted.least_rating {
        query.push(" AND rating >= ").push_bind(rating);
    }
    query.push(" ORDER BY created_at DESC, id DESC");
    if let Some(limit) = wanted.limit {
        query.push(" LIMIT ").push_bind(limit);
    }
    Ok(query.build_query_as().fetch_all(pool).await?)
}

async fn create(
    State(pool): State<PgPool>,
    Json(new): Json<NewArticle>,
) -> Result<(StatusCode, Json<Article>), HandlerError> {
    if !new.is_valid() {
        return Err(HandlerError::Invalid);
    }
    let sql = concat!(
        "INSERT INTO articles (title, slug, body, summary, published, rating, price, publish_date, category_id, \
         author_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ",
        columns!()
    );
    let now = Utc::now();
    let article = sqlx::query_as(sql)
        .bind(&new.title)
        .bind(slug::slugify(&new.title))
        .bind(&new.body)
        .bind(&new.summary)
        .bind(new.published)
        .bind(new.rating)
        .bind(new.price)
        .bind(new.publish_date)
        .bind(new.category_id)
        .bind(new.author_id)
        .bind(now)
        .bind(now)
        .fetch_one(&pool)
        .await?;
    Ok((StatusCode::CREATED, Json(article)))
}

async fn patch(
    State(pool): State<PgPool>,
    Path(id): Path<i64>,
    Json(changes): Json<Changes>,
) -> Result<Json<Article>, HandlerError> {
    if !changes.is_valid() {
        return Err(HandlerError::Invalid);
    }
    let mut query = QueryBuilder::<Postgres>::new("UPDATE articles SET updated_at = ");
    query.push_bind(Utc::now());
    if let Some(title) = changes.title {
        query.push(", slug = ").push_bind(slug::slugify(&title));
        query.push(", title = ").push_bind(title);
    }
    if let Some(body) = changes.body {
        query.push(", body = ").push_bind(body);
    }
    if let Some(summary) = changes.summary {
        query.push(", summary = ").push_bind(summary);
    }
    if let Some(published) = changes.published {
        query.push(", published = ").push_bind(published);
    }
    if let Some(rating) = changes.rating {
        query.push(", rating = ").push_bind(rating);
    }
    if let Some(price) = changes.price {
        query.push(", price = ").push_bind(price);
    }
    if let Some(date) = changes.publish_date {
        query.push(", publish_date = ").push_bind(date);
    }
    if let Some(category) = changes.category_id {
        query.push(", category_id = ").push_bind(category);
    }
    if let Some(author) = changes.author_id {
        query.push(", author_id = ").push_bind(author);
    }
    query.push(" WHERE id = ").push_bind(id);
    query.push(concat!(" RETURNING ", columns!()));
    Ok(Json(query.build_query_as().fetch_one(&pool).await?))
}
