//! The order of a list without `sort`.

use http_body_util::BodyExt as _;
use model_resource::{
    Api, Caller, Columns, Context, Model, ModelPolicy, ModelResource, OrderBy, Pages, Result, model_resource,
};
use serde_json::json;
use test_support::{HeaderAuthenticator, TestApp, TestDatabase, startup_errors};

use crate::ids;

#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    title: String,
    grade: Option<i64>,
    #[column(default = "secret", hidden)]
    kept: String,
}

/// Teachers see grades.
struct NotePolicy;

impl ModelPolicy for NotePolicy {
    type Model = Note;

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn hidden(caller: &Caller) -> Columns<Note> {
        if caller.has_role("teacher") {
            Columns::none()
        } else {
            Columns::of(Note::GRADE)
        }
    }
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    const QUERY_BUDGET: Option<u64> = Some(5);

    fn order() -> Vec<OrderBy<Note>> {
        vec![Note::GRADE.desc(), Note::TITLE.asc()]
    }
}

/// Declares resources with an order that cannot work.
macro_rules! refused {
    ($($resource:ident($url:literal, $column:ident);)*) => { $(
        struct $resource;

        #[model_resource(Note, $url)]
        impl ModelResource for $resource {
            fn order() -> Vec<OrderBy<Note>> {
                vec![Note::$column.asc()]
            }
        }
    )* };
}

refused! { ByHidden("/by-hidden", KEPT); }

struct OwnRows;

/// Finds its rows itself.
#[model_resource(Note, "/own")]
impl ModelResource for OwnRows {
    fn order() -> Vec<OrderBy<Note>> {
        vec![Note::TITLE.asc()]
    }

    async fn list(cx: Context) -> Result<Vec<Note>> {
        Ok(cx.store_unchecked().all(&Note::query()).await?)
    }
}

fn api() -> Api {
    Api::new("notes").model_resource::<NoteResource>().openapi()
}

/// Starts the api with notes whose order by grade and title is 4, 2, 1, 3, and by title 2, 1, 4, 3.
async fn notes(api: Api) -> TestApp {
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO notes (title, grade, kept) VALUES ('b', 1, 'x'), ('a', 1, 'x'), ('d', NULL, 'x'), ('c', 2, 'x')",
    );
    app
}

/// LST-14: without `sort` a list has the order that its resource declares, in every format and with filters, and the
/// primary key decides between equals.
#[tokio::test]
async fn a_list_without_sort_has_the_declared_order() {
    let app = notes(api()).await;
    for (query, expected) in [
        ("", &[4, 2, 1, 3][..]),
        ("?id[lt]=4", &[2, 1, 3]),
        ("?limit=2&offset=1", &[2, 1]),
        ("?fields=id", &[4, 2, 1, 3]),
        ("?sort=title", &[2, 1, 4, 3]),
        ("?sort=id", &[1, 2, 3, 4]),
    ] {
        let list = app.get(&format!("/notes{query}")).await.expect(200);
        assert_eq!(ids(&list.json()), expected, "{query}");
    }
    let lines = app.get("/notes?format=ndjson&fields=id").await.expect(200).text();
    assert_eq!(lines, "{\"id\":4}\n{\"id\":2}\n{\"id\":1}\n{\"id\":3}\n");
    app.post("/notes", json!({"title": "a", "grade": 1}))
        .await
        .expect(201);
    assert_eq!(ids(&app.get("/notes").await.expect(200).json()), [4, 2, 5, 1, 3]);
}

/// LST-14: pages by cursor follow the declared order, and their cursors belong to no other.
#[tokio::test]
async fn cursors_follow_the_declared_order() {
    let app = notes(api()).await;
    let (mut url, mut seen) = ("/notes?cursor=&limit=1".to_owned(), Vec::new());
    loop {
        let page = app.get(&url).await.expect(200);
        seen.extend(ids(&page.json()));
        let link = page.header("link").to_owned();
        let Some(next) = link.split(", ").find(|link| link.ends_with("rel=\"next\"")) else {
            break;
        };
        url = next.split(['<', '>']).nth(1).unwrap().to_owned();
        app.get(&format!("{url}&sort=title")).await.expect(400);
    }
    assert_eq!(seen, [4, 2, 1, 3]);
}

/// LST-14: a column that is hidden from the caller does not order the caller's list, whose documentation does not name it.
#[tokio::test]
async fn a_hidden_column_orders_no_list_of_the_caller() {
    let app = notes(api().authenticator(HeaderAuthenticator).policy::<NotePolicy>()).await;
    let teacher = app.as_caller("1 teacher");
    for query in ["", "?limit=4", "?cursor=&limit=4"] {
        let url = format!("/notes{query}");
        assert_eq!(ids(&teacher.get(&url).await.expect(200).json()), [4, 2, 1, 3]);
        assert_eq!(
            ids(&app.get(&url).await.expect(200).json()),
            [2, 1, 4, 3],
            "{query}"
        );
    }
    for (client, order) in [(&teacher, "`-grade,title`"), (&app.client, "`title`")] {
        let document = client.get("/openapi.json").await.expect(200).json();
        let parameters = document["paths"]["/notes"]["get"]["parameters"]
            .as_array()
            .unwrap();
        let sort = parameters
            .iter()
            .find(|parameter| parameter["name"] == "sort")
            .unwrap();
        let text = sort["description"].as_str().unwrap();
        assert!(text.ends_with(&format!("Without it {order}.")), "{text}");
    }
}

/// LST-14, PAGE-21: the headings of a list without `sort` show the declared order, and the first one reverses it.
#[tokio::test]
async fn headings_show_the_declared_order() {
    let app = notes(api().pages(Pages::new())).await;
    let browser = app.with_header("accept", "text/html");
    let declared = browser.get("/notes").await.expect(200).text();
    let first = "aria-sort=\"descending\"><a href=\"/notes?sort=grade\">Grade";
    assert!(declared.contains(first), "{declared}");
    let second = "data-sort=\"ascending\"><a href=\"/notes?sort=title\">Title";
    assert!(declared.contains(second), "{declared}");
    let sorted = browser.get("/notes?sort=id").await.expect(200).text();
    assert_eq!(sorted.matches("-sort=\"").count(), 1, "{sorted}");
}

/// LST-14: the declared order has no price, whereas the same order by `sort` has one.
#[tokio::test]
async fn the_declared_order_has_no_price() {
    let app = notes(api()).await;
    app.database().execute("ANALYZE");
    app.store.refresh_statistics(&[Note::table()]).await.unwrap();
    app.get("/notes?limit=2").await.expect(200);
    app.get("/notes?limit=2&title=a").await.expect(200);
    let rejected = app
        .get("/notes?limit=2&sort=-grade,title")
        .await
        .expect(400)
        .text();
    assert!(rejected.contains("\\\"sort\\\" costs"), "{rejected}");
}

/// LST-12, LST-14: the explanation of a list without `sort` reports the index that its order lacks.
#[tokio::test]
async fn the_declared_order_is_explained() {
    let database = TestDatabase::create();
    let store = model_resource::Store::open(&database.url()).await.unwrap();
    store.create_tables(&[Note::table()]).await.unwrap();
    let service = api().store(store).into_service();
    let body = service.explain("/notes".parse().unwrap()).await.into_body();
    let explained = body.collect().await.unwrap().to_bytes();
    let explained: serde_json::Value = serde_json::from_slice(&explained).unwrap();
    assert!(explained["sql"].to_string().contains("ORDER BY"), "{explained}");
    assert!(
        explained["unindexed"].to_string().contains("grade"),
        "{explained}"
    );
}

/// LST-15: an order by a column that the list does not show, or of a list that finds its rows itself, is refused at start.
#[tokio::test]
async fn an_order_that_cannot_work_is_refused_at_start() {
    let hidden = startup_errors(Api::new("notes").model_resource::<ByHidden>()).await;
    assert!(hidden[0].contains("`order` names `kept`"), "{hidden:?}");
    let own = startup_errors(Api::new("notes").model_resource::<OwnRows>()).await;
    assert!(own[0].contains("`order` has no effect"), "{own:?}");
}
