//! Runs the audit.

use axum::body::{Body, to_bytes};
use http::{Request, header};
use model_resource_cli::Failure;
use serde_json::Value;
use tower::ServiceExt;

use crate::app;
use crate::audit::actors::Actor;
use crate::audit::fixture::Fixture;
use crate::audit::matrix::{Matrix, MatrixCell, MatrixLine};
use crate::audit::requests::{AuditRequest, audit_requests};
use crate::audit::targets::{PASSWORD, targets};
use crate::extensions::api::PREFIX;
use crate::security::{self, hash_password};

/// Maximum bytes of a response.
const MAX_RESPONSE: usize = 1024 * 1024;
const REMEDY: &str = "the examples of the audit are in backend/src/audit/targets.rs and fixture.rs";

/// Requests every URL by every method as every caller, each time on a new database. Fails if a route has no example, or
/// if the response is no access decision.
pub async fn walk() -> Result<Matrix, Failure> {
    let requests = audit_requests(
        PREFIX,
        &app::api(security::authenticator()).compile().routes(),
        &targets(),
    )
    .map_err(failure)?;
    let hash = hash_password(PASSWORD.to_owned());
    let mut lines = Vec::new();
    let mut mistakes = Vec::new();
    for audited in requests {
        let mut line = MatrixLine {
            method: audited.method.clone(),
            url: audited.url.clone(),
            row: audited.row.clone(),
            outcomes: Vec::new(),
        };
        for person in Actor::all() {
            let (outcome, body) = send(&audited, person, &hash).await?;
            if !outcome.is_access_decision() {
                mistakes.push(format!("{line} as {}: {} {body}", person.name(), outcome.status));
            }
            line.outcomes.push(outcome);
        }
        if line.is_missing() {
            mistakes.push(format!("{line}: the row is missing for everyone"));
        }
        lines.push(line);
    }
    if mistakes.is_empty() {
        Ok(Matrix { lines })
    } else {
        Err(failure(mistakes))
    }
}

async fn send(
    audited: &AuditRequest,
    person: Actor,
    password_hash: &str,
) -> Result<(MatrixCell, String), Failure> {
    let fixture = Fixture::for_person(person, password_hash).await?;
    let mut request = Request::builder()
        .method(audited.method.as_str())
        .uri(&audited.path);
    if let Some(token) = &fixture.token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = match &audited.body {
        Some(body) => request
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))?,
        None => request.body(Body::empty())?,
    };
    let response = fixture.service.oneshot(request).await?;
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), MAX_RESPONSE).await?;
    let rows = if audited.is_list && status < 300 {
        Some(count_rows(&serde_json::from_slice(&body)?))
    } else {
        None
    };
    let outcome = MatrixCell {
        caller: person.name(),
        status,
        rows,
    };
    Ok((outcome, String::from_utf8_lossy(&body).into_owned()))
}

/// Counts the rows of a list, with or without an envelope.
fn count_rows(list: &Value) -> usize {
    match list {
        Value::Array(rows) => rows.len(),
        Value::Object(envelope) => envelope.values().map(count_rows).sum(),
        _ => 0,
    }
}

fn failure(mistakes: Vec<String>) -> Failure {
    format!(
        "the audit cannot determine access:\n- {}\n{REMEDY}",
        mistakes.join("\n- ")
    )
    .into()
}
