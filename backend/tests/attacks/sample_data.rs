//! The reference application with a row of every model, and all its write operations.

use backend::app::Settings;
use http::Method;
use model_resource::Server;
use serde_json::{Value, json};
use test_support::Client;

use crate::support::BackendApp;

/// A write operation: its URL and a valid body.
pub(crate) struct Writing {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) valid: Value,
    /// The caller that is permitted.
    pub(crate) who: Who,
    /// Whether the body is sent as the second object of a bulk request.
    pub(crate) of_many: bool,
}

/// The caller of a write.
#[derive(Clone, Copy)]
pub(crate) enum Who {
    /// An anonymous caller.
    Anyone,
    /// The user who owns the row.
    User,
    Admin,
}

/// The application, the client of a user, and every write operation.
pub(crate) struct SampleData {
    pub(crate) app: BackendApp,
    pub(crate) user: Client,
    pub(crate) writings: Vec<Writing>,
}

pub(crate) fn sample() -> Value {
    json!({
        "flag": true, "small": 1, "number": 2, "big": 3, "single": 0.5, "ratio": 0.25, "text": "t", "blob": "aGk=",
        "amount": "1.5", "day": "2024-02-29", "clock": "07:08:09", "moment": "2024-05-06T07:08:09Z",
        "token": "67e55044-10b1-426f-9247-bb680e5fe0c8", "extra": {"a": [1, null]}, "color": "red",
        "maybeFlag": true, "maybeSmall": 1, "maybeNumber": 2, "maybeBig": 3, "maybeSingle": 0.5, "maybeRatio": 0.25,
        "maybeText": "t", "maybeBlob": "aGk=", "maybeAmount": "1.5", "maybeDay": "2024-02-29",
        "maybeClock": "07:08:09", "maybeMoment": "2024-05-06T07:08:09Z",
        "maybeToken": "67e55044-10b1-426f-9247-bb680e5fe0c8", "maybeExtra": {"a": [1, null]}, "maybeColor": "red",
    })
}

impl SampleData {
    pub(crate) async fn new() -> Self {
        // The tests send their bodies from many addresses, because of the rate limit.
        let settings = Settings {
            trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
            ..Settings::unlimited()
        };
        let app = BackendApp::start_with(Server::default(), settings).await;
        let (_, user) = app.user("ann").await;
        let article = json!({
            "title": "One", "body": "Text", "summary": "Short", "published": true, "rating": 4.5, "price": "12.30",
            "publishDate": "2024-02-29", "categoryId": 1, "authorId": 1,
        });
        let resources = [
            ("/api/v1/categories", json!({"name": "Rust"})),
            ("/api/v1/articles", article),
            (
                "/api/v1/articles/1/comments",
                json!({"name": "Ann", "body": "Hello"}),
            ),
            ("/api/v1/tags", json!({"tag": {"name": "rust"}})),
            ("/api/v1/samples", sample()),
        ];
        let mut writings = Vec::new();
        for (url, valid) in resources {
            let created = app.post(url, valid.clone()).await.expect(201);
            let item = created.header("location").to_owned();
            for (method, url) in [
                (Method::POST, url.to_owned()),
                (Method::PUT, item.clone()),
                (Method::PATCH, item),
            ] {
                let valid = valid.clone();
                writings.push(Writing {
                    method,
                    url,
                    valid,
                    who: Who::Admin,
                    of_many: false,
                });
            }
            if [
                "/api/v1/articles",
                "/api/v1/articles/1/comments",
                "/api/v1/samples",
            ]
            .contains(&url)
            {
                let mut changed = valid.clone();
                changed["id"] = created.json()["id"].clone();
                for (method, valid) in [(Method::POST, &valid), (Method::PATCH, &changed)] {
                    writings.push(Writing {
                        method,
                        url: url.to_owned(),
                        valid: valid.clone(),
                        who: Who::Admin,
                        of_many: true,
                    });
                }
            }
        }
        let submission = json!({"name": "Ann", "email": "ann@example.com", "message": "Hello"});
        let account = json!({"email": "new@example.com", "username": "new", "password": "correct horse"});
        let mut add = |method, url: &str, valid: &Value, who| {
            writings.push(Writing {
                method,
                url: url.to_owned(),
                valid: valid.clone(),
                who,
                of_many: false,
            });
        };
        let login = json!({"email": "ann", "password": "correct horse"});
        add(Method::POST, "/api/v1/auth/login", &login, Who::Anyone);
        let submission = json!({"contactSubmission": submission});
        add(
            Method::POST,
            "/api/v1/contact-submissions",
            &submission,
            Who::Anyone,
        );
        add(Method::POST, "/api/v1/auth/users", &account, Who::Anyone);
        let names =
            json!({"email": "ann@example.com", "username": "ann", "firstName": "Ann", "lastName": null});
        add(Method::PUT, "/api/v1/auth/users/1", &names, Who::User);
        add(Method::PATCH, "/api/v1/auth/users/1", &names, Who::User);
        Self { app, user, writings }
    }

    /// Returns the client that is permitted to send it.
    pub(crate) fn client(&self, writing: &Writing) -> &Client {
        match writing.who {
            Who::Anyone => &self.app.anonymous,
            Who::User => &self.user,
            Who::Admin => &self.app.client,
        }
    }
}
