//! Random queries: they return the rows of an evaluation in memory, and no input causes a 500.

use model_resource::QuerySyntax;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;

use crate::oracle::{Type, sample_body};
use crate::oracle_comparison::{ComparedResource, compare_random_queries};
use crate::sample_articles::{app_with_articles, app_with_articles_for};
use crate::strategies::{CASES, Field, runner, seed};
use crate::support::BackendApp;

const SAMPLE_FIELDS: &[Field] = &[
    ("id", Type::Text),
    ("flag", Type::Bool),
    ("small", Type::Number),
    ("number", Type::Number),
    ("big", Type::Number),
    ("single", Type::Number),
    ("ratio", Type::Number),
    ("text", Type::Text),
    ("blob", Type::Opaque),
    ("amount", Type::Decimal),
    ("day", Type::Text),
    ("clock", Type::Text),
    ("moment", Type::Text),
    ("token", Type::Text),
    ("color", Type::Text),
    ("maybeFlag", Type::Bool),
    ("maybeSmall", Type::Number),
    ("maybeBig", Type::Number),
    ("maybeRatio", Type::Number),
    ("maybeText", Type::Text),
    ("maybeBlob", Type::Opaque),
    ("maybeAmount", Type::Decimal),
    ("maybeDay", Type::Text),
    ("maybeClock", Type::Text),
    ("maybeMoment", Type::Text),
    ("maybeToken", Type::Text),
    ("maybeColor", Type::Text),
    ("extra.a.b", Type::Document),
    ("extra.s", Type::Document),
    ("extra.t", Type::Document),
    ("extra.l.1", Type::Document),
    ("maybeExtra.a.b", Type::Document),
    ("extra.none", Type::Document),
];

const ARTICLE_FIELDS: &[Field] = &[
    ("id", Type::Number),
    ("title", Type::Text),
    ("rating", Type::Number),
    ("published", Type::Bool),
    ("categoryId", Type::Number),
    ("category.name", Type::Text),
    ("category.id", Type::Number),
    ("comments.body", Type::Text),
    ("comments.id", Type::Number),
    ("comments.article.title", Type::Text),
];

const COMMENT_FIELDS: &[Field] = &[
    ("id", Type::Number),
    ("body", Type::Text),
    ("article.title", Type::Text),
];

/// LST-1: random queries over every type return the rows of an evaluation in memory.
#[tokio::test]
async fn random_queries_over_every_type_match_an_evaluation_in_memory() {
    let app = BackendApp::start().await;
    for seed in 0..40 {
        app.post("/api/v1/samples", sample_body(seed)).await.expect(201);
    }
    let rows = app.get("/api/v1/samples").await.expect(200).json();
    let sortable = SAMPLE_FIELDS.iter().copied();
    let sortable = sortable
        .filter(|(_, ty)| !matches!(ty, Type::Document | Type::Opaque))
        .collect();
    compare_random_queries(ComparedResource {
        app: &app,
        url: "/api/v1/samples",
        rows: rows.as_array().unwrap().clone(),
        fields: SAMPLE_FIELDS,
        sortable,
        search: &[],
    })
    .await;
}

#[tokio::test]
async fn random_queries_through_relations_match_an_evaluation_in_memory() {
    let app = app_with_articles().await;
    let rows = app
        .get("/api/v1/articles?expand=category,comments.article")
        .await
        .expect(200)
        .json();
    let sortable = ARTICLE_FIELDS.iter().copied();
    let sortable = sortable
        .filter(|(path, _)| !path.starts_with("comments"))
        .collect();
    compare_random_queries(ComparedResource {
        app: &app,
        url: "/api/v1/articles",
        rows: rows.as_array().unwrap().clone(),
        fields: ARTICLE_FIELDS,
        sortable,
        search: &["title", "body"],
    })
    .await;
}

#[tokio::test]
async fn random_queries_below_a_parent_match_an_evaluation_in_memory() {
    let app = app_with_articles().await;
    let url = "/api/v1/articles/1/comments";
    let rows = app.get(&format!("{url}?expand=article")).await.expect(200).json();
    compare_random_queries(ComparedResource {
        app: &app,
        url,
        rows: rows.as_array().unwrap().clone(),
        fields: COMMENT_FIELDS,
        sortable: COMMENT_FIELDS.to_vec(),
        search: &[],
    })
    .await;
}

/// LST-3: no random query is a 500.
#[tokio::test]
async fn no_random_query_is_a_500() {
    let apps = [
        app_with_articles().await,
        app_with_articles_for(QuerySyntax::SimpleRest).await,
    ];
    let mut runner = runner();
    let word = prop_oneof![
        select(vec![
            "title",
            "id",
            "rating",
            "category.name",
            "comments.body",
            "sort",
            "fields",
            "expand",
            "q",
            "page",
            "pageSize",
            "limit",
            "offset",
            "cursor",
            "count",
            "or",
            "and",
            "not",
            "nulls",
            "format",
            "author",
            "createdAt",
            "price",
            "range",
            "filter",
        ]),
        select(vec![
            "{", "}", ":", "[", "]", "=", "&", "(", ")", ",", ".", "-", "\\", "\"", "%25", "%00", "%ff", "+",
            "_", "'", ";", "1", "-1"
        ]),
        select(vec![
            "eq",
            "gt",
            "in",
            "between",
            "like",
            "isnull",
            "true",
            "null",
            "1e400",
            "9223372036854775808",
            "csv",
            "filter={\"title\":",
            "filter={\"category\":{\"name\":",
            "range=[0,",
            "sort=[\"id\",\"ASC\"]"
        ]),
    ];
    let query = prop::collection::vec(prop_oneof![word.prop_map(str::to_owned), "\\PC{0,3}"], 0..12);
    for number in 0..4 * CASES {
        let app = &apps[number % apps.len()];
        let words = query.new_tree(&mut runner).unwrap().current().concat();
        let encoded: String = words
            .chars()
            .map(|character| match character {
                'a'..='z'
                | 'A'..='Z'
                | '0'..='9'
                | '['
                | ']'
                | '='
                | '&'
                | '('
                | ')'
                | ','
                | '.'
                | '%'
                | '+' => character.to_string(),
                other => utf8_percent_encode(&other.to_string(), NON_ALPHANUMERIC).to_string(),
            })
            .collect();
        let response = app.get(&format!("/api/v1/articles?{encoded}")).await;
        let status = response.status.as_u16();
        assert!(
            matches!(status, 200 | 206 | 400),
            "{encoded} with RANDOM_SEED={}: {status} {}",
            seed(),
            response.text()
        );
    }
}
