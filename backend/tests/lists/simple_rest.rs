//! Lists in the syntax of react-admin's `ra-data-simple-rest`.

use model_resource::QuerySyntax;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use test_support::Response;

use crate::sample_articles::{app_with_articles, app_with_articles_for, ids};
use crate::support::BackendApp;

async fn simple_rest() -> BackendApp {
    app_with_articles_for(QuerySyntax::SimpleRest).await
}

/// Builds a query string from parameters.
fn query(parameters: &[(&str, &str)]) -> String {
    let pairs = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    pairs.collect::<Vec<_>>().join("&")
}

async fn list(app: &BackendApp, parameters: &[(&str, &str)]) -> Response {
    app.get(&format!("/api/v1/articles?{}", query(parameters))).await
}

#[tokio::test]
async fn a_sorted_range_reports_the_number_of_objects() {
    let app = simple_rest().await;
    let page = [
        ("sort", r#"["title","DESC"]"#),
        ("range", "[1,2]"),
        ("filter", "{}"),
    ];
    let response = list(&app, &page).await.expect(200);
    let sorted = app.articles("sort=-title").await;
    assert_eq!(ids(&response.json()), sorted[1..3]);
    assert_eq!(response.header("content-range"), "items 1-2/5");
    let ascending = [("sort", r#"["rating","asc"]"#)];
    let response = list(&app, &ascending).await.expect(200);
    assert_eq!(ids(&response.json()), app.articles("sort=rating").await);
    let beyond = list(&app, &[("range", "[10,19]")]).await.expect(200);
    assert_eq!(
        (beyond.text().as_str(), beyond.header("content-range")),
        ("[]", "items */5")
    );
    let uncounted = list(&app, &[("range", "[0,9]"), ("count", "none")]).await;
    assert_eq!(uncounted.expect(200).header("content-range"), "");
}

#[tokio::test]
async fn the_links_of_a_range_lead_to_the_adjacent_pages() {
    let app = simple_rest().await;
    let page = [
        ("sort", r#"["id","DESC"]"#),
        ("range", "[0,1]"),
        ("filter", r#"{"id":[1,2,4,5]}"#),
    ];
    let response = list(&app, &page).await.expect(200);
    assert_eq!(ids(&response.json()), [5, 4]);
    let links = response.header("link").split(", ");
    let next = links.clone().find(|link| link.ends_with("rel=\"next\"")).unwrap();
    let url = next.split(['<', '>']).nth(1).unwrap();
    let next = app.get(url).await.expect(200);
    assert_eq!(ids(&next.json()), [2, 1]);
    assert_eq!(next.header("content-range"), "items 2-3/4");
}

#[tokio::test]
async fn a_filter_is_equivalent_to_native_parameters() {
    let app = simple_rest().await;
    for (filter, own) in [
        (r#"{}"#, ""),
        (r#"null"#, ""),
        (r#"{"title":"Beta 100%"}"#, "title=Beta+100%25"),
        (r#"{"published":true}"#, "published=true"),
        (
            r#"{"rating":4.5,"published":false}"#,
            "rating=4.5&published=false",
        ),
        (r#"{"id":[4,2,77]}"#, "id=2&id=4"),
        (r#"{"title":["a,b","Alpha","back\\slash"]}"#, "title=Alpha"),
        (r#"{"rating":null}"#, "rating[isnull]=true"),
        (r#"{"rating":{"gte":3,"lt":4.5}}"#, "rating[gte]=3&rating[lt]=4.5"),
        (r#"{"rating[gte]":3}"#, "rating[gte]=3"),
        (r#"{"rating":{"between":[2,4]}}"#, "rating[between]=2,4"),
        (r#"{"id":{"nin":[1,2]}}"#, "id[nin]=1,2"),
        (r#"{"title":{"startswith":"Be"}}"#, "title[startswith]=Be"),
        (r#"{"category.name":"Rust"}"#, "category.name=Rust"),
        (r#"{"category":{"name":"Rust"}}"#, "category.name=Rust"),
        (
            r#"{"category":{"name":{"contains":"ata"}}}"#,
            "category.name[contains]=ata",
        ),
        (r#"{"comments":{"body":"second"}}"#, "comments.body=second"),
        (r#"{"q":"about beta"}"#, "q=about+beta"),
    ] {
        let found = ids(&list(&app, &[("filter", filter)]).await.expect(200).json());
        assert_eq!(found, app.articles(own).await, "{filter}");
    }
    let found = list(&app, &[("filter", r#"{"title":["gamma_ray","Alpha"]}"#)]).await;
    assert_eq!(ids(&found.expect(200).json()), [1, 4]);
}

#[tokio::test]
async fn native_parameters_can_be_combined() {
    let app = simple_rest().await;
    let mixed = [
        ("sort", "-title"),
        ("rating[gte]", "2"),
        ("filter", r#"{"published":true}"#),
        ("fields", "id,title"),
        ("range", "[0,0]"),
    ];
    let response = list(&app, &mixed).await.expect(200);
    assert_eq!(response.header("content-range"), "items 0-0/3");
    assert_eq!(response.json()[0].as_object().unwrap().len(), 2);
    let numbered = app.get("/api/v1/articles?page=2&pageSize=2&sort=id").await;
    assert_eq!(ids(&numbered.expect(200).json()), [3, 4]);
}

#[tokio::test]
async fn invalid_parameters_are_rejected_by_name() {
    let app = simple_rest().await;
    for (name, value, expected) in [
        ("sort", r#"["title"]"#, "\"sort\""),
        ("sort", r#"["title","UP"]"#, "\"sort\""),
        ("sort", r#"["title","ASC""#, "\"sort\""),
        ("sort", r#"["title,id","DESC"]"#, "\"sort\""),
        ("sort", r#"["-title","ASC"]"#, "\"sort\""),
        ("sort", r#"["titel","ASC"]"#, "title"),
        ("sort", r#"["author.passwordHash","ASC"]"#, "passwordHash"),
        ("range", "[0]", "\"range\""),
        ("range", "[0,-1]", "\"range\""),
        ("range", "[5,4]", "\"range\""),
        ("range", "[0,1.5]", "\"range\""),
        ("range", "0-24", "\"range\""),
        ("range", "[0,9223372036854775807]", "\"range\""),
        ("range", "[0,18446744073709551616]", "\"range\""),
        ("filter", "", "\"filter\""),
        ("filter", "{", "\"filter\""),
        ("filter", "[1]", "\"filter\""),
        ("filter", "7", "\"filter\""),
        ("filter", r#"{"titel":"x"}"#, "title"),
        ("filter", r#"{"author":{"passwordHash":"x"}}"#, "passwordHash"),
        ("filter", r#"{"limit":1}"#, "limit"),
        ("filter", r#"{"or":"(id=1)"}"#, "or"),
        ("filter", r#"{"sort":"id"}"#, "sort"),
        ("filter", r#"{"rating":{"above":1}}"#, "above"),
        ("filter", r#"{"rating[above]":1}"#, "above"),
        ("filter", r#"{"rating":"good"}"#, "rating"),
        ("filter", r#"{"id":[]}"#, "id"),
        ("filter", r#"{"id":[null]}"#, "id"),
        ("filter", r#"{"id":[[1]]}"#, "id"),
        ("filter", r#"{"rating":{"gte":[1,2]}}"#, "rating"),
        ("filter", r#"{"rating":{"gte":{"lt":1}}}"#, "rating"),
        ("filter", r#"{"q":["a"]}"#, "\"q\""),
        ("filter", r#"{"title":"a\u0000b"}"#, "title"),
    ] {
        app.rejects(&query(&[(name, value)]), expected).await;
    }
    let deep = format!("{{\"title\":{}1{}}}", "{\"eq\":".repeat(200), "}".repeat(200));
    app.rejects(&query(&[("filter", &deep)]), "\"filter\"").await;
    for other in ["page=1", "pageSize=2", "limit=2", "offset=2", "cursor="] {
        let name = other.split('=').next().unwrap();
        app.rejects(&format!("range=[0,1]&{other}"), name).await;
    }
    app.rejects("range=[0,1]&range=[0,1]", "given twice").await;
}

/// LST-3: filters that would be ignored, and so return more rows than requested, are rejected.
#[tokio::test]
async fn an_empty_filter_and_a_repeated_one_are_rejected() {
    let app = simple_rest().await;
    for (filter, expected) in [
        (r#"{"title":{}}"#, "title"),
        (r#"{"nope":{}}"#, "nope"),
        (r#"{"passwordHash":{}}"#, "passwordHash"),
        (r#"{"category":{"name":{}}}"#, "category.name"),
        (r#"{"id":5,"id":6}"#, "\"id\" stands in it twice"),
        (r#"{"id":1,"\u0069d":1}"#, "\"id\" stands in it twice"),
        (r#"{"rating":{"gte":5,"gte":1}}"#, "\"gte\" stands in it twice"),
    ] {
        app.rejects(&query(&[("filter", filter)]), expected).await;
    }
}

#[tokio::test]
async fn simple_rest_parameters_are_accepted_only_if_configured() {
    let app = app_with_articles().await;
    app.rejects(&query(&[("range", "[0,1]")]), "range").await;
    app.rejects(&query(&[("filter", "{}")]), "filter").await;
    app.rejects(&query(&[("sort", r#"["title","ASC"]"#)]), "title")
        .await;
}
