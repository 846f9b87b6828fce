//! Aggregates of rows and columns that a caller cannot see.

use std::collections::BTreeMap;

use model_resource::{
    Api, Caller, Columns, Context, Error, LIST, MethodDecorators, Model, ModelPolicy, ModelResource, Next,
    Reply, Result, Where, model_resource,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

/// A caller who sees everything.
const LIBRARIAN: &str = "99 librarian";

#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
struct Branch {
    #[column(primary_key)]
    id: i64,
    is_open: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "loans")]
struct Loan {
    #[column(primary_key)]
    id: i64,
    #[column(references = Branch)]
    branch_id: i64,
    reader_id: i64,
    is_open: bool,
    days: i64,
    /// Hidden from anonymous callers.
    fine: i64,
    /// Private: shown on the caller's own loans.
    title: String,
    /// Hidden from everyone.
    #[column(default = 7, hidden)]
    secret: i64,
}

const COLUMNS: Columns<Loan> = Columns::of(Loan::BRANCH_ID)
    .and(Loan::READER_ID)
    .and(Loan::DAYS)
    .and(Loan::FINE)
    .and(Loan::TITLE);

struct BranchPolicy;

impl ModelPolicy for BranchPolicy {
    type Model = Branch;

    fn visible(caller: &Caller) -> Where<Branch> {
        if caller.has_role("librarian") {
            Where::all()
        } else {
            Branch::IS_OPEN.eq(true)
        }
    }
}

struct LoanPolicy;

impl ModelPolicy for LoanPolicy {
    type Model = Loan;

    fn visible(caller: &Caller) -> Where<Loan> {
        if caller.has_role("librarian") {
            Where::all()
        } else {
            Loan::IS_OPEN.eq(true).or(caller.owned_by(Loan::READER_ID))
        }
    }

    fn hidden(caller: &Caller) -> Columns<Loan> {
        if caller.is_authenticated() {
            Columns::none()
        } else {
            Columns::of(Loan::FINE)
        }
    }

    fn private() -> Columns<Loan> {
        Columns::of(Loan::TITLE)
    }

    fn shows_private(caller: &Caller) -> Where<Loan> {
        if caller.has_role("librarian") {
            Where::all()
        } else {
            caller.owned_by(Loan::READER_ID)
        }
    }
}

#[model_resource(Branch, "/branches", "/branches/<int:id>", policy = BranchPolicy)]
struct BranchResource;

struct LoanResource;

#[model_resource(Loan, "/loans", "/branches/<int:branch_id>/loans", policy = LoanPolicy)]
impl ModelResource for LoanResource {
    const AGGREGATE: Columns<Loan> = COLUMNS;
    const SEARCH: Columns<Loan> = Columns::of(Loan::TITLE);
}

/// Restricts the loans to short ones.
async fn short(mut cx: Context, next: Next) -> Result<Reply> {
    cx.restrict(Loan::DAYS.lt(10));
    next.run(cx).await
}

struct ShortLoans;

#[model_resource(Loan, "/short")]
impl ModelResource for ShortLoans {
    const AGGREGATE: Columns<Loan> = COLUMNS;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(short)
    }
}

/// Lets librarians pass.
async fn librarians_only(cx: Context, next: Next) -> Result<Reply> {
    match cx.caller() {
        caller if caller.has_role("librarian") => next.run(cx).await,
        caller if caller.is_authenticated() => Err(Error::forbidden("Librarians only.")),
        _ => Err(Error::unauthorized()),
    }
}

struct GuardedLoans;

#[model_resource(Loan, "/guarded")]
impl ModelResource for GuardedLoans {
    const AGGREGATE: Columns<Loan> = COLUMNS;

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().guard(LIST, librarians_only)
    }
}

/// Starts an app with loans of three branches, the last of which is closed. Rows that are not open have large numbers.
async fn library() -> TestApp {
    let api = Api::new("library")
        .authenticator(HeaderAuthenticator)
        .model_resource::<BranchResource>()
        .model_resource::<LoanResource>()
        .model_resource::<ShortLoans>()
        .model_resource::<GuardedLoans>();
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO branches (is_open) VALUES (TRUE), (TRUE), (FALSE); \
         INSERT INTO loans (branch_id, reader_id, is_open, days, fine, title, secret) VALUES \
         (1, 1, TRUE, 3, 10, 'a', 1), (1, 2, TRUE, 20, 20, 'b', 2), (1, 2, FALSE, 9223372036854775807, 30, 'zz', 3), \
         (2, 1, FALSE, 40, 40, 'd', 4), (2, 2, FALSE, 9223372036854775807, 50, 'e', 5), (3, 2, TRUE, 5, 60, 'f', 6)",
    );
    app
}

/// Callers, and whether they see fines and titles.
fn callers(app: &TestApp) -> [(Client, bool, bool); 4] {
    [
        (app.anonymous.clone(), false, false),
        (app.as_caller("1"), true, false),
        (app.as_caller("2"), true, false),
        (app.as_caller(LIBRARIAN), true, true),
    ]
}

/// Sums, minima and maxima of `days` by branch and reader, computed from the rows of the caller's list.
fn expected(rows: &Value) -> Value {
    let mut groups: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
    for row in rows.as_array().unwrap() {
        let number = |name: &str| row[name].as_i64().unwrap();
        let days = groups
            .entry((number("branchId"), number("readerId")))
            .or_default();
        days.push(number("days"));
    }
    let group = |((branch, reader), days): ((i64, i64), Vec<i64>)| {
        json!({
            "branchId": branch, "readerId": reader, "count": days.len(), "daysMin": days.iter().min(),
            "daysMax": days.iter().max(),
        })
    };
    groups.into_iter().map(group).collect()
}

/// AGG-9: an aggregate is made of the rows that the caller's list has at the same URL, and of no others.
#[tokio::test]
async fn groups_are_those_of_the_rows_that_the_list_shows() {
    let app = library().await;
    let query = "group=branchId,readerId&count&min(days)&max(days)";
    let mut seen = Vec::new();
    for (client, ..) in callers(&app) {
        for path in ["/loans", "/branches/1/loans", "/branches/2/loans", "/short"] {
            let rows = client.get(path).await.expect(200).json();
            let groups = client.get(&format!("{path}?{query}")).await.expect(200).json();
            assert_eq!(groups, expected(&rows), "{path}");
            let total = client.get(&format!("{path}?count")).await.expect(200).json();
            assert_eq!(total, json!([{"count": rows.as_array().unwrap().len()}]));
            seen.push(rows.as_array().unwrap().len());
        }
    }
    // Anonymous callers, the two readers, and librarians see different rows.
    assert_eq!(seen, [3, 2, 0, 2, 4, 2, 1, 2, 5, 3, 1, 2, 6, 3, 2, 2]);
}

/// AGG-9: nothing of an invisible row is learnt by conditions, orders, errors or numbers of groups.
#[tokio::test]
async fn conditions_and_orders_tell_nothing_about_invisible_rows() {
    let app = library().await;
    let anonymous = &app.anonymous;
    for (query, expected) in [
        ("group=branchId&count&having[count][gte]=3", json!([])),
        ("group=branchId&max(days)&having[daysMax][gt]=20", json!([])),
        (
            "group=branchId&sum(days)&sort=-daysSum",
            json!([{"branchId": 1, "daysSum": 23}, {"branchId": 3, "daysSum": 5}]),
        ),
        // The sum of the invisible rows would be too large.
        (
            "sum(days)&avg(days)&distinct(readerId)",
            json!([{"daysSum": 28, "daysAvg": 28.0 / 3.0, "readerIdDistinct": 2}]),
        ),
        ("count&days[gt]=1000", json!([{"count": 0}])),
        ("group=readerId&branchId=2", json!([])),
        ("group=days&limit=1&offset=3", json!([])),
    ] {
        let found = anonymous.get(&format!("/loans?{query}")).await.expect(200).json();
        assert_eq!(found, expected, "{query}");
    }
    app.as_caller(LIBRARIAN).get("/loans?sum(days)").await.expect(400);
    let page = anonymous
        .get("/loans?group=branchId&count&limit=2")
        .await
        .expect(200);
    assert!(!page.header("link").contains("next"));
}

/// AGG-9: below a parent that the caller does not see there are no groups, as there is no list.
#[tokio::test]
async fn a_nested_url_aggregates_the_rows_of_its_parent() {
    let app = library().await;
    for (client, _, sees_all) in callers(&app) {
        for id in [3, 4] {
            let status = if sees_all && id == 3 { 200 } else { 404 };
            client.get(&format!("/branches/{id}/loans")).await.expect(status);
            client
                .get(&format!("/branches/{id}/loans?count&max(days)"))
                .await
                .expect(status);
        }
        let own = client
            .get("/branches/1/loans?group=branchId")
            .await
            .expect(200)
            .json();
        assert_eq!(own, json!([{"branchId": 1}]));
        // A filter cannot lead out of the parent.
        let others = client
            .get("/branches/1/loans?count&branchId=2")
            .await
            .expect(200)
            .json();
        assert_eq!(others, json!([{"count": 0}]));
    }
}

/// AGG-9: a column that the caller does not see, or not on all rows, is refused in every parameter like one that does not
/// exist.
#[tokio::test]
async fn hidden_and_private_columns_are_like_columns_that_do_not_exist() {
    let app = library().await;
    for (client, sees_fines, sees_titles) in callers(&app) {
        for (column, is_seen) in [("fine", sees_fines), ("title", sees_titles), ("secret", false)] {
            for query in [
                "group=COLUMN",
                "group=branchId,COLUMN",
                "min(COLUMN)",
                "max(COLUMN)",
                "sum(COLUMN)",
                "avg(COLUMN)",
                "distinct(COLUMN)",
                "count&COLUMN[gt]=1",
                "count&or=(COLUMN[gt]=1)",
            ] {
                if column == "title" && (query.starts_with("sum") || query.starts_with("avg")) {
                    continue;
                }
                let ask = async |name: &str| {
                    client
                        .get(&format!("/loans?{}", query.replace("COLUMN", name)))
                        .await
                };
                let found = ask(column).await;
                if is_seen {
                    found.expect(200);
                    continue;
                }
                let found = found.expect(400).text();
                // That a private column exists is no secret: the caller sees it on some rows.
                if column == "title" && query.starts_with("count") {
                    continue;
                }
                let missing = ask("nosuch").await.expect(400).text().replace("nosuch", column);
                assert_eq!(found, missing, "{query}");
            }
            if !is_seen {
                for query in [
                    "count&sort=COLUMN",
                    "group=branchId&count&having[COLUMNMax][gt]=1",
                    "count&sort=-COLUMNMax",
                ] {
                    let url = format!("/loans?{}", query.replace("COLUMN", column));
                    client.get(&url).await.expect(400);
                }
            }
        }
        // The messages name what the caller may use.
        let message = client.get("/loans?group=nosuch").await.expect(400).text();
        assert_eq!(
            (message.contains("fine"), message.contains("title")),
            (sees_fines, sees_titles)
        );
        // The search does not find private texts.
        let found = client.get("/loans?count&q=b").await.expect(200).json();
        assert_eq!(found, json!([{"count": if sees_titles { 1 } else { 0 }}]));
    }
}

/// AGG-9: a guard of the list guards its aggregates.
#[tokio::test]
async fn who_may_not_list_may_not_aggregate() {
    let app = library().await;
    app.anonymous.get("/guarded?count").await.expect(401);
    app.as_caller("1").get("/guarded?count").await.expect(403);
    let all = app
        .as_caller(LIBRARIAN)
        .get("/guarded?count")
        .await
        .expect(200)
        .json();
    assert_eq!(all, json!([{"count": 6}]));
}
