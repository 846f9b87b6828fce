//! Documents of different callers, and how they are cached.

use model_resource::{
    Api, Authenticate, Caller, Columns, Context, CredentialScheme, CsrfToken, HeaderName, MethodDecorators,
    Model, ModelPolicy, ModelResource, Result, Where, model_resource, route,
};
use serde_json::{Value, json};
use test_support::{HeaderAuthenticator, TestApp};

use crate::checked::Document;

#[derive(Debug, Clone, Model)]
struct Letter {
    #[column(primary_key)]
    id: i64,
    text: String,
    secret: Option<String>,
}

struct LetterPolicy;

impl ModelPolicy for LetterPolicy {
    type Model = Letter;

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn updatable(caller: &Caller) -> Where<Letter> {
        if caller.is_authenticated() {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn deletable(caller: &Caller) -> Where<Letter> {
        if caller.has_role("clerk") {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn hidden(caller: &Caller) -> Columns<Letter> {
        if caller.has_role("clerk") {
            Columns::none()
        } else {
            Columns::of(Letter::SECRET)
        }
    }
}

struct LetterResource;

#[model_resource(Letter, "/letters", "/letters/<int:id>", policy = LetterPolicy)]
impl ModelResource for LetterResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
    }
}

#[route("/stamps")]
async fn stamps() -> &'static str {
    "none"
}

/// Authenticator by a header, with the credentials of a session and a bearer token.
struct Sessions;

impl Authenticate for Sessions {
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        HeaderAuthenticator.authenticate(cx).await
    }

    fn credentials(&self) -> Vec<CredentialScheme> {
        let cookie = CredentialScheme::Cookie {
            name: "session".to_owned(),
            csrf_header: Some("X-Token".to_owned()),
        };
        vec![CredentialScheme::Bearer, cookie]
    }

    fn csrf_token(&self, cx: &Context) -> Option<CsrfToken> {
        cx.caller().is_authenticated().then(|| CsrfToken {
            header: HeaderName::from_static("x-token"),
            token: "proof".to_owned(),
        })
    }
}

fn letters() -> Api {
    Api::new("post")
        .prefix("/api")
        .model_resource::<LetterResource>()
        .route(stamps)
        .authenticator(Sessions)
        .openapi()
}

/// OAS-27: a caller's document has what they can use, and nothing else.
#[tokio::test]
async fn a_document_has_what_its_caller_can_use() {
    let app = TestApp::with_api(letters()).await;
    let anonymous = app.get("/api/openapi.json").await.expect(200);
    let document = Document(anonymous.json());
    document.operation("get", "/api/letters");
    assert_eq!(document.0["paths"]["/api/letters"]["post"], Value::Null);
    assert_eq!(document.0["paths"]["/api/letters/{id}"]["delete"], Value::Null);
    assert!(!anonymous.text().contains("secret"));

    let ann = app.as_caller("7").get("/api/openapi.json").await.expect(200);
    let document = Document(ann.json());
    document.operation("post", "/api/letters");
    assert_eq!(document.0["paths"]["/api/letters/{id}"]["delete"], Value::Null);
    assert!(!ann.text().contains("secret"));

    let clerk = app
        .as_caller("8 clerk")
        .get("/api/openapi.json")
        .await
        .expect(200);
    let document = Document(clerk.json());
    document.operation("delete", "/api/letters/{id}");
    assert!(document.query_names("get", "/api/letters").contains(&"secret"));
    let again = app
        .as_caller("9 clerk")
        .get("/api/openapi.json")
        .await
        .expect(200);
    assert_eq!(again.body, clerk.body);
    assert_ne!(clerk.body, ann.body);
}

/// OAS-28: operations that nobody has to log in for have an empty requirement beside the others.
#[tokio::test]
async fn operations_name_the_credentials_that_they_need() {
    let document = Document(letters().compile().openapi_document());
    let schemes = &document.0["components"]["securitySchemes"];
    assert_eq!(schemes["bearer"], json!({"type": "http", "scheme": "bearer"}));
    assert_eq!(schemes["session"]["in"], "cookie");
    assert_eq!(schemes["csrf"]["name"], "X-Token");
    let security = |method, path| document.operation(method, path)["security"].clone();
    assert_eq!(
        security("get", "/api/letters"),
        json!([{}, {"bearer": []}, {"session": []}])
    );
    assert_eq!(
        security("post", "/api/letters"),
        json!([{"bearer": []}, {"session": [], "csrf": []}])
    );
    let responses = &document.operation("post", "/api/letters")["responses"];
    assert!(responses["401"].is_object() && responses["403"].is_object());
    let unauthorized = &document.0["components"]["responses"]["Unauthorized"];
    assert!(unauthorized["headers"]["WWW-Authenticate"].is_object());

    let open = Api::new("open").model_resource::<LetterResource>().compile();
    let document = Document(open.openapi_document());
    assert_eq!(document.0["components"]["securitySchemes"], Value::Null);
    assert_eq!(document.operation("get", "/letters")["security"], Value::Null);
    assert_eq!(
        document.operation("get", "/letters")["responses"]["401"],
        Value::Null
    );
}

/// OAS-29: a document has an `ETag`, by which an unchanged one is not sent again, and no cache mixes up callers.
#[tokio::test]
async fn an_unchanged_document_is_not_sent_again() {
    let app = TestApp::with_api(letters()).await;
    let first = app.get("/api/openapi.json").await.expect(200);
    assert_eq!(first.header("cache-control"), "no-cache");
    assert_eq!(first.header("vary"), "authorization, cookie, accept-encoding");
    let etag = first.header("etag").to_owned();
    for known in [etag.clone(), format!("\"other\", W/{etag}"), "*".to_owned()] {
        let unchanged = app
            .with_header("if-none-match", &known)
            .get("/api/openapi.json")
            .await
            .expect(304);
        assert!(unchanged.body.is_empty());
        assert_eq!(unchanged.header("etag"), etag);
    }
    let clerk = app.as_caller("8 clerk").with_header("if-none-match", &etag);
    let clerk = clerk.get("/api/openapi.json").await.expect(200);
    assert_ne!(clerk.header("etag"), etag);
    assert_eq!(clerk.header("cache-control"), "private, no-cache");
}

/// OAS-30: the responses of the api link to its document, beside the links to other pages.
#[tokio::test]
async fn responses_link_to_the_document() {
    let app = TestApp::with_api(letters()).await;
    let link = "</api/openapi.json>; rel=\"service-desc\"";
    for path in [
        "/api/letters",
        "/api/letters/99",
        "/api/stamps",
        "/api/letters?nothing=1",
        "/api",
    ] {
        let response = app.get(path).await;
        let links: Vec<_> = response.headers.get_all("link").iter().collect();
        assert_eq!(links, [link], "{path}");
    }
    let page = app.get("/api/letters?limit=1").await.expect(200);
    let links: Vec<_> = page.headers.get_all("link").iter().collect();
    assert!(links[0].to_str().unwrap().contains("rel=\"first\""));
    assert_eq!(links[1], link);

    let plain = TestApp::with_api(Api::new("plain").model_resource::<LetterResource>()).await;
    assert!(
        plain
            .get("/letters")
            .await
            .expect(200)
            .headers
            .get("link")
            .is_none()
    );
    let tables = letters().tables();
    let nested = TestApp::with_router(&tables, |store| {
        axum::Router::new().nest_service("/x", letters().store(store).into_service())
    })
    .await;
    let links = nested.get("/x/api/letters").await.expect(200);
    assert_eq!(
        links.header("link"),
        "</x/api/openapi.json>; rel=\"service-desc\""
    );
}

#[route("/")]
async fn welcome() -> &'static str {
    "welcome"
}

/// OAS-31: the prefix has an index of the resources with the operations that the caller can use.
#[tokio::test]
async fn the_prefix_has_an_index_of_resources() {
    let app = TestApp::with_api(letters()).await;
    for path in ["/api", "/api/"] {
        app.get(path).await.expect_json(
            200,
            json!({
                "name": "post",
                "links": {"openapi": "/api/openapi.json"},
                "resources": [{
                    "name": "letter_resource",
                    "model": "Letter",
                    "title": "Letters",
                    "description": "",
                    "url": "/api/letters",
                    "urls": [
                        {"url": "/api/letters", "operations": [{"operation": "list", "method": "GET", "many": false}]},
                        {"url": "/api/letters/{id}", "operations": [{"operation": "get", "method": "GET", "many": false}]},
                    ],
                }],
                "views": [{"name": "stamps", "title": "Stamps", "method": "GET", "url": "/api/stamps"}],
            }),
        );
    }
    let ann = app.as_caller("7").get("/api").await.expect(200);
    assert_eq!(ann.header("cache-control"), "no-store");
    let ann = ann.json();
    assert_eq!(ann["csrf"], json!({"header": "x-token", "token": "proof"}));
    let operations = ann["resources"][0]["urls"][0]["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 2);

    let own = TestApp::with_api(letters().route(welcome)).await;
    assert_eq!(own.get("/api").await.expect(200).text(), "welcome");
    let without = TestApp::with_api(Api::new("post").prefix("/api").model_resource::<LetterResource>()).await;
    without.get("/api").await.expect(404);
}

/// OAS-31: at the root, the index does not take the place of a page of the application.
#[tokio::test]
async fn an_index_at_the_root_leaves_the_application_its_page() {
    let api = || Api::new("post").model_resource::<LetterResource>().openapi();
    let alone = TestApp::with_api(api()).await;
    assert_eq!(alone.get("/").await.expect(200).json()["name"], "post");
    let site = || axum::Router::new().route("/", axum::routing::get(|| async { "home" }));
    let tables = api().tables();
    let around = TestApp::with_router(&tables, |store| api().store(store).init_app(site())).await;
    assert_eq!(around.get("/").await.expect(200).text(), "home");
}
