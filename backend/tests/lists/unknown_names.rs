//! Unknown names are rejected with the name, and unreadable fields are unknown.

use crate::sample_articles::app_with_articles;

/// LST-2: an unreadable field is rejected like a nonexistent one.
#[tokio::test]
async fn an_unreadable_field_is_rejected_like_a_nonexistent_one() {
    let app = app_with_articles().await;
    for hidden in [
        "author.passwordHash[like]=$%25",
        "author.passwordHash[startswith]=$",
        "sort=author.passwordHash",
        "fields=author.passwordHash&expand=author",
        "author.email=x",
        "author.email[isnull]=false",
        "or=(id=1,author.email=x)",
    ] {
        let missing = hidden
            .replace("passwordHash", "passwordHush")
            .replace("email", "emial");
        let [hidden_answer, missing_answer] =
            [hidden, &missing].map(|query| format!("/api/v1/articles?{query}"));
        let hidden_answer = app.get(&hidden_answer).await.expect(400).text();
        let missing_answer = app.get(&missing_answer).await.expect(400).text();
        let masked = missing_answer
            .replace("passwordHush", "passwordHash")
            .replace("emial", "email");
        assert_eq!(hidden_answer, masked, "{hidden}");
    }
    for query in [
        "passwordHash=x",
        "expand=sessions",
        "fields=passwordHash",
        "sort=passwordHash",
    ] {
        app.rejects(query, "There is no field").await;
    }
}

#[tokio::test]
async fn names_are_the_wire_names_and_nothing_else() {
    let app = app_with_articles().await;
    for name in [
        "category_id",
        "CategoryId",
        "articles.title",
        "\"title\"",
        "title::text",
        "t1.title",
        "title%00",
        "title ",
        "title[eq",
        "[eq]",
        "",
    ] {
        let name = name.replace(' ', "%20").replace('"', "%22");
        let response = app.get(&format!("/api/v1/articles?{name}=1")).await;
        assert_eq!(response.status, 400, "{name}: {}", response.text());
    }
}

/// LST-2: a misspelt name is reported with a suggestion.
#[tokio::test]
async fn a_misspelt_name_is_reported_with_a_suggestion() {
    let app = app_with_articles().await;
    app.rejects("titel=x", "did you mean \"title\"").await;
    app.rejects("category.nmae=x", "did you mean \"category.name\"")
        .await;
    app.rejects("title[contain]=x", "did you mean \"contains\"").await;
    app.rejects("sort=titel", "did you mean \"title\"").await;
    app.rejects("fields=titel", "did you mean \"title\"").await;
    app.rejects("expand=autor", "did you mean \"author\"").await;
    app.rejects("expand=title", "There is no field \"title\".").await;
    let relation = |name: &str| format!("The relation \"{name}\" is written only with expand={name}.");
    for name in ["category", "category.name"] {
        app.rejects(&format!("fields={name}"), &relation("category"))
            .await;
    }
    app.rejects(
        "expand=comments&fields=comments.article",
        &relation("comments.article"),
    )
    .await;
    app.rejects("category=1", "no value").await;
    app.rejects("sort=comments.body", "several values").await;
}

/// LST-3: only members of its objects may follow a relation.
#[tokio::test]
async fn nothing_may_follow_a_field_that_is_not_a_relation() {
    let app = app_with_articles().await;
    for query in [
        "fields=title.foo",
        "fields=title.",
        "fields=id,.title",
        "fields=",
        "fields=category.&expand=category",
        "fields=category..name&expand=category",
        "fields=category.name.&expand=category",
        "expand=category.",
        "expand=category..",
        "expand=",
    ] {
        app.rejects(query, "There is no field").await;
    }
    let nowhere = app.get("/api/v1/articles/1?fields=title.foo").await;
    nowhere.expect(400);
}

/// LST-4: SQL is a value or is rejected.
#[tokio::test]
async fn sql_is_a_value_or_is_rejected() {
    let app = app_with_articles().await;
    let before = app.database().rows();
    for sort in ["id;drop table users--", "(select 1)", "id desc,1", "id--", "1"] {
        let sort = sort.replace(' ', "%20").replace(';', "%3B");
        app.rejects(&format!("sort={sort}"), "There is no field").await;
    }
    let operators = [
        "eq",
        "ne",
        "gt",
        "gte",
        "lt",
        "lte",
        "in",
        "nin",
        "contains",
        "icontains",
        "startswith",
        "endswith",
        "like",
        "ilike",
        "between",
        "isnull",
    ];
    for value in [
        "' or 1=1--",
        "0) and 1=(select pg_sleep(5))--",
        "\\",
        "'",
        "\"",
        "${x}",
    ] {
        for field in [
            "id",
            "title",
            "rating",
            "price",
            "publishDate",
            "published",
            "createdAt",
            "category.name",
        ] {
            for operator in operators {
                let query = format!("{field}[{operator}]={value}");
                let query: String = query.bytes().map(encode).collect();
                let response = app.get(&format!("/api/v1/articles?{query}")).await;
                match response.status.as_u16() {
                    400 => {}
                    200 if operator == "ne" || operator == "nin" => {}
                    200 if operator.starts_with('g') || operator.starts_with('l') => {}
                    200 => assert_eq!(response.json(), serde_json::json!([]), "{query}"),
                    status => panic!("{query}: {status}"),
                }
            }
        }
    }
    assert_eq!(app.database().rows(), before);
}

fn encode(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'[' | b']' | b'=' | b'.' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    }
}

/// LST-3: invalid values are rejected with the parameter's name.
#[tokio::test]
async fn wrong_values_are_rejected_and_the_parameter_is_named() {
    let app = app_with_articles().await;
    app.rejects("id=x", "\"id\" is not valid").await;
    app.rejects("id=1.0", "Not a valid integer").await;
    app.rejects("rating[gt]=NaN", "Not a valid number").await;
    app.rejects("published=yes", "Not a valid boolean").await;
    app.rejects("publishDate=2024-02-30", "Not a valid date").await;
    app.rejects("published[gt]=false", "cannot be ordered").await;
    app.rejects("rating[contains]=4", "Only texts").await;
    app.rejects("rating[between]=4", "Two values").await;
    app.rejects("rating[isnull]=1", "Not a valid boolean").await;
    app.rejects("title=%00", "Null characters").await;
    app.rejects("title=%ff", "UTF-8").await;
    app.rejects("or=title=x", "between parentheses").await;
    app.rejects("or=(title=x", "not closed").await;
    app.rejects("or=(title=x)y", "last parenthesis").await;
    app.rejects("nulls=first", "needs \"sort\"").await;
    app.rejects("sort=id&sort=title", "given twice").await;
}

/// LST-11: limits are enforced.
#[tokio::test]
async fn the_size_of_a_query_is_limited() {
    let app = app_with_articles().await;
    app.rejects(&vec!["id[gt]=0"; 51].join("&"), "more than 50 filters")
        .await;
    app.rejects(
        &format!("id[in]={}", vec!["1"; 201].join(",")),
        "more than 200 values",
    )
    .await;
    app.rejects(&format!("sort={}", ["id"; 9].join(",")), "more than 8")
        .await;
    app.rejects(&format!("title[like]={}", "%25a".repeat(6)), "wildcards")
        .await;
    app.rejects("or=(or(or(or(or(or(id=1))))))", "more than 5 deep")
        .await;
    app.rejects("expand=comments.article.category.articles", "too many relations")
        .await;
    app.rejects(&format!("expand={}", ["author"; 11].join(",")), "more than 10")
        .await;
    app.rejects(&format!("fields={}", ["id"; 101].join(",")), "more than 100")
        .await;
    app.rejects(&format!("q={}", ["a"; 9].join("+")), "more than 8 words")
        .await;
    let long = app
        .get(&format!("/api/v1/articles?title={}", "a".repeat(9000)))
        .await;
    assert_eq!(long.status, 414);
}

/// LST-3: a misspelt parameter is reported with the nearest one, as opposed to a field.
#[tokio::test]
async fn a_misspelt_parameter_is_reported_with_the_nearest_one() {
    let app = app_with_articles().await;
    for (name, meant) in [
        ("pagesize", "pageSize"),
        ("page_size", "pageSize"),
        ("limt", "limit"),
        ("feilds", "fields"),
        ("Q", "q"),
    ] {
        app.rejects(
            &format!("{name}=1"),
            &format!("{name:?}; did you mean {meant:?}?"),
        )
        .await;
    }
    app.rejects("fields=*", "There is no field \"*\".").await;
}
