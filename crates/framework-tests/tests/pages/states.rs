//! Columns whose values change by transitions.

use model_resource::{
    Api, Caller, ColumnEnum, Columns, Model, ModelPolicy, ModelResource, Operations, PATCH, Pages, Where,
    model_resource,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum Phase {
    Open,
    /// Work has stopped.
    Waiting,
    Closed,
}

#[derive(Debug, Clone, Model)]
struct Ticket {
    #[column(primary_key)]
    id: i64,
    title: String,
    owner_id: i64,
    #[column(default = "open", transitions(new -> Open, Open -> Waiting | Closed, Waiting -> Open))]
    phase: Phase,
}

/// Owners change their tickets, and others may not set the phase.
struct TicketPolicy;

impl ModelPolicy for TicketPolicy {
    type Model = Ticket;

    fn updatable(caller: &Caller) -> Where<Ticket> {
        if caller.has_role("reader") {
            return Where::all();
        }
        caller.owned_by(Ticket::OWNER_ID)
    }

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn read_only(caller: &Caller) -> Columns<Ticket> {
        if caller.has_role("reader") {
            Columns::of(Ticket::PHASE)
        } else {
            Columns::none()
        }
    }
}

#[model_resource(Ticket, "/tickets", "/tickets/<int:id>", policy = TicketPolicy)]
struct TicketResource;

struct FixedResource;

#[model_resource(Ticket, "/fixed", "/fixed/<int:id>", policy = TicketPolicy)]
impl ModelResource for FixedResource {
    const EXCLUDE_METHODS: Operations = Operations::of([PATCH]);
}

async fn app() -> TestApp {
    let api = Api::new("desk")
        .authenticator(HeaderAuthenticator)
        .model_resource::<TicketResource>()
        .model_resource::<FixedResource>()
        .pages(Pages::new());
    let app = TestApp::with_api(api).await;
    let owner = app.as_caller("7");
    let ticket = json!({"title": "Lamp", "ownerId": 7});
    owner.post("/tickets", ticket).await.expect(201);
    app
}

async fn page(caller: &Client, path: &str) -> String {
    let page = caller.with_header("accept", "text/html").get(path).await;
    page.expect(200).text()
}

/// PAGE-72
#[tokio::test]
async fn the_next_states_are_buttons_for_those_who_may_set_them() {
    let app = app().await;
    let owner = app.as_caller("7");
    let shown = page(&owner, "/tickets/1").await;
    assert!(
        shown.contains("data-state=\"waiting\" data-body=\"{&quot;phase&quot;:&quot;waiting&quot;}\" data-column=\"Phase\" title=\"Work has stopped.\""),
        "{shown}"
    );
    assert!(
        shown.contains("data-state=\"closed\"") && shown.contains("data-column=\"Phase\" data-one-way"),
        "{shown}"
    );
    assert!(!shown.contains("data-state=\"open\""), "{shown}");
    let others = [
        page(&app.as_caller("8"), "/tickets/1").await,
        page(&app.as_caller("9 reader"), "/tickets/1").await,
        page(&owner, "/fixed/1").await,
    ];
    for shown in others {
        assert!(shown.contains("open") && !shown.contains("data-state"), "{shown}");
    }
    owner
        .patch("/tickets/1", json!({"phase": "closed"}))
        .await
        .expect(200);
    let shown = page(&owner, "/tickets/1").await;
    assert!(!shown.contains("data-states"), "nothing follows: {shown}");
}

/// PAGE-72
#[tokio::test]
async fn forms_offer_the_values_that_are_allowed() {
    let app = app().await;
    let owner = app.as_caller("7");
    let offered = async |path: &str| {
        let form = page(&owner, path).await;
        let select = form.split("<select id=\"field-phase\"").nth(1).unwrap();
        let select = select.split("</select>").next().unwrap().to_owned();
        ["open", "waiting", "closed"]
            .into_iter()
            .filter(|value| select.contains(&format!("<option value=\"{value}\"")))
            .collect::<Vec<_>>()
    };
    assert_eq!(offered("/tickets?_view=new").await, ["open"]);
    assert_eq!(
        offered("/tickets/1?_view=edit").await,
        ["open", "waiting", "closed"]
    );
    owner
        .patch("/tickets/1", json!({"phase": "waiting"}))
        .await
        .expect(200);
    assert_eq!(offered("/tickets/1?_view=edit").await, ["open", "waiting"]);
    let copy = page(&owner, "/tickets?_view=new&_from=1").await;
    assert!(copy.contains("<option value=\"open\" selected>"), "{copy}");
}
