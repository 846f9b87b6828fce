//! Mistakes of a declaration, each reported with its remedy.

use model_resource::{
    Api, ApiService, Caller, Draft, JsonBody, Message, Model, ModelPolicy, ModelSerializer, Reply, Result,
    SerializerFields, Where, model_resource, route, serializer,
};
use model_resource_audit::{Audit, AuditError, Audited, Fixture, access_matrix};
use serde_json::{Value, json};

use crate::clinic;

#[derive(Debug, Clone, Model)]
#[model(table = "stamps")]
struct Stamp {
    #[column(primary_key)]
    id: i64,
    #[column(unique, max_length = 1)]
    letter: String,
}

struct StampPolicy;

impl ModelPolicy for StampPolicy {
    type Model = Stamp;

    fn visible(_: &Caller) -> Where<Stamp> {
        Stamp::LETTER.eq("q".to_owned())
    }
}

#[model_resource(Stamp, "/stamps/<int:id>")]
struct StampResource;

#[model_resource(Stamp, "/stamps/<int:id>", policy = StampPolicy)]
struct HiddenStampResource;

/// Fails, unless the body says that it is polite.
#[route("/requests", methods = [POST])]
async fn ask(JsonBody(body): JsonBody<Value>) -> Result<Reply> {
    if body["please"] != json!(true) {
        return Err(model_resource::Error::field("please", "Say please."));
    }
    Ok(Reply::no_content())
}

#[route("/weather/<city>")]
async fn weather() -> Result<Reply> {
    Ok(Reply::no_content())
}

fn mistakes(audit: Audit, api: fn() -> Api) -> Vec<String> {
    let error = access_matrix(&audit.of(api)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("the audit cannot determine access:\n- "),
        "{text}"
    );
    error.mistakes().to_vec()
}

/// AUD-7: a parameter that identifies no row.
#[test]
fn a_route_without_an_example_is_named_with_the_remedy() {
    assert_eq!(
        mistakes(Audit::new(), || Api::new("a").prefix("/v1").route(weather)),
        [
            "GET /v1/weather/<city>: `city` identifies no row: add `.param(\"city\", ..)`, or \
             `.row(\"/weather/<city>\", \"\", [(\"city\", ..)])`",
            "HEAD /v1/weather/<city>: `city` identifies no row: add `.param(\"city\", ..)`, or \
             `.row(\"/weather/<city>\", \"\", [(\"city\", ..)])`",
        ]
    );
}

/// AUD-7: a declaration about something that is not served.
#[test]
fn an_example_of_what_is_not_served_is_named() {
    let audit = Audit::new()
        .param("city", "Rome")
        .param("town", "Bath")
        .body("PUT /weather/<city>", json!({}))
        .row("/climate/<city>", "", [("city", "Rome")]);
    assert_eq!(
        mistakes(audit, || Api::new("a").prefix("/v1").route(weather)),
        [
            "PUT /weather/<city> is not served: remove its `.body(..)`",
            "nothing is served at /climate/<city>: remove its `.row(..)`",
            "no URL has the parameter `town`: remove its `.param(..)`",
        ]
    );
}

/// AUD-7: a response that says nothing about access.
#[test]
fn a_response_that_is_no_access_decision_is_named_with_its_body() {
    let found = mistakes(Audit::new(), || Api::new("a").route(ask));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("POST /requests as anonymous: 400 {\"errors\":{\"please\":[\"Say please.\"]}}"),
        "{found:?}"
    );
    assert!(
        found[0].contains("the body was {}; set a valid one by `Audit::body`"),
        "{found:?}"
    );
    let polite = Audit::new().body("POST /requests", json!({"please": true}));
    let matrix = access_matrix(&polite.of(|| Api::new("a").route(ask))).unwrap();
    assert_eq!(matrix.lines[0].outcomes[0].status, 204);
}

#[derive(Debug, Clone, Model)]
#[model(table = "bids")]
struct Bid {
    #[column(primary_key)]
    id: i64,
    sum: i32,
}

struct BidSerializer;

#[serializer]
impl ModelSerializer for BidSerializer {
    type Model = Bid;

    fn fields(fields: SerializerFields<Bid>) -> SerializerFields<Bid> {
        fields.validate(Bid::SUM, |_: &i32, _| {
            Err(Message::new("closed", "No bids today."))
        })
    }
}

#[model_resource(Bid, "/bids", serializer = BidSerializer)]
struct BidResource;

/// AUD-7: a derived body is corrected, and the report has the body of its response, and the one before the corrections.
#[test]
fn the_body_of_a_report_is_the_one_that_was_rejected() {
    let found = mistakes(Audit::new(), || Api::new("a").model_resource::<BidResource>());
    let found = found.iter().find(|mistake| mistake.starts_with("POST /bids"));
    let expected = "400 {\"errors\":{\"sum\":[\"Sum is required.\"]}} is no access decision: the body was {} after {\"sum\":";
    assert!(
        found.is_some_and(|mistake| mistake.contains(expected)),
        "{found:?}"
    );
    let first =
        "} was rejected with {\"errors\":{\"sum\":[\"No bids today.\"]}}; set a valid one by `Audit::body`";
    assert!(found.is_some_and(|mistake| mistake.contains(first)), "{found:?}");
}

/// AUD-7: a row that nobody sees proves nothing.
#[test]
fn a_row_that_is_missing_for_every_caller_is_named() {
    let found = mistakes(Audit::new(), || {
        Api::new("a").model_resource::<HiddenStampResource>()
    });
    assert_eq!(
        found[0],
        "GET /stamps/<int:id>: the row is missing for every caller: add one that a caller sees in the fixture"
    );
}

/// AUD-7: rows that the matrix could not tell apart.
#[test]
fn two_rows_in_one_state_are_named() {
    let audit = Audit::new().fixture(async |rows: Fixture| {
        rows.add(Draft::<Stamp>::new()).await?;
        rows.add(Draft::<Stamp>::new()).await.map(drop)
    });
    let found = mistakes(audit, || Api::new("a").model_resource::<StampResource>());
    assert_eq!(
        found[0],
        "GET /stamps/<int:id>: two rows of `Stamp` are in the state \"\": name their states by `Fixture::add_as`, or add \
         one of them by `Fixture::add_other`"
    );
}

#[derive(Debug, Clone, Model)]
#[model(table = "letters")]
struct Letter {
    #[column(primary_key)]
    id: i64,
    #[column(pattern = "[a&&b]")]
    initial: String,
}

#[model_resource(Letter, "/letters", "/letters/<int:id>")]
struct LetterResource;

/// AUD-7: a column whose values cannot be guessed.
#[test]
fn a_row_that_cannot_be_made_is_named_with_its_column() {
    assert_eq!(
        mistakes(Audit::new(), || Api::new("a").model_resource::<LetterResource>()),
        ["no value is known for `initial` of `Letter`: add a row with one in the fixture"]
    );
}

/// AUD-7: an error of the application's own fixture.
#[test]
fn an_error_of_the_fixture_is_reported() {
    let audit = Audit::new().fixture(async |_: Fixture| Err("no paper"));
    assert_eq!(mistakes(audit, clinic::api), ["no paper"]);
    let twice = Audit::new().fixture(async |rows: Fixture| -> Result<(), AuditError> {
        rows.add_as("one", Draft::new().with(Stamp::LETTER, "a")).await?;
        rows.add_as("two", Draft::new().with(Stamp::LETTER, "a"))
            .await
            .map(drop)
    });
    let found = mistakes(twice, || Api::new("a").model_resource::<StampResource>());
    assert!(found[0].contains("no row of `Stamp` could be added"), "{found:?}");
    assert!(
        found[0].contains("Already taken") || found[0].contains("letter"),
        "{found:?}"
    );
}

/// An application with a role that nobody has.
struct WithRole(Audit);

impl Audited for WithRole {
    fn api(&self) -> Api {
        Api::new("a").model_resource::<StampResource>()
    }

    fn declaration(&self) -> &Audit {
        &self.0
    }

    fn service(&self, store: model_resource::Store) -> ApiService {
        self.api().store(store).into_service()
    }

    fn roles(&self) -> Vec<String> {
        vec!["printer".to_owned()]
    }
}

/// AUD-7: a role that no caller has.
#[test]
fn a_role_without_a_caller_is_named() {
    let error = access_matrix(&WithRole(Audit::new())).unwrap_err();
    assert_eq!(
        error.mistakes(),
        ["no caller has the role `printer`: add one of this name in the fixture"]
    );
    let with_caller = Audit::new().fixture(async |rows: Fixture| {
        rows.bearer("printer", "secret");
        Ok::<(), AuditError>(())
    });
    let matrix = access_matrix(&WithRole(with_caller)).unwrap();
    assert_eq!(matrix.lines[0].outcomes[1].caller, "printer");
}
