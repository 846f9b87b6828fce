//! Pages of deleted objects.

use model_resource::{
    Api, Caller, Model, ModelPolicy, ModelResource, Pages, Timestamp, Where, model_resource,
};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Letter {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

struct LetterPolicy;

impl ModelPolicy for LetterPolicy {
    type Model = Letter;

    fn shows_deleted(caller: &Caller) -> Where<Letter> {
        if caller.has_role("desk") {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn updatable(caller: &Caller) -> Where<Letter> {
        if caller.is_authenticated() {
            Where::all()
        } else {
            Where::none()
        }
    }
}

struct LetterResource;

#[model_resource(Letter, "/letters", "/letters/<int:id>", policy = LetterPolicy)]
impl ModelResource for LetterResource {
    const RESTORE: bool = true;
}

async fn app() -> TestApp {
    let api = Api::new("letters")
        .authenticator(HeaderAuthenticator)
        .model_resource::<LetterResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    app.database()
        .execute("INSERT INTO letters (title) VALUES ('kept'), ('lost')");
    app.as_caller("1").delete("/letters/2").await.expect(204);
    app
}

async fn page(client: &Client, path: &str) -> String {
    let page = client.with_header("accept", "text/html").get(path).await;
    page.expect(200).text()
}

/// SDL-16
#[tokio::test]
async fn the_page_of_a_deleted_object_offers_its_restoration() {
    let app = app().await;
    let desk = app.as_caller("2 desk");
    let lost = page(&desk, "/letters/2").await;
    assert!(lost.contains("This letter is deleted."), "{lost}");
    assert!(lost.contains("href=\"/letters/2/restore?_next="), "{lost}");
    assert!(
        !lost.contains("_view=edit") && !lost.contains("_view=delete"),
        "{lost}"
    );
    let kept = page(&desk, "/letters/1").await;
    assert!(!kept.contains("/restore"), "{kept}");
    assert!(
        kept.contains("_view=edit") && kept.contains("_view=delete"),
        "{kept}"
    );
    let form = page(&desk, "/letters/2/restore?_next=/letters/2").await;
    assert!(form.contains("Restore a letter"), "{form}");
    let deletion = page(&desk, "/letters/1?_view=delete").await;
    assert!(!deletion.contains("cannot be undone"), "{deletion}");
    let member = app.as_caller("1").with_header("accept", "text/html");
    member.get("/letters/2").await.expect(404);
}

/// SDL-16
#[tokio::test]
async fn the_filter_form_of_a_list_has_deleted_objects_for_callers_who_see_them() {
    let app = app().await;
    let desk = app.as_caller("2 desk");
    let list = page(&desk, "/letters").await;
    assert!(list.contains("<select name=\"deleted\""), "{list}");
    assert!(list.contains("kept") && !list.contains("lost"), "{list}");
    let deleted = page(&desk, "/letters?deleted=only").await;
    assert!(deleted.contains("lost") && !deleted.contains("kept"), "{deleted}");
    assert!(deleted.contains("<option value=\"only\" selected"), "{deleted}");
    let member = page(&app.as_caller("1"), "/letters").await;
    assert!(!member.contains("name=\"deleted\""), "{member}");
}
