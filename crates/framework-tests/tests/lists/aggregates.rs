//! Aggregates of lists: groups, counts, sums and the like by query parameters.

use model_resource::{Api, Columns, Decimal, Model, ModelResource, QuerySyntax, Timestamp, model_resource};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "loans")]
struct Loan {
    #[column(primary_key)]
    id: i64,
    branch_id: i64,
    loaned_at: Option<Timestamp>,
    #[column(precision = 8, scale = 2)]
    fee: Decimal,
    days: i64,
    ratio: f64,
    reader: String,
    /// Shown by the list, and not aggregated.
    note: Option<String>,
    #[column(default = "secret", hidden)]
    secret: String,
}

const COLUMNS: Columns<Loan> = Columns::of(Loan::BRANCH_ID)
    .and(Loan::LOANED_AT)
    .and(Loan::FEE)
    .and(Loan::DAYS)
    .and(Loan::RATIO)
    .and(Loan::READER);

struct LoanResource;

#[model_resource(Loan, "/loans", "/loans/<int:id>")]
impl ModelResource for LoanResource {
    const AGGREGATE: Columns<Loan> = COLUMNS;
    const SEARCH: Columns<Loan> = Columns::of(Loan::READER);
    const MAX_ROWS: Option<u64> = Some(4);
}

/// Declares no aggregates.
#[model_resource(Loan, "/plain")]
struct PlainResource;

struct DearResource;

#[model_resource(Loan, "/dear")]
impl ModelResource for DearResource {
    const AGGREGATE: Columns<Loan> = COLUMNS;
    const QUERY_BUDGET: Option<u64> = Some(20);
}

fn api() -> Api {
    Api::new("library")
        .model_resource::<LoanResource>()
        .model_resource::<PlainResource>()
        .model_resource::<DearResource>()
}

/// Starts an app with six loans of two branches.
async fn library(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    for (branch, moment, fee, days, reader) in [
        (1, json!("2026-01-05T10:00:00Z"), "2.50", 7, "Ann"),
        (1, json!("2026-01-31T23:59:59Z"), "0.25", 14, "Bob"),
        (1, json!("2026-02-01T00:00:00Z"), "1.00", 7, "Ann"),
        (2, json!("2026-01-10T10:00:00Z"), "4.00", 21, "Ann"),
        (2, json!("2025-12-31T10:00:00Z"), "0.00", 7, "Cem"),
        (2, Value::Null, "0.75", 1, "Cem"),
    ] {
        let loan = json!({"branchId": branch, "loanedAt": moment, "fee": fee, "days": days, "ratio": 0.5, "reader": reader});
        app.post("/loans", loan).await.expect(201);
    }
    app
}

/// Returns the groups of a query.
async fn groups(app: &TestApp, query: &str) -> Value {
    app.get(&format!("/loans?{query}")).await.expect(200).json()
}

/// Returns the message of a rejected query.
async fn rejected(app: &TestApp, path: &str) -> String {
    let body = app.get(path).await.expect(400).json();
    body["message"].as_str().unwrap().to_owned()
}

/// AGG-3: `group` names the keys, and each aggregate is a parameter; names of members follow from the fields.
#[tokio::test]
async fn a_list_is_grouped_and_aggregated_by_its_parameters() {
    let app = library(api()).await;
    let by_branch = groups(
        &app,
        "group=branchId&count&sum(fee)&avg(days)&min(reader)&max(days)&distinct(reader)&sum(ratio)",
    )
    .await;
    let expected = json!([
        {"branchId": 1, "count": 3, "feeSum": "3.75", "daysAvg": 28.0 / 3.0, "readerMin": "Ann", "daysMax": 14, "readerDistinct": 2, "ratioSum": 1.5},
        {"branchId": 2, "count": 3, "feeSum": "4.75", "daysAvg": 29.0 / 3.0, "readerMin": "Ann", "daysMax": 21, "readerDistinct": 2, "ratioSum": 1.5},
    ]);
    assert_eq!(by_branch, expected);
    let months = groups(&app, "group=branchId,month(loanedAt)&sum(days)&branchId=1").await;
    let expected = json!([
        {"branchId": 1, "loanedAtMonth": "2026-01", "daysSum": 21},
        {"branchId": 1, "loanedAtMonth": "2026-02", "daysSum": 7},
    ]);
    assert_eq!(months, expected);
    let years = groups(&app, "group=year(loanedAt)&count").await;
    let expected = json!([
        {"loanedAtYear": 2025, "count": 1},
        {"loanedAtYear": 2026, "count": 4},
        {"loanedAtYear": null, "count": 1},
    ]);
    assert_eq!(years, expected);
    let day = groups(
        &app,
        "group=day(loanedAt)&max(loanedAt)&loanedAt[gte]=2026-02-01T00:00:00Z",
    )
    .await;
    assert_eq!(
        day,
        json!([{"loanedAtDay": "2026-02-01", "loanedAtMax": "2026-02-01T00:00:00Z"}])
    );
    // Keys alone are the different values.
    assert_eq!(
        groups(&app, "group=reader").await,
        json!([{"reader": "Ann"}, {"reader": "Bob"}, {"reader": "Cem"}])
    );
    // Without keys all rows are one group, also if there are none.
    assert_eq!(
        groups(&app, "count&sum(days)").await,
        json!([{"count": 6, "daysSum": 57}])
    );
    assert_eq!(
        groups(&app, "count&sum(days)&days[gt]=99").await,
        json!([{"count": 0, "daysSum": null}])
    );
    assert_eq!(groups(&app, "group=branchId&count&days[gt]=99").await, json!([]));
}

/// AGG-3: filters and the search select the rows, `having` the groups, and `sort` orders them.
#[tokio::test]
async fn rows_are_filtered_and_groups_selected_and_ordered() {
    let app = library(api()).await;
    let readers = async |query: &str| {
        let found = groups(&app, &format!("group=reader&{query}")).await;
        let names = found
            .as_array()
            .unwrap()
            .iter()
            .map(|group| group["reader"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>().concat()
    };
    for (query, expected) in [
        ("count&sort=-count", "AnnCemBob"),
        ("count&sort=count,-reader", "BobCemAnn"),
        ("sort=-reader", "CemBobAnn"),
        ("sum(fee)&sort=-feeSum", "AnnCemBob"),
        ("q=n", "Ann"),
        ("or=(reader=Bob,days=1)", "BobCem"),
        ("branchId=2&count", "AnnCem"),
        ("count&having[count][gte]=2", "AnnCem"),
        ("count&having[count]=1", "Bob"),
        ("count&having[count][in]=1,3", "AnnBob"),
        ("count&having[count][nin]=1,3", "Cem"),
        ("count&having[count][between]=2,3", "AnnCem"),
        ("sum(fee)&having[feeSum][lt]=0.75", "Bob"),
        ("sum(days)&having[daysSum][gt]=8&having[daysSum][lt]=20", "Bob"),
        ("avg(days)&having[daysAvg][lt]=4.5", "Cem"),
        (
            "max(loanedAt)&having[loanedAtMax][gte]=2026-01-31T23:59:59Z",
            "AnnBob",
        ),
        ("min(loanedAt)&having[loanedAtMin][isnull]=true", ""),
        ("min(reader)&having[readerMin][ne]=Bob", "AnnCem"),
        ("max(loanedAt)&sort=loanedAtMax&nulls=first", "CemBobAnn"),
    ] {
        assert_eq!(readers(query).await, expected, "{query}");
    }
}

/// AGG-4: groups are paged by number and by offset, within the limit of the resource, and a cut page says so.
#[tokio::test]
async fn groups_are_paged_like_rows() {
    let app = library(api()).await;
    let first = app
        .get("/loans?group=loanedAt&count&limit=2&sort=-loanedAt")
        .await
        .expect(200);
    assert_eq!(first.json().as_array().unwrap().len(), 2);
    let link = first.header("link");
    assert!(
        link.contains("group=loanedAt") && link.contains("limit=2&offset=2>; rel=\"next\""),
        "{link}"
    );
    let next = groups(&app, "group=loanedAt&count&limit=2&offset=2&sort=-loanedAt").await;
    assert_eq!(next[0]["loanedAt"], "2026-01-31T23:59:59Z");
    let last = app
        .get("/loans?group=reader&count&page=2&pageSize=2")
        .await
        .expect(200);
    assert_eq!(last.json(), json!([{"reader": "Cem", "count": 2}]));
    assert!(!last.header("link").contains("next"));
    assert!(!last.headers.contains_key("x-total-count"));
    // Six groups, of which the resource shows four at once.
    let cut = app.get("/loans?group=loanedAt").await.expect(206);
    assert_eq!(cut.json().as_array().unwrap().len(), 4);
    assert!(cut.header("link").contains("rel=\"next\""));
    app.get("/loans?group=loanedAt&limit=5").await.expect(206);
    assert_eq!(groups(&app, "group=reader&limit=4&offset=9").await, json!([]));
}

/// AGG-5: mistakes are a 400 that names the parameter and the values it takes; nothing causes a 500.
#[tokio::test]
async fn mistakes_are_rejected_with_what_is_valid() {
    let app = library(api()).await;
    for (query, expected) in [
        (
            "group=",
            "The parameter \"group\" is not valid: It cannot be \"\"; there are branchId, loanedAt, fee, days, ratio, reader.",
        ),
        ("group=note", "It cannot be \"note\"; there are branchId,"),
        ("group=month(fee)", "It cannot be \"fee\"; there are loanedAt."),
        (
            "group=week(loanedAt)",
            "There is no function \"week\"; there are day, month, year.",
        ),
        (
            "group=branchId&sum(reader)",
            "The parameter \"sum(reader)\" is not valid: It cannot be \"reader\"; there are branchId, fee, days, ratio.",
        ),
        (
            "median(fee)",
            "There is no function \"median\"; there are sum, avg, min, max, distinct.",
        ),
        ("sum()", "It cannot be \"\""),
        ("sum(fee)=3", "It takes no value"),
        ("group=branchId&count=exact", "It takes no value"),
        ("group=branchId&group=reader", "given twice"),
        ("count&count", "given twice"),
        (
            "count&sort=reader",
            "Groups have no value \"reader\"; there are count.",
        ),
        ("group=reader&count&sort=-feeSum", "there are reader, count."),
        ("count&nulls=first", "It needs \"sort\"."),
        (
            "count&having[feeSum][gt]=1",
            "Groups have no value \"feeSum\"; there are count.",
        ),
        ("group=reader&count&having[reader]=Ann", "Filter the rows"),
        ("count&having[count][gte]=many", "Not a valid integer"),
        (
            "count&having[count][contains]=1",
            "Only texts can be compared in this way.",
        ),
        (
            "max(reader)&having[readerMax][contains]=A",
            "Groups cannot be compared in this way.",
        ),
        ("count&having[count][more]=1", "There is no operator \"more\""),
        ("sum(fee)&having[feeSum][gt]=0.001", "At most 2 digits"),
        ("count&having[count", "Write a value and an operator"),
        ("count&fields=id", "It does not go together with groups"),
        ("count&expand=x", "It does not go together with groups"),
        ("count&cursor=", "It does not go together with groups"),
        ("count&limit=0", "Not a whole number"),
        ("count&secret=1", "There is no field \"secret\"."),
        (
            "group=days,days,days,days,days,days,days,days,days,days,days",
            "more than 10",
        ),
        ("having[count][gte]=1", "Ask for a value of the groups"),
    ] {
        let message = rejected(&app, &format!("/loans?{query}")).await;
        assert!(message.contains(expected), "{query}: {message}");
    }
    // A parameter of lists keeps its meaning.
    let counted = app.get("/loans?limit=1&count=exact").await.expect(200);
    assert_eq!(counted.header("x-total-count"), "6");
}

/// AGG-5: a resource that names no columns has no aggregates.
#[tokio::test]
async fn a_resource_that_declares_none_has_no_aggregates() {
    let app = library(api()).await;
    for query in ["group=branchId", "count", "sum(fee)", "branchId=1&max(fee)"] {
        rejected(&app, &format!("/plain?{query}")).await;
    }
}

/// AGG-2: a sum of integers beyond 64 bits, or of other numbers beyond their range, is a 400.
#[tokio::test]
async fn a_sum_that_json_cannot_hold_is_a_400() {
    let app = library(api()).await;
    let loan = json!({"branchId": 3, "fee": "1.00", "days": i64::MAX, "ratio": 1.5e308, "reader": "Dia"});
    app.post("/loans", loan.clone()).await.expect(201);
    assert_eq!(
        groups(&app, "sum(days)&branchId=3").await,
        json!([{"daysSum": i64::MAX}])
    );
    app.post("/loans", loan).await.expect(201);
    for query in ["sum(days)", "sum(ratio)", "group=branchId&sum(days)"] {
        let message = rejected(&app, &format!("/loans?{query}")).await;
        assert!(message.starts_with("A sum is too large"), "{query}: {message}");
    }
    // It is still compared exactly.
    let small = groups(&app, "group=branchId&sum(days)&having[daysSum][lt]=29").await;
    assert_eq!(small, json!([{"branchId": 1, "daysSum": 28}]));
}

/// AGG-6: groups are also CSV and NDJSON.
#[tokio::test]
async fn groups_have_the_formats_of_lists() {
    let app = library(api()).await;
    let query = "/loans?group=branchId&count&sum(fee)&branchId[lt]=3&format=";
    let loan = json!({"branchId": 3, "fee": "-1.50", "days": -2, "ratio": 0.5, "reader": "=Dia"});
    app.post("/loans", loan).await.expect(201);
    // A negative sum is a number, and no formula.
    let negative = app
        .get("/loans?group=reader&sum(fee)&branchId=3&format=csv")
        .await;
    assert_eq!(negative.expect(200).text(), "reader,feeSum\r\n'=Dia,-1.50\r\n");
    let csv = app.get(&format!("{query}csv")).await.expect(200);
    assert_eq!(csv.text(), "branchId,count,feeSum\r\n1,3,3.75\r\n2,3,4.75\r\n");
    let lines = app.get(&format!("{query}ndjson")).await.expect(200);
    assert_eq!(
        lines.text(),
        "{\"branchId\":1,\"count\":3,\"feeSum\":\"3.75\"}\n{\"branchId\":2,\"count\":3,\"feeSum\":\"4.75\"}\n"
    );
}

/// AGG-7: an aggregate has a price, like other searches.
#[tokio::test]
async fn an_aggregate_beyond_the_budget_is_rejected() {
    let app = library(api()).await;
    app.database().execute("ANALYZE");
    app.store.refresh_statistics(&[Loan::table()]).await.unwrap();
    app.get("/dear?group=branchId&count").await.expect(200);
    let body = app
        .get("/dear?group=branchId,month(loanedAt)&count")
        .await
        .expect(400)
        .json();
    let message = body["message"].as_str().unwrap();
    assert!(
        message.contains("the budget is 20: \"group\" costs about 40"),
        "{message}"
    );
}

/// AGG-3: the syntax of other clients orders groups too.
#[tokio::test]
async fn the_syntax_of_simple_rest_filters_and_orders_groups() {
    let app = library(api().query_syntax(QuerySyntax::SimpleRest)).await;
    let found = groups(
        &app,
        "group=reader&count&sort=[%22count%22,%22DESC%22]&filter={%22branchId%22:2}",
    )
    .await;
    assert_eq!(
        found,
        json!([{"reader": "Cem", "count": 2}, {"reader": "Ann", "count": 1}])
    );
}
