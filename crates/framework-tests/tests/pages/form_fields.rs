//! Fields of forms by the types of their columns.

use model_resource::{Api, Date, Decimal, Model, Pages, Time, Timestamp, Uuid, model_resource};
use serde_json::{Value, json};
use test_support::TestApp;

use crate::page;

/// A measurement.
#[derive(Debug, Clone, Model)]
struct Reading {
    #[column(primary_key)]
    id: i64,
    /// Name on the label
    #[column(min_length = 1, max_length = 40)]
    name: String,
    remark: Option<String>,
    note: String,
    place: String,
    #[column(default = "metre")]
    unit: String,
    count: i32,
    #[column(min = 0, max = 5)]
    stars: Option<i32>,
    #[column(min_length = 3, max_length = 8)]
    code: Option<String>,
    #[column(unique, max_length = 20)]
    serial: Option<String>,
    day: Option<Date>,
    at: Option<Time>,
    taken: Option<Timestamp>,
    device: Option<Uuid>,
    #[column(precision = 6, scale = 2)]
    amount: Option<Decimal>,
    picture: Option<Vec<u8>>,
}

#[model_resource(Reading, "/readings", "/readings/<int:id>")]
struct ReadingResource;

/// Body with the required fields and others.
fn reading(others: Value) -> Value {
    let mut body = json!({"name": "first", "note": "", "place": "roof", "count": 1});
    for (name, value) in others.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

async fn app(reading: Value) -> TestApp {
    let api = Api::new("laboratory")
        .prefix("/api")
        .model_resource::<ReadingResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.post("/api/readings", reading).await.expect(201);
    app
}

/// Markup of a field of a form.
fn field<'p>(page: &'p str, name: &str) -> &'p str {
    let after = page.split(&format!("data-field=\"{name}\"")).nth(1);
    after.unwrap().split("data-field=").next().unwrap()
}

/// PAGE-38
#[tokio::test]
async fn dates_and_times_have_a_button_for_the_present_one() {
    let app = app(reading(json!({}))).await;
    let form = page(&app, "/api/readings?_view=new").await;
    for (name, text) in [("day", "Today"), ("at", "Now"), ("taken", "Now")] {
        let button = format!("<button type=\"button\" class=\"js\" data-now>{text}<");
        assert!(field(&form, name).contains(&button), "{name}: {form}");
    }
    assert!(!field(&form, "name").contains("data-now"));
}

/// PAGE-38: a browser drops a time with more digits than milliseconds.
#[tokio::test]
async fn times_are_written_as_inputs_take_them() {
    let times = json!({"taken": "2026-03-01T12:30:59.123456Z", "at": "12:30:59"});
    let app = app(reading(times)).await;
    let form = page(&app, "/api/readings/1?_view=edit").await;
    let taken = field(&form, "taken");
    assert!(
        taken.contains("value=\"2026-03-01T12:30:59.123\"") && taken.contains("step=\"0.001\""),
        "{taken}"
    );
    assert!(
        taken.contains("data-original=\"&quot;2026-03-01T12:30:59.123456Z&quot;\""),
        "{taken}"
    );
    let at = field(&form, "at");
    assert!(
        at.contains("value=\"12:30:59\"") && at.contains("step=\"1\""),
        "{at}"
    );
}

/// PAGE-38: numbers and UUIDs have a pattern, whose message says what is expected.
#[tokio::test]
async fn patterns_have_a_message() {
    let app = app(reading(json!({}))).await;
    let form = page(&app, "/api/readings?_view=new").await;
    assert!(
        field(&form, "amount").contains("Enter a number with at most 2 decimals"),
        "{form}"
    );
    assert!(field(&form, "device").contains("Enter a UUID such as"), "{form}");
}

/// PAGE-38
#[tokio::test]
async fn bytes_can_be_saved_from_the_page_of_their_object() {
    let app = app(reading(json!({"picture": "AAECAw=="}))).await;
    let shown = page(&app, "/api/readings/1").await;
    assert!(
        shown.contains("4 bytes <button type=\"button\" class=\"js\" data-download=\"picture\""),
        "{shown}"
    );
    app.post("/api/readings", reading(json!({}))).await.expect(201);
    let shown = page(&app, "/api/readings/2").await;
    assert!(!shown.contains("data-download"), "{shown}");
}

/// PAGE-23: the path above a form leads back to its list and its object.
#[tokio::test]
async fn a_form_is_below_the_page_that_it_belongs_to() {
    let app = app(reading(json!({}))).await;
    let list = "<a href=\"/api/readings\">Readings</a>";
    let object = "<a href=\"/api/readings/1\">first</a>";
    for (path, links, own) in [
        ("/api/readings?_view=new", vec![list], "New"),
        ("/api/readings/1?_view=edit", vec![list, object], "Edit"),
        ("/api/readings/1?_view=delete", vec![list, object], "Delete"),
    ] {
        let form = page(&app, path).await;
        let crumbs = form.split("aria-label=\"Path\"").nth(1).unwrap();
        let crumbs = crumbs.split("</nav>").next().unwrap();
        assert!(links.iter().all(|link| crumbs.contains(link)), "{path}: {crumbs}");
        assert!(
            crumbs.contains(&format!("<span aria-current=\"page\">{own}</span>")),
            "{path}: {crumbs}"
        );
    }
}

/// PAGE-23: a field that an object needs is marked in the form of an existing object too. An empty text that the api has
/// accepted may stay.
#[tokio::test]
async fn fields_that_need_a_value_are_required_in_the_form_of_a_change() {
    let app = app(reading(json!({}))).await;
    let form = page(&app, "/api/readings/1?_view=edit").await;
    for (name, is_required) in [
        ("name", true),
        ("count", true),
        ("note", false),
        ("remark", false),
        ("day", false),
        ("place", true),
        ("unit", false),
    ] {
        let field = field(&form, name);
        assert_eq!(field.contains(" required "), is_required, "{name}: {field}");
        assert_eq!(
            field.contains("class=\"required\""),
            is_required,
            "{name}: {field}"
        );
    }
}

/// PAGE-23: help and constraints are sentences, which the input refers to.
#[tokio::test]
async fn the_help_of_a_field_ends_before_its_constraints() {
    let app = app(reading(json!({"picture": "AAECAw=="}))).await;
    let form = page(&app, "/api/readings/1?_view=edit").await;
    let name = field(&form, "name");
    assert!(
        name.contains("aria-describedby=\"error-name help-name\"")
            && name.contains("Name on the label. At most 40 characters."),
        "{name}"
    );
    assert!(
        field(&form, "picture").contains("Current file: 4 bytes."),
        "{form}"
    );
}

/// PAGE-53
#[tokio::test]
async fn a_new_object_begins_as_a_copy_of_another_one() {
    let others = json!({"stars": 4, "serial": "A 7", "picture": "AAECAw==", "taken": "2026-03-01T12:30:59Z"});
    let app = app(reading(others)).await;
    let object = page(&app, "/api/readings/1").await;
    for link in [
        "?_view=new&amp;_from=1\">Duplicate<",
        "?_view=new\" data-shortcut=\"n\">New<",
    ] {
        assert!(
            object.contains(&format!("href=\"/api/readings{link}")),
            "{object}"
        );
    }
    let form = page(&app, "/api/readings?_view=new&_from=1").await;
    for (name, value) in [
        ("stars", "value=\"4\""),
        ("name", "value=\"first\""),
        ("taken", "value=\"2026-03-01T12:30:59\""),
        ("stars", "data-original=\"\""),
        ("serial", "value=\"\""),
    ] {
        assert!(field(&form, name).contains(value), "{name}: {form}");
    }
    assert!(!field(&form, "picture").contains("4 bytes"), "{form}");
    assert!(form.contains("data-submit=\"POST\""), "{form}");
    let missing = page(&app, "/api/readings?_view=new&_from=2").await;
    assert!(field(&missing, "name").contains("value=\"\""), "{missing}");
}

/// PAGE-52
#[tokio::test]
async fn limits_of_values_are_in_the_help_of_their_fields() {
    let app = app(reading(json!({}))).await;
    for path in ["/api/readings?_view=new", "/api/readings/1?_view=edit"] {
        let form = page(&app, path).await;
        for (name, limits) in [("stars", "From 0 to 5."), ("code", "From 3 to 8 characters.")] {
            let field = field(&form, name);
            assert!(
                field.contains(&format!("id=\"help-{name}\">{limits}<")),
                "{field}"
            );
        }
    }
}
