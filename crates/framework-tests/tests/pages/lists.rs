//! Filters by one click, order by several columns, counts and empty states of lists.

use model_resource::{
    Api, ColumnEnum, Columns, DELETE, Date, LIST, Model, ModelResource, Operations, PATCH, Pages, Timestamp,
    model_resource,
};
use serde_json::json;
use test_support::TestApp;

/// A room.
#[derive(Debug, Clone, Model)]
struct Room {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[model_resource(Room, "/rooms", "/rooms/<int:id>")]
struct RoomResource;

/// A person.
#[derive(Debug, Clone, Model)]
struct Person {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct PersonResource;

#[model_resource(Person, "/people", "/people/<int:id>")]
impl ModelResource for PersonResource {
    const EXCLUDE_METHODS: Operations = Operations::of([LIST]);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Size {
    Small,
    Large,
}

/// A plant.
#[derive(Debug, Clone, Model)]
struct Plant {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = false)]
    dry: bool,
    size: Size,
    #[column(references = Room)]
    room_id: Option<i64>,
    #[column(references = Person)]
    owner_id: Option<i64>,
    bought: Option<Date>,
    #[column(max_length = 40)]
    note: Option<String>,
    #[column(created)]
    created_at: Timestamp,
    #[column(hidden, default = false)]
    secret: bool,
}

struct PlantResource;

#[model_resource(Plant, "/plants", "/plants/<int:id>", "/rooms/<int:room_id>/plants")]
impl ModelResource for PlantResource {
    const SEARCH: Columns<Plant> = Columns::of(Plant::NAME);
    const BULK_METHODS: Operations = Operations::of([PATCH, DELETE]);
}

async fn app() -> TestApp {
    let api = Api::new("plants")
        .prefix("/api")
        .model_resource::<RoomResource>()
        .model_resource::<PlantResource>()
        .model_resource::<PersonResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    for room in ["Kitchen", "Attic"] {
        app.post("/api/rooms", json!({ "name": room })).await.expect(201);
    }
    let plants = [
        json!({"name": "Fern", "size": "small", "dry": true, "roomId": 1, "bought": "2001-05-05"}),
        json!({"name": "Ivy", "size": "large", "roomId": 2, "note": "climbs"}),
        json!({"name": "Moss", "size": "small"}),
    ];
    for plant in plants {
        app.post("/api/plants", plant).await.expect(201);
    }
    app
}

async fn page(app: &TestApp, path: &str) -> String {
    let browser = app.with_header("accept", "text/html");
    browser.get(path).await.expect(200).text()
}

/// Part of a page between two texts.
fn between<'p>(page: &'p str, start: &str, end: &str) -> &'p str {
    let (_, rest) = page
        .split_once(start)
        .unwrap_or_else(|| panic!("{start} is not in {page}"));
    rest.split_once(end).map_or(rest, |(part, _)| part)
}

/// Labels of a group of links, the current one in brackets.
fn labels(page: &str, group: &str) -> String {
    let group = between(page, &format!(">{group}</span>"), "</div>");
    let links = group.split("<a ").skip(1).map(|link| {
        let label = between(link, ">", "<");
        if link.contains("aria-current=\"true\"") {
            format!("[{label}]")
        } else {
            label.to_owned()
        }
    });
    links.collect::<Vec<_>>().join(" ")
}

/// Target of a link in a group.
fn target(page: &str, group: &str, label: &str) -> String {
    let group = between(page, &format!(">{group}</span>"), "</div>");
    let (before, _) = group
        .split_once(&format!(">{label}</a>"))
        .expect("the link exists");
    let (_, link) = before.rsplit_once("href=\"").expect("it has a target");
    between(link, "", "\"").replace("&amp;", "&")
}

/// Names of the plants in the table.
fn names(page: &str) -> Vec<&str> {
    let rows = page.split("<th scope=\"row\"").skip(1);
    rows.map(|row| between(between(row, "<a ", "/a>"), ">", "<"))
        .collect()
}

/// PAGE-30
#[tokio::test]
async fn columns_of_few_values_are_filtered_by_a_link() {
    let app = app().await;
    let list = page(&app, "/api/plants").await;
    assert_eq!(labels(&list, "Dry"), "[All] Yes No");
    assert_eq!(labels(&list, "Size"), "[All] small large");
    assert_eq!(labels(&list, "Room"), "[All] Attic Kitchen Empty");
    let dry = page(&app, &target(&list, "Dry", "Yes")).await;
    assert_eq!(names(&dry), ["Fern"]);
    assert_eq!(labels(&dry, "Dry"), "All [Yes] No");
    assert_eq!(target(&dry, "Dry", "No"), "/api/plants?dry=false");
    assert_eq!(target(&dry, "Size", "large"), "/api/plants?dry=true&size=large");
    assert_eq!(target(&dry, "Dry", "All"), "/api/plants");
    assert_eq!(names(&page(&app, &target(&list, "Room", "Attic")).await), ["Ivy"]);
    assert_eq!(
        names(&page(&app, &target(&list, "Room", "Empty")).await),
        ["Moss"]
    );
}

/// PAGE-30
#[tokio::test]
async fn days_and_times_are_filtered_by_periods() {
    let app = app().await;
    let list = page(&app, "/api/plants").await;
    let periods = "Today Past 7 days This month This year";
    assert_eq!(labels(&list, "Bought"), format!("[All] {periods} Empty"));
    assert!(!list.contains(">Created at</span>"), "one column has periods");
    let times = page(&app, "/api/plants?fields=id,name,createdAt").await;
    assert_eq!(labels(&times, "Created at"), format!("[All] {periods}"));
    for period in ["Today", "Past 7 days", "This month", "This year"] {
        let found = page(&app, &target(&times, "Created at", period)).await;
        assert_eq!(names(&found), ["Fern", "Ivy", "Moss"], "{period}");
        assert!(labels(&found, "Created at").contains(&format!("[{period}]")));
        let chips = between(&found, "<ul class=\"chips\"", "</ul>");
        assert!(chips.contains(&format!("Created at <b>{period}</b>")), "{chips}");
        assert_eq!(
            chips.matches("<li>").count(),
            1,
            "one chip for both ends: {chips}"
        );
        assert!(
            chips.contains("<a href=\"/api/plants?fields=id,name,createdAt\""),
            "{chips}"
        );
        let found = page(&app, &target(&list, "Bought", period)).await;
        assert!(found.contains("Nothing matches these filters."), "{found}");
    }
    let undated = page(&app, &target(&list, "Bought", "Empty")).await;
    assert_eq!(names(&undated), ["Ivy", "Moss"]);
}

/// PAGE-30: a column without usual values has no links, and so has a foreign key to what cannot be listed.
#[tokio::test]
async fn other_columns_have_no_links() {
    let app = app().await;
    for path in ["/api/plants", "/api/rooms/2/plants"] {
        let list = page(&app, path).await;
        assert!(list.contains(">Dry</span>"), "{list}");
        for label in ["Owner", "Note", "Name"] {
            assert!(
                !list.contains(&format!(">{label}</span>")),
                "{path} {label}: {list}"
            );
        }
    }
    let room = page(&app, "/api/rooms/2/plants").await;
    assert!(!room.contains(">Room</span>"), "the URL sets it");
}

/// PAGE-30: a column that the caller does not see has no links.
#[tokio::test]
async fn hidden_columns_and_long_lists_have_no_links() {
    let app = app().await;
    for number in 0..9 {
        let room = json!({ "name": format!("Room {number}") });
        app.post("/api/rooms", room).await.expect(201);
    }
    let list = page(&app, "/api/plants").await;
    assert!(!list.contains(">Secret</span>"), "{list}");
    assert!(!list.contains(">Room</span>"), "{list}");
}

/// PAGE-31
#[tokio::test]
async fn a_list_is_sorted_by_several_columns() {
    let app = app().await;
    let sorted = page(&app, "/api/plants?sort=size,-name&dry=false&page=1").await;
    assert_eq!(names(&sorted), ["Ivy", "Moss"]);
    let menu = between(&sorted, "<ol>", "</ol>");
    assert!(
        menu.contains("<span>Size</span><a href=\"/api/plants?dry=false&amp;sort=-size,-name\""),
        "{menu}"
    );
    assert!(
        menu.contains("href=\"/api/plants?dry=false&amp;sort=size\" title=\"Remove from the sort order\""),
        "{menu}"
    );
    let more = between(&sorted, "Then by</p>", "</ul>");
    assert!(
        more.contains("<a href=\"/api/plants?dry=false&amp;sort=size,-name,roomId\">Room</a>"),
        "{more}"
    );
    assert!(!more.contains(">Size<") && !more.contains(">Name<"), "{more}");
}

/// PAGE-31
#[tokio::test]
async fn headings_have_their_place_in_the_order() {
    let app = app().await;
    let sorted = page(&app, "/api/plants?sort=size,-name").await;
    let first = "aria-sort=\"ascending\"><a href=\"/api/plants?sort=-size,-name\">Size<span class=\"priority\" aria-hidden=\"true\">1</span></a>";
    assert!(sorted.contains(first), "{sorted}");
    let second = "data-sort=\"descending\"><a href=\"/api/plants?sort=size\">Name<span class=\"priority\" aria-hidden=\"true\">2</span><span class=\"sr\">, then descending</span></a>";
    assert!(sorted.contains(second), "{sorted}");
    assert_eq!(sorted.matches("aria-sort").count(), 1);
    assert!(
        sorted.contains("<a href=\"/api/plants?sort=dry\">Dry</a>"),
        "another heading sorts by its column alone"
    );
    let single = page(&app, "/api/plants?sort=size").await;
    assert!(!single.contains("class=\"priority\""), "{single}");
}

/// PAGE-31: the api sorts by at most eight columns.
#[tokio::test]
async fn no_column_is_offered_beyond_the_limit_of_the_api() {
    let app = app().await;
    let seven = "id,name,dry,size,roomId,ownerId,bought";
    assert!(
        page(&app, &format!("/api/plants?sort={seven}"))
            .await
            .contains("Then by")
    );
    let eight = page(&app, &format!("/api/plants?sort={seven},note")).await;
    assert!(!eight.contains("Then by"), "{eight}");
}

/// PAGE-32
#[tokio::test]
async fn a_filtered_list_has_the_number_of_its_rows_and_a_link_to_all() {
    let app = app().await;
    let all = page(&app, "/api/plants").await;
    assert!(
        !all.contains("result") && !all.contains("class=\"found\""),
        "{all}"
    );
    let found = page(&app, "/api/plants?size=small&sort=name&pageSize=1&page=2").await;
    assert!(
        found.contains("<strong>2 results</strong> <a href=\"/api/plants?sort=name&amp;pageSize=1\">Clear all filters</a>"),
        "{found}"
    );
    let one = page(&app, "/api/plants?q=ivy").await;
    assert!(
        one.contains("<strong>1 result</strong> <a href=\"/api/plants\">"),
        "{one}"
    );
    let uncounted = page(&app, "/api/plants?size=small&limit=1").await;
    assert!(
        uncounted.contains("<p class=\"found\"><a href=\"/api/plants?limit=1\">"),
        "{uncounted}"
    );
}

/// PAGE-32
#[tokio::test]
async fn an_empty_page_says_why_it_is_empty() {
    let app = app().await;
    let none = page(&app, "/api/plants?name=Oak&size=large").await;
    assert!(
        none.contains("0 results") && none.contains("Nothing matches these filters."),
        "{none}"
    );
    let room = app
        .post("/api/rooms", json!({"name": "Cellar"}))
        .await
        .expect(201)
        .json();
    let nothing = page(&app, &format!("/api/rooms/{}/plants", room["id"])).await;
    assert!(nothing.contains("Nothing here yet."), "{nothing}");
    assert!(
        !nothing.contains("class=\"tools\"") && !nothing.contains("class=\"pager\""),
        "there is nothing to filter: {nothing}"
    );
    let after = page(&app, "/api/plants?size=small&page=9").await;
    assert!(after.contains("This page is after the last one."), "{after}");
    assert!(
        after.contains("<a class=\"button\" href=\"/api/plants?size=small\">First page</a>"),
        "the filters stay: {after}"
    );
    assert!(!after.contains("Nothing matches"), "{after}");
}

/// PAGE-33
#[tokio::test]
async fn all_rows_that_match_can_be_selected_if_they_are_on_several_pages() {
    let app = app().await;
    let one_page = page(&app, "/api/plants?size=small").await;
    assert!(one_page.contains("data-several") && !one_page.contains("data-matching"));
    let list = page(
        &app,
        "/api/plants?size=small&sort=-name&fields=id,name&pageSize=1",
    )
    .await;
    let button = between(&list, "data-matching=\"", "</button>");
    assert!(button.ends_with(">Select all 2 that match"), "{button}");
    let keys = between(button, "", "\"").replace("&amp;", "&");
    assert_eq!(keys, "/api/plants?size=small&fields=id&limit=1000&cursor=");
    let keys = app.get(&keys).await.expect(200).json();
    assert_eq!(keys, json!([{"id": 1}, {"id": 3}]));
}

/// PAGE-33
#[tokio::test]
async fn several_rows_are_changed_by_bulk_requests_if_the_resource_has_them() {
    let app = app().await;
    let plants = page(&app, "/api/plants").await;
    assert!(plants.contains(" data-bulk-patch data-bulk-delete "), "{plants}");
    let rooms = page(&app, "/api/rooms").await;
    assert!(
        rooms.contains("data-several") && !rooms.contains("data-bulk"),
        "{rooms}"
    );
}

/// PAGE-20: rows without their key would link nowhere.
#[tokio::test]
async fn the_menu_of_columns_keeps_the_key() {
    let app = app().await;
    let list = page(&app, "/api/plants?fields=name").await;
    let menu = between(&list, "<legend class=\"sr\">Columns</legend>", "</fieldset>");
    let key = "<input type=\"hidden\" name=\"fields\" value=\"id\">";
    assert!(menu.contains(key), "{menu}");
    let is_checked = |field: &str| menu.contains(&format!("name=\"fields\" value=\"{field}\" checked"));
    assert!(is_checked("name") && !is_checked("size"), "{menu}");
}
