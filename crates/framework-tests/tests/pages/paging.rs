//! Pages of a list, walked by their links.

use model_resource::{Api, GET, LIST, Model, ModelResource, Operations, Pages, model_resource};
use serde_json::json;
use test_support::TestApp;

use crate::page;

const ROWS: usize = 130;

/// A leaf of a tree.
#[derive(Debug, Clone, Model)]
struct Leaf {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Leaf, "/leaves", "/leaves/<int:id>")]
struct LeafResource;

struct SizedResource;

#[model_resource(Leaf, "/sized", "/sized/<int:id>")]
impl ModelResource for SizedResource {
    const PAGE_SIZE: Option<u64> = Some(20);
}

struct LimitedResource;

#[model_resource(Leaf, "/limited", "/limited/<int:id>")]
impl ModelResource for LimitedResource {
    const MAX_ROWS: Option<u64> = Some(30);
}

struct ReadableResource;

#[model_resource(Leaf, "/readable", "/readable/<int:id>")]
impl ModelResource for ReadableResource {
    const INCLUDE_METHODS: Operations = Operations::of([LIST, GET]);
}

async fn app(pages: Pages) -> TestApp {
    let api = Api::new("leaves")
        .prefix("/api")
        .model_resource::<LeafResource>()
        .model_resource::<SizedResource>()
        .model_resource::<LimitedResource>()
        .model_resource::<ReadableResource>()
        .pages(pages);
    let app = TestApp::with_api(api).await;
    let rows: Vec<String> = (1..=ROWS).map(|number| format!("('Leaf {number}')")).collect();
    let rows = rows.join(", ");
    app.database()
        .execute(&format!("INSERT INTO leafs (name) VALUES {rows}"));
    app
}

/// Keys of the rows in the table.
fn keys(page: &str) -> Vec<usize> {
    let rows = page.split("data-key=\"").skip(1);
    rows.map(|row| row.split('"').next().unwrap().parse().unwrap())
        .collect()
}

/// Target of the link with a relation.
fn link(page: &str, relation: &str) -> Option<String> {
    let (before, _) = page.split_once(&format!("\" rel=\"{relation}\""))?;
    let (_, target) = before.rsplit_once("href=\"")?;
    Some(target.replace("&amp;", "&"))
}

/// Range and total of a page, as in "51–100 of 130".
fn summary(page: &str) -> String {
    let (_, pager) = page.split_once("<nav class=\"pager\"").unwrap();
    let (_, summary) = pager.split_once("<span class=\"muted\">").unwrap();
    summary.split('<').next().unwrap().to_owned()
}

/// Walks from a page by the links to the next one, and back. Each page says which rows it has, and the JSON at the same
/// URL has the same ones.
async fn walk(app: &TestApp, start: &str) {
    let mut seen = Vec::new();
    let mut url = start.to_owned();
    let mut pages = 0;
    let back = loop {
        let list = page(app, &url).await;
        let rows = keys(&list);
        let first = seen.len() + 1;
        let range = format!("{first}\u{2013}{} of {ROWS}", seen.len() + rows.len());
        assert_eq!(summary(&list), range, "{url}");
        if pages > 0 {
            let json = app.get(&url).await.json();
            let json: Vec<_> = json
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["id"].clone())
                .collect();
            assert_eq!(json!(json), json!(rows), "{url}");
        }
        seen.extend(rows);
        pages += 1;
        match link(&list, "next") {
            Some(next) => url = next,
            None => break link(&list, "prev"),
        }
    };
    assert_eq!(seen, (1..=ROWS).collect::<Vec<_>>(), "{start}");
    let mut previous = back;
    while let Some(url) = previous {
        pages -= 1;
        previous = link(&page(app, &url).await, "prev");
    }
    assert_eq!(pages, 1, "{start}");
}

/// PAGE-46
#[tokio::test]
async fn the_links_to_the_next_page_visit_every_row_once() {
    let app = app(Pages::new()).await;
    for list in ["leaves", "sized", "limited"] {
        for query in ["", "?pageSize=7", "?pageSize=45", "?page=1", "?pageSize=100000"] {
            walk(&app, &format!("/api/{list}{query}")).await;
        }
    }
    walk(&app, "/api/sized?count=exact").await;
}

/// PAGE-46
#[tokio::test]
async fn the_page_size_of_the_application_applies_to_every_page() {
    for size in [0, 12, 5000] {
        let app = app(Pages::new().page_size(size)).await;
        for list in ["leaves", "sized", "limited"] {
            walk(&app, &format!("/api/{list}")).await;
        }
    }
}

/// PAGE-46
#[tokio::test]
async fn a_page_number_without_a_size_has_the_size_of_the_first_page() {
    let app = app(Pages::new()).await;
    let second = page(&app, "/api/leaves?page=2").await;
    assert_eq!(keys(&second), (51..=100).collect::<Vec<_>>());
    assert_eq!(summary(&second), "51\u{2013}100 of 130");
}

/// PAGE-46: a caller who cannot use the form gets the list.
#[tokio::test]
async fn a_list_without_the_form_that_was_asked_for_has_its_usual_rows() {
    let app = app(Pages::new()).await;
    for path in ["/api/readable?_view=new", "/api/leaves?_view=import"] {
        assert_eq!(summary(&page(&app, path).await), "1\u{2013}50 of 130", "{path}");
    }
}

/// PAGE-50
#[tokio::test]
async fn the_commands_of_a_list_name_its_page_size() {
    let app = app(Pages::new()).await;
    for (path, command) in [
        ("/api/leaves", "/api/leaves?pageSize=50'"),
        ("/api/leaves?page=2", "/api/leaves?page=2&amp;pageSize=50'"),
        ("/api/leaves?pageSize=7", "/api/leaves?pageSize=7'"),
        ("/api/leaves?_view=new", "/api/leaves'"),
    ] {
        let page = page(&app, path).await;
        let curl = page.split("<pre tabindex=\"0\">curl").nth(1).unwrap();
        let curl = curl.split("</pre>").next().unwrap().replace("&#39;", "'");
        assert!(curl.ends_with(command), "{path}: {curl}");
    }
}
