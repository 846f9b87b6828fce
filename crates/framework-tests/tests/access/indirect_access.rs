//! Policies apply to indirect access too: views, hidden foreign keys, and changes of presets.

use model_resource::{
    Api, Caller, Columns, Context, Draft, Model, ModelPolicy, ModelResource, ModelSerializer, Reply, Result,
    SerializerFields, Where, model_resource, param_converter, route, serializer,
};
use serde_json::json;
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
struct Agent {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
struct Ticket {
    #[column(primary_key)]
    id: i64,
    title: String,
    reporter_id: i64,
    #[column(references = Agent)]
    agent_id: Option<i64>,
}

struct AgentSerializer;

#[serializer]
impl ModelSerializer for AgentSerializer {
    type Model = Agent;

    fn fields(fields: SerializerFields<Agent>) -> SerializerFields<Agent> {
        fields.has_many::<TicketSerializer>("tickets", Ticket::AGENT_ID)
    }
}

struct TicketSerializer;

#[serializer]
impl ModelSerializer for TicketSerializer {
    type Model = Ticket;

    fn fields(fields: SerializerFields<Ticket>) -> SerializerFields<Ticket> {
        fields.belongs_to::<AgentSerializer>("agent", Ticket::AGENT_ID)
    }
}

struct AgentResource;

#[model_resource(Agent, "/agents", "/agents/<int:id>")]
impl ModelResource for AgentResource {
    const PUBLIC: bool = true;
}

#[model_resource(
    Ticket,
    "/tickets",
    "/tickets/<int:id>",
    "/agents/<int:agent_id>/tickets",
    "/agents/<int:agent_id>/tickets/<int:id>"
)]
struct TicketResource;

/// Reporters change their tickets and do not see the agents who work on them.
struct TicketPolicy;

impl ModelPolicy for TicketPolicy {
    type Model = Ticket;

    fn updatable(caller: &Caller) -> Where<Ticket> {
        if caller.has_role("agent") {
            Where::all()
        } else {
            caller.owned_by(Ticket::REPORTER_ID)
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn presets(caller: &Caller) -> Draft<Ticket> {
        let mut given = Draft::new();
        if let Some(id) = caller.key::<i64>() {
            given.set(Ticket::REPORTER_ID, id);
        }
        given
    }

    fn hidden(caller: &Caller) -> Columns<Ticket> {
        if caller.has_role("agent") {
            Columns::none()
        } else {
            Columns::of(Ticket::AGENT_ID)
        }
    }
}

#[route("/quick", methods = [POST])]
async fn quick(cx: Context) -> Result<Reply> {
    let mut ticket = Draft::new();
    ticket.set(Ticket::TITLE, "quick".to_owned());
    cx.created::<Ticket>(ticket).await
}

#[route("/tickets/<int:id>/shout", methods = [POST], decorators = [param_converter().model::<Ticket>("id")])]
async fn shout(cx: Context) -> Result<Reply> {
    let ticket = cx.loaded::<Ticket>().unwrap();
    let mut draft = Draft::of(&ticket);
    draft.set(Ticket::TITLE, ticket.title.to_uppercase());
    cx.updated(draft).await
}

#[route("/tickets/<int:id>/drop", methods = [POST], decorators = [param_converter().model::<Ticket>("id")])]
async fn drop_ticket(cx: Context) -> Result<Reply> {
    let ticket = cx.loaded::<Ticket>().unwrap();
    cx.deleted(ticket).await
}

struct Desk {
    app: TestApp,
    /// The reporter of the only ticket, on which agent 1 works.
    ann: Client,
    bob: Client,
    agent: Client,
}

async fn desk() -> Desk {
    let api = Api::new("desk")
        .serializer::<AgentSerializer>()
        .serializer::<TicketSerializer>()
        .model_resource::<AgentResource>()
        .model_resource::<TicketResource>()
        .route(quick)
        .route(shout)
        .route(drop_ticket)
        .policy::<TicketPolicy>()
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let (ann, bob, agent) = (app.as_caller("1"), app.as_caller("2"), app.as_caller("99 agent"));
    app.post("/agents", json!({"name": "abe"})).await.expect(201);
    ann.post("/tickets", json!({"title": "Snow"})).await.expect(201);
    agent.patch("/tickets/1", json!({"agentId": 1})).await.expect(200);
    Desk { app, ann, bob, agent }
}

impl Desk {
    /// Returns every row of every table.
    fn rows(&self) -> Vec<String> {
        self.app.database().rows()
    }
}

/// POL-11: the model's policy applies to `cx.created`, `cx.updated` and `cx.deleted` in a view.
#[tokio::test]
async fn a_view_is_subject_to_the_policy() {
    let desk = desk().await;
    let before = desk.rows();
    desk.app.post("/quick", json!(null)).await.expect(401);
    for (client, status) in [(&*desk.app, 401), (&desk.bob, 403)] {
        client.post("/tickets/1/shout", json!(null)).await.expect(status);
        client.post("/tickets/1/drop", json!(null)).await.expect(status);
    }
    assert_eq!(desk.rows(), before);

    let made = desk.bob.post("/quick", json!(null)).await.expect(201).json();
    assert_eq!(made["reporterId"], 2, "what is given is given in views, too");
    let shouted = desk.ann.post("/tickets/1/shout", json!(null)).await;
    assert_eq!(shouted.expect(200).json()["title"], "SNOW");
    desk.ann.post("/tickets/1/drop", json!(null)).await.expect(204);
    desk.ann.get("/tickets/1").await.expect(404);
}

/// POL-12: a hidden foreign key cannot be followed by expansion, filter, sort or nested URL, from either side.
#[tokio::test]
async fn a_hidden_foreign_key_hides_the_relation() {
    let desk = desk().await;
    let urls = [
        "/tickets?expand=agent",
        "/tickets?agent.name=abe",
        "/tickets?agent.name[isnull]=true",
        "/tickets?sort=agent.name",
        "/tickets?agentId=1",
        "/tickets/1?expand=agent",
        "/agents?expand=tickets",
        "/agents?tickets.title=Snow",
        "/agents/1?expand=tickets",
    ];
    for url in urls {
        desk.agent.get(url).await.expect(200);
        let refused = desk.ann.get(url).await.expect(400).text();
        assert!(!refused.contains("did you mean"), "{url}: {refused}");
    }
    for url in ["/agents/1/tickets", "/agents/1/tickets/1"] {
        desk.agent.get(url).await.expect(200);
        desk.ann.get(url).await.expect(404);
    }
    desk.ann
        .post("/agents/1/tickets", json!({"title": "Mine"}))
        .await
        .expect(404);
    assert_eq!(
        desk.ann.get("/tickets/1").await.expect(200).json(),
        json!({"id": 1, "title": "Snow", "reporterId": 1})
    );
}

/// POL-13: a caller cannot change preset columns, even without `read_only`.
#[tokio::test]
async fn preset_columns_cannot_be_changed() {
    let desk = desk().await;
    let taken = desk
        .ann
        .post("/tickets", json!({"title": "For Bob", "reporterId": 2}))
        .await;
    taken.expect_json(
        400,
        json!({"errors": {"reporterId": ["Set by the server; leave it out."]}}),
    );
    let before = desk.rows();
    let patched = desk.ann.patch("/tickets/1", json!({"reporterId": 2})).await;
    assert_eq!(patched.expect(200).json()["reporterId"], 1);
    assert_eq!(desk.rows(), before);
}

/// POL-10: a condition that partly depends on other rows is evaluated in memory if the other part decides, in either
/// order.
#[test]
fn conditions_on_other_rows_are_evaluated_only_if_the_own_columns_do_not_decide() {
    let ticket = |title: &str| Ticket {
        id: 1,
        title: title.to_owned(),
        reporter_id: 1,
        agent_id: Some(1),
    };
    let abes = || Ticket::AGENT_ID.references(Agent::NAME.eq("abe".to_owned()));
    let snow = || Ticket::TITLE.eq("Snow".to_owned());
    for both in [abes().and(snow()), snow().and(abes())] {
        assert!(!both.matches(&ticket("Rain")));
    }
    for either in [abes().or(snow()), snow().or(abes())] {
        assert!(either.matches(&ticket("Snow")));
    }
    let unknown = std::panic::catch_unwind(|| abes().and(snow()).matches(&ticket("Snow")));
    assert!(unknown.is_err(), "the agent is in another table");
}
