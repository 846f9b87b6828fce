//! Asking for everything as everyone.

use axum::body::{Body, to_bytes};
use http::{Request, header};
use serde_json::Value;
use tower::ServiceExt;

use crate::app;
use crate::audit::actors::Actor;
use crate::audit::fixture::Fixture;
use crate::audit::matrix::{Matrix, MatrixCell, MatrixLine};
use crate::audit::requests::{AuditRequest, probes};
use crate::audit::targets::{PASSWORD, targets};
use crate::extensions::api::PREFIX;
use crate::failure::Failure;
use crate::security::{self, hash_password};

/// No answer is longer.
const MAX_RESPONSE: usize = 1024 * 1024;
const REMEDY: &str = "the examples of the audit are in backend/src/audit/targets.rs and fixture.rs";

/// Asks every URL, by every method, as everyone, each time on a new database, and tells what came of it. Fails if a route
/// has no example, or one that says nothing about who may use it.
pub async fn walk() -> Result<Matrix, Failure> {
    let probes = probes(PREFIX, &app::api(security::configured()).routes(), &targets()).map_err(told)?;
    let hash = hash_password(PASSWORD.to_owned());
    let mut lines = Vec::new();
    let mut mistakes = Vec::new();
    for probe in probes {
        let mut line = MatrixLine {
            method: probe.method.clone(),
            url: probe.url.clone(),
            row: probe.row.clone(),
            outcomes: Vec::new(),
        };
        for person in Actor::all() {
            let (outcome, body) = ask(&probe, person, &hash).await?;
            if !outcome.is_telling() {
                mistakes.push(format!("{line} as {}: {} {body}", person.name(), outcome.status));
            }
            line.outcomes.push(outcome);
        }
        if line.is_missing() {
            mistakes.push(format!("{line}: the row is missing for everyone"));
        }
        lines.push(line);
    }
    match mistakes.is_empty() {
        true => Ok(Matrix { lines }),
        false => Err(told(mistakes)),
    }
}

async fn ask(
    probe: &AuditRequest,
    person: Actor,
    password_hash: &str,
) -> Result<(MatrixCell, String), Failure> {
    let fixture = Fixture::for_person(person, password_hash).await?;
    let mut request = Request::builder().method(probe.method.as_str()).uri(&probe.path);
    if let Some(token) = &fixture.token {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    let request = match &probe.body {
        Some(body) => request
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))?,
        None => request.body(Body::empty())?,
    };
    let response = fixture.service.oneshot(request).await?;
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), MAX_RESPONSE).await?;
    let rows = match probe.is_list && status < 300 {
        true => Some(counted(&serde_json::from_slice(&body)?)),
        false => None,
    };
    let outcome = MatrixCell {
        caller: person.name(),
        status,
        rows,
    };
    Ok((outcome, String::from_utf8_lossy(&body).into_owned()))
}

/// The rows of a list, in an envelope or not.
fn counted(list: &Value) -> usize {
    match list {
        Value::Array(rows) => rows.len(),
        Value::Object(envelope) => envelope.values().map(counted).sum(),
        _ => 0,
    }
}

fn told(mistakes: Vec<String>) -> Failure {
    format!(
        "the audit cannot tell who may do what:\n- {}\n{REMEDY}",
        mistakes.join("\n- ")
    )
    .into()
}
