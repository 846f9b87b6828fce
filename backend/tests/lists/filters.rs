//! Filters by fields of the rows and of related rows.

use ::http::Method;
use serde_json::json;

use crate::oracle::sample_body;
use crate::sample_articles::app_with_articles;
use crate::support::BackendApp;

/// LST-1: each operator finds the matching rows.
#[tokio::test]
async fn each_operator_finds_the_matching_rows() {
    let app = app_with_articles().await;
    for (query, found) in [
        ("title=Alpha", vec![1]),
        ("title[eq]=Alpha", vec![1]),
        ("title=Alpha&title=beta", vec![1, 2]),
        ("title[ne]=Alpha", vec![2, 3, 4, 5]),
        ("rating[gt]=3.25", vec![1, 4]),
        ("rating[gte]=3.25", vec![1, 4, 5]),
        ("rating[lt]=3.25", vec![3]),
        ("rating[lte]=3.25", vec![3, 5]),
        ("rating[gte]=2&rating[lt]=4", vec![3, 5]),
        ("rating[between]=2,3.25", vec![3, 5]),
        ("id[in]=2,4,9", vec![2, 4]),
        ("id[nin]=2,4", vec![1, 3, 5]),
        ("rating[ne]=4.5", vec![3, 5]),
        ("rating[nin]=4.5", vec![3, 5]),
        ("rating[isnull]=true", vec![2]),
        ("rating[isnull]=false", vec![1, 3, 4, 5]),
        ("title[contains]=eta", vec![2, 3]),
        ("title[contains]=Beta", vec![3]),
        ("title[icontains]=BETA", vec![2, 3]),
        ("title[startswith]=Be", vec![3]),
        ("title[endswith]=a", vec![1, 2]),
        ("title[like]=_eta%25", vec![2, 3]),
        ("title[like]=%25\\_ray", vec![4]),
        ("title[ilike]=B%25", vec![2, 3]),
        ("title[like]=_bung", vec![5]),
        ("published=true", vec![1, 3, 5]),
        (
            "createdAt[gt]=2020-01-01T00:00:00Z&publishDate[isnull]=true",
            vec![1, 2, 3, 4, 5],
        ),
    ] {
        assert_eq!(app.articles(query).await, found, "{query}");
    }
}

#[tokio::test]
async fn wildcards_in_values_are_literal() {
    let app = app_with_articles().await;
    for (query, found) in [
        ("title[contains]=%25", vec![3]),
        ("title[contains]=_", vec![4]),
        ("title[icontains]=0%25", vec![3]),
        ("title[contains]=*", vec![]),
        ("title[contains]=[", vec![]),
        ("title[startswith]=%25", vec![]),
        ("title[endswith]=?", vec![]),
        ("title[contains]=\\", vec![]),
    ] {
        assert_eq!(app.articles(query).await, found, "{query}");
    }
}

#[tokio::test]
async fn groups_can_be_nested() {
    let app = app_with_articles().await;
    for title in ["a,b", r"a\,b", "\"quoted\""] {
        let body = json!({"title": title, "body": "b"});
        app.post("/api/v1/articles", body).await.expect(201);
    }
    for (query, found) in [
        ("or=(id=1,id=2)", vec![1, 2]),
        ("or=(title=Alpha,rating[lt]=3)", vec![1, 3]),
        ("or=(id=2,and(published=true,rating[gt]=3))", vec![1, 2, 5]),
        ("not=(rating=4.5)&id[lt]=6", vec![2, 3, 5]),
        ("not=(rating[isnull]=true,id=2)&id[lt]=4", vec![1, 3]),
        ("or=(title=%22Beta%20100%25%22,id[in]=%221,2%22)", vec![1, 2, 3]),
        ("and=(id[gt]=1,not(id=3))&published=true", vec![5]),
        // Between quotation marks a backslash before a comma is kept, and the list parser reads it.
        (r"or=(title[in]=%22a%5C,b,Alpha%22)", vec![1, 6]),
        (r"or=(title=%22a%5C%5C,b%22)", vec![7]),
        (r"or=(title=%22a%5C,b%22)", vec![7]),
        (r"or=(title=%22%5C%22quoted%5C%22%22)", vec![8]),
        (r"or=(title=a%5C,b,id=1)", vec![1, 6]),
        (r"or=(title=a%5C%5C%5C,b)", vec![7]),
    ] {
        assert_eq!(app.articles(query).await, found, "{query}");
    }
}

/// LST-1: filters follow relations.
#[tokio::test]
async fn relations_are_followed() {
    let app = app_with_articles().await;
    for (query, found) in [
        ("category.name=Rust", vec![1, 4]),
        ("category.name[ne]=Rust", vec![2, 5]),
        ("not=(category.name=Rust)", vec![2, 3, 5]),
        ("category.name[isnull]=true", vec![3]),
        ("comments.body=first", vec![1, 4]),
        ("comments.body=second", vec![1]),
        ("not=(comments.body=first)", vec![2, 3, 5]),
        ("comments.id[isnull]=true", vec![2, 3, 5]),
        ("comments.article.category.name=Rust", vec![1, 4]),
    ] {
        assert_eq!(app.articles(query).await, found, "{query}");
    }
    app.rejects("comments.article.category.articles.title=x", "too many relations")
        .await;
    for far in ["category.articles.title", "comments.article.comments.body"] {
        app.rejects(&format!("{far}[contains]=beta"), "only be the first")
            .await;
        app.rejects(&format!("or=(id=1,{far}=beta)"), "only be the first")
            .await;
        app.rejects(&format!("sort={far}"), "several values").await;
    }
}

/// LST-6: every word of a search occurs in one of the declared fields.
#[tokio::test]
async fn every_word_of_a_search_is_in_one_of_the_declared_fields() {
    let app = app_with_articles().await;
    assert_eq!(app.articles("q=BETA").await, [2, 3]);
    assert_eq!(app.articles("q=beta%20about").await, [2, 3]);
    assert_eq!(app.articles("q=beta%20100%25").await, [3]);
    assert_eq!(app.articles("q=rust").await, [] as [i64; 0]);
    let refused = app.get("/api/v1/categories?q=Rust").await.expect(400).text();
    assert!(refused.contains("cannot be searched"), "{refused}");
}

/// LST-1: filters compare values inside documents.
#[tokio::test]
async fn filters_compare_values_inside_documents() {
    let app = app_with_articles().await;
    let mut created = Vec::new();
    for document in [
        json!({"color": "red", "size": 3, "tags": ["a", "b"], "new": true}),
        json!({"color": "blue", "size": 10.5, "tags": [], "deep": {"er": "x"}}),
        json!({"color": null, "size": "3", "new": false}),
        json!([1, {"color": "red"}]),
    ] {
        let mut body = crate::oracle::sample_body(0);
        body["extra"] = document;
        let sample = app.post("/api/v1/samples", body).await.expect(201).json();
        created.push(sample["id"].as_str().unwrap().to_owned());
    }
    for (query, found) in [
        ("extra.color=red", vec![0]),
        ("extra.color[ne]=red", vec![1]),
        ("extra.color[contains]=l", vec![1]),
        ("extra.color[isnull]=true", vec![2, 3]),
        ("extra.size=3", vec![0]),
        ("extra.size=\"3\"", vec![2]),
        ("extra.size[gt]=3", vec![1]),
        ("extra.size[between]=3,11", vec![0, 1]),
        ("extra.size[in]=3,10.5", vec![0, 1]),
        ("extra.new=true", vec![0]),
        ("extra.new[ne]=true", vec![2]),
        ("extra.tags.1=b", vec![0]),
        ("extra.1.color=red", vec![3]),
        ("extra.deep.er=x", vec![1]),
    ] {
        let query = query.replace('"', "%22");
        let list = app
            .get(&format!("/api/v1/samples?{query}"))
            .await
            .expect(200)
            .json();
        let mut expected: Vec<&str> = found
            .iter()
            .map(|place: &usize| created[*place].as_str())
            .collect();
        let mut ids: Vec<&str> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["id"].as_str().unwrap())
            .collect();
        expected.sort_unstable();
        ids.sort_unstable();
        assert_eq!(ids, expected, "{query}");
    }
    for query in [
        "extra=1",
        "extra.a%20b=1",
        "sort=extra",
        "sort=extra.color",
        "text.x=1",
    ] {
        app.get(&format!("/api/v1/samples?{query}")).await.expect(400);
    }
}

#[tokio::test]
async fn a_nested_url_is_still_limited_to_its_own_rows() {
    let app = app_with_articles().await;
    let list = app
        .get("/api/v1/articles/1/comments?body=first")
        .await
        .expect(200)
        .json();
    assert_eq!(crate::sample_articles::ids(&list), [1]);
    let list = app
        .get("/api/v1/articles/4/comments?or=(articleId=1,id[gt]=0)")
        .await;
    assert_eq!(crate::sample_articles::ids(&list.expect(200).json()), [3]);
    app.get("/api/v1/articles/99/comments?body=first")
        .await
        .expect(404);
}

/// LST-1: numbers in documents are doubles on both databases, in any notation.
#[tokio::test]
async fn numbers_in_documents_are_doubles_in_any_notation() {
    let app = BackendApp::start().await;
    let long = "1234567890".repeat(4) + "1";
    let fraction = "0.".to_owned() + &"3".repeat(300);
    let numbers = [
        "9007199254740993",
        "0.1",
        "1e300",
        "-1.5E+2",
        "5e-320",
        "1e-400",
        &long,
        &fraction,
    ];
    let mut body = sample_body(1);
    for number in numbers {
        body["extra"] = json!({"n": "here"});
        let text = body.to_string().replace("\"here\"", number);
        let body = Some(("application/json", text.into()));
        app.send(Method::POST, "/api/v1/samples", body).await.expect(201);
    }
    let count = async |query: &str| {
        let list = app.get(&format!("/api/v1/samples?fields=id&{query}")).await;
        list.expect(200).json().as_array().unwrap().len()
    };
    for number in numbers {
        let number = number.replace('+', "%2B");
        for test in ["eq", "in", "gte"] {
            assert!(count(&format!("extra.n[{test}]={number}")).await > 0, "{number}");
        }
        assert_eq!(count(&format!("extra.n[ne]={number}")).await, numbers.len() - 1);
    }
    // Its neighbour rounds to the same double.
    assert_eq!(count("extra.n=9007199254740992").await, 1);
    assert_eq!(count("extra.n[gt]=1e38").await, 2);
    assert_eq!(count("extra.n[in]=0,0.1,here,true").await, 2);
}

/// LST-3, LST-11: the maximum number of values at the maximum depth of a document is not a 500.
#[tokio::test]
async fn many_values_deep_in_documents_are_not_a_500() {
    let app = BackendApp::start().await;
    let values = |start: usize| {
        let values: Vec<String> = (start..start + 190)
            .map(|value| (value % 10).to_string())
            .collect();
        values.join(",")
    };
    let filters: Vec<String> = (0..5)
        .map(|test| format!("extra.a.b.c.d.e.f.g.{test}[nin]={}", values(test)))
        .collect();
    app.get(&format!("/api/v1/samples?{}", filters.join("&")))
        .await
        .expect(200);
    for (steps, status) in [(8, 200), (9, 400), (3000, 400)] {
        let path = ".a".repeat(steps);
        app.get(&format!("/api/v1/samples?extra{path}=1"))
            .await
            .expect(status);
    }
}
