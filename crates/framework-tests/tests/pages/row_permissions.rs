//! Forms for objects that a policy lets the caller see and not change.

use model_resource::{Api, Caller, Model, ModelPolicy, Pages, Where, model_resource, route};
use test_support::{Client, HeaderAuthenticator, TestApp};

/// A note, which everyone reads.
#[derive(Debug, Clone, Model)]
struct Note {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    title: String,
    owner_id: i64,
    is_final: bool,
}

struct NotePolicy;

impl ModelPolicy for NotePolicy {
    type Model = Note;

    fn updatable(caller: &Caller) -> Where<Note> {
        caller.owned_by(Note::OWNER_ID)
    }

    fn deletable(caller: &Caller) -> Where<Note> {
        caller.owned_by(Note::OWNER_ID).and(Note::IS_FINAL.eq(false))
    }
}

#[model_resource(Note, "/notes", "/notes/<int:id>", "/titles/<title>", policy = NotePolicy)]
struct NoteResource;

/// Begins a session.
#[route("/login", methods = [POST])]
async fn login() -> &'static str {
    "logged in"
}

async fn app() -> TestApp {
    let api = Api::new("notes")
        .prefix("/api")
        .authenticator(HeaderAuthenticator)
        .model_resource::<NoteResource>()
        .route(login)
        .pages(Pages::new().login("/login"));
    let app = TestApp::with_api(api).await;
    app.database().execute(
        "INSERT INTO notes (title, owner_id, is_final) VALUES ('mine', 7, FALSE), ('final', 7, TRUE), ('hers', 8, FALSE)",
    );
    app
}

async fn page(caller: &Client, path: &str) -> String {
    let page = caller.with_header("accept", "text/html").get(path).await;
    page.expect(200).text()
}

fn offers(page: &str) -> (bool, bool) {
    (page.contains("?_view=edit\""), page.contains("?_view=delete\""))
}

/// PAGE-37
#[tokio::test]
async fn an_object_offers_what_the_policy_lets_the_caller_do_with_it() {
    let app = app().await;
    let ann = app.as_caller("7");
    for (path, offered, refused) in [
        ("/api/notes/1", (true, true), None),
        (
            "/api/notes/2",
            (true, false),
            Some("You may not delete this note."),
        ),
        (
            "/api/notes/3",
            (false, false),
            Some("You may not change or delete this note."),
        ),
        ("/api/titles/mine", (true, true), None),
        (
            "/api/titles/hers",
            (false, false),
            Some("You may not change or delete this note."),
        ),
    ] {
        let note = page(&ann, path).await;
        assert_eq!(offers(&note), offered, "{path}: {note}");
        match refused {
            Some(text) => assert!(note.contains(text), "{path}: {note}"),
            None => assert!(!note.contains("You may not change"), "{path}: {note}"),
        }
    }
    let hers = page(&ann, "/api/notes/3").await;
    let refusal = hers.split("class=\"refusal").nth(1).unwrap_or_default();
    let refusal = refusal.split("</p>").next().unwrap_or_default();
    assert!(
        refusal.contains("You may change notes") && !refusal.contains("You see"),
        "the rule about changes is said: {refusal}"
    );
    // The JSON agrees.
    ann.delete("/api/notes/3").await.expect(403);
    ann.delete("/api/notes/2").await.expect(403);
    ann.delete("/api/notes/1").await.expect(204);
}

/// PAGE-37: the forms of such an object are replaced by its page, which says why.
#[tokio::test]
async fn a_form_for_an_object_that_the_policy_refuses_is_not_shown() {
    let app = app().await;
    let ann = app.as_caller("7");
    for (path, notice) in [
        ("/api/notes/3?_view=edit", "You may not change this."),
        ("/api/notes/3?_view=delete", "You may not delete this."),
        ("/api/notes/2?_view=delete", "You may not delete this."),
    ] {
        let note = page(&ann, path).await;
        assert!(
            note.contains(notice) && !note.contains("data-submit"),
            "{path}: {note}"
        );
    }
    assert!(
        page(&ann, "/api/notes/2?_view=edit")
            .await
            .contains("data-submit=\"PATCH\"")
    );
    // For an anonymous caller, who can change nothing, the row makes no difference.
    let note = page(&app.anonymous, "/api/notes/3").await;
    assert_eq!(offers(&note), (false, false), "{note}");
    assert!(!note.contains("class=\"refusal"), "{note}");
}

/// PAGE-61
#[tokio::test]
async fn a_visitor_is_told_that_a_login_lets_them_change_an_object() {
    let app = app().await;
    let visitor = page(&app.anonymous, "/api/notes/1").await;
    let hint = "<a href=\"/api/login?_next=/api/notes/1\">Log in</a> to change it.";
    assert!(visitor.contains(hint), "{visitor}");
    let ann = page(&app.as_caller("7"), "/api/notes/3").await;
    assert!(!ann.contains("to change it."), "{ann}");
}
