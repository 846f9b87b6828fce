//! Pages of models whose primary key has another name, and that others reference by several foreign keys.

use model_resource::{Api, Model, Pages, model_resource};
use serde_json::json;
use test_support::TestApp;

use crate::page;

/// A person.
#[derive(Debug, Clone, Model)]
struct Person {
    #[column(primary_key)]
    number: i64,
    name: String,
}

#[model_resource(Person, "/people", "/people/<int:number>")]
struct PersonResource;

/// A letter from one person to another.
#[derive(Debug, Clone, Model)]
struct Letter {
    #[column(primary_key)]
    number: i64,
    pages: i32,
    #[column(max_length = 40)]
    subject: Option<String>,
    /// Text of the letter.
    text: Option<String>,
    sent_at: Option<model_resource::Timestamp>,
    #[column(references = Person, on_delete = cascade)]
    sender_id: i64,
    #[column(references = Person, on_delete = set_null)]
    recipient_id: Option<i64>,
    /// Field with the name of a list parameter.
    limit: bool,
}

#[model_resource(Letter, "/letters", "/letters/<int:number>", "/people/<int:sender_id>/sent")]
struct LetterResource;

async fn app() -> TestApp {
    let api = Api::new("post")
        .prefix("/api")
        .model_resource::<PersonResource>()
        .model_resource::<LetterResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    for name in ["Ann", "Ben"] {
        app.post("/api/people", json!({ "name": name })).await.expect(201);
    }
    let letter = json!({"pages": 4, "senderId": 1, "recipientId": 2, "limit": true, "text": "Dear Ben"});
    app.post("/api/letters", letter).await.expect(201);
    app
}

/// PAGE-22, PAGE-20
#[tokio::test]
async fn a_primary_key_of_any_name_identifies_objects() {
    let app = app().await;
    let list = page(&app, "/api/letters").await;
    for text in [
        "data-label=\"Number\">1</td>",
        "<a href=\"/api/letters/1\">#1</a>",
    ] {
        assert!(list.contains(text), "{list}");
    }
    assert!(list.contains("<a href=\"/api/people/2\">Ben</a>"), "{list}");
    let letter = page(&app, "/api/letters/1").await;
    assert!(letter.contains("Letter 1</h1>"), "{letter}");
    let form = page(&app, "/api/letters/1?_view=edit").await;
    assert!(form.contains("data-reference-key=\"number\""), "{form}");
    let ben = page(&app, "/api/people/2").await;
    assert!(ben.contains("<a href=\"/api/letters?recipientId=2\">"), "{ben}");
}

/// PAGE-22: each foreign key has its own list, apart from that of a list below the object.
#[tokio::test]
async fn an_object_has_the_rows_of_every_foreign_key_to_it() {
    let app = app().await;
    let ann = page(&app, "/api/people/1").await;
    for text in [
        "<a href=\"/api/people/1/sent\">Sent</a> <span class=\"muted\">1</span>",
        "<a href=\"/api/letters?recipientId=1\">Letters (recipient)</a> <span class=\"muted\">0</span>",
        "<a href=\"/api/people/2\">Ben</a>",
    ] {
        assert!(ann.contains(text), "{text}: {ann}");
    }
    assert!(!ann.contains("/api/letters?senderId=1"), "{ann}");
    let ann = page(&app, "/api/people/1?_view=delete").await;
    assert!(ann.contains("1 row, deleted with it"), "{ann}");
    let ben = page(&app, "/api/people/2?_view=delete").await;
    assert!(
        ben.contains("1 row, kept without a reference to it") && !ben.contains("deleted with it"),
        "{ben}"
    );
}

/// PAGE-30: the URL of a list below an object fixes its foreign key.
#[tokio::test]
async fn the_foreign_key_of_the_url_has_no_quick_filter() {
    let app = app().await;
    let all = page(&app, "/api/letters").await;
    assert!(all.contains("href=\"/api/letters?senderId=1\">Ann</a>"), "{all}");
    let sent = page(&app, "/api/people/1/sent").await;
    assert!(!sent.contains("?senderId="), "{sent}");
    assert!(
        sent.contains("href=\"/api/people/1/sent?recipientId=2\">Ben</a>"),
        "{sent}"
    );
}

/// PAGE-21: a list parameter of the same name is not the filter.
#[tokio::test]
async fn a_field_with_the_name_of_a_list_parameter_is_filtered_with_an_operator() {
    let app = app().await;
    let list = page(&app, "/api/letters?limit[eq]=true").await;
    let select = "<select name=\"limit[eq]\" aria-label=\"Limit\">\n<option value=\"\">any</option>\n\
                  <option value=\"true\" selected>Yes</option>";
    assert!(list.contains(select), "{list}");
}

/// PAGE-61
#[tokio::test]
async fn rows_below_an_object_have_their_text_and_the_zone_of_times() {
    let app = app().await;
    let ann = page(&app, "/api/people/1").await;
    assert!(ann.contains("data-label=\"Text\">Dear Ben</td>"), "{ann}");
    let list = page(&app, "/api/letters").await;
    assert!(
        list.contains(">Sent at</a> <span class=\"unit\">UTC</span></th>"),
        "{list}"
    );
    let letter = page(&app, "/api/letters/1").await;
    assert!(letter.contains("<div class=\"wide\"><dt>Text</dt>"), "{letter}");
}
