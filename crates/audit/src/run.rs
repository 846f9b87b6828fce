//! Runs an audit: prepares one database, and sends each request to a copy of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use http::{Request, header};
use model_resource::{ActionDescription, ApiDescription, ApiService, Store, Table};
use serde_json::Value;
use tokio::runtime;
use tower::ServiceExt as _;

use crate::audit::{Audit, Audited};
use crate::bodies::{AuditBody, Bodies};
use crate::copies::Copies;
use crate::error::{AuditError, BoxError};
use crate::fixture::{Fixture, FixtureCaller, FixtureRow};
use crate::matrix::{Matrix, MatrixCell, MatrixLine, is_access_decision};
use crate::requests::{AuditRequest, requests};
use crate::targets::{Targets, base_model, parameters};

/// Maximum bytes of a response.
const MAX_RESPONSE: usize = 1024 * 1024;
/// Maximum time of a request, for responses that have no end.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of corrections of a body.
const MAX_CORRECTIONS: usize = 3;

/// Database with the rows of the fixture, and what is known of them.
struct Prepared {
    store: Store,
    rows: Vec<FixtureRow>,
    callers: Vec<FixtureCaller>,
}

/// Response to one request of one caller.
struct CellResponse {
    status: u16,
    content: Vec<u8>,
    /// Body of the request that this is the response to.
    body: Option<AuditBody>,
    /// Derived body before all corrections, with the response to it.
    uncorrected: Option<(AuditBody, Vec<u8>)>,
}

/// Requests every URL by every method as every caller and in every state of the row, each time on a copy of one database
/// in memory.
///
/// Blocks until all requests are answered, on threads with runtimes of their own. It can be called inside and outside of a
/// runtime.
///
/// # Errors
/// If a request cannot be derived, if a response is no access decision, or if a row is missing for every caller. The error
/// lists every mistake with its remedy.
pub fn access_matrix(application: &impl Audited) -> Result<Matrix, AuditError> {
    let tables = application.api().tables();
    let description = application.api().compile().describe();
    let prepared = in_runtime(|| prepare(application, &description, &tables)).map_err(AuditError::of)?;
    let targets = Targets {
        audit: application.declaration(),
        description: &description,
        rows: &prepared.rows,
    };
    let bodies = Bodies {
        targets: &targets,
        tables: &tables,
    };
    let mut mistakes = missing_roles(&application.roles(), &prepared.callers);
    let requests = requests(&targets, &bodies).unwrap_or_else(|found| {
        mistakes.extend(found);
        Vec::new()
    });
    if !mistakes.is_empty() {
        return Err(AuditError::new(mistakes));
    }
    let lines = lines(application, &prepared, &requests)?;
    Ok(Matrix {
        name: description.name.clone(),
        notes: application.declaration().notes.clone(),
        lines,
    })
}

/// Runs a future on a thread with its own runtime.
fn in_runtime<T: Send, F: Future<Output = Result<T, BoxError>>>(
    work: impl FnOnce() -> F + Send,
) -> Result<T, BoxError> {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(work())
        });
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Opens the database, and adds the rows of the application and those that it leaves out.
async fn prepare(
    application: &impl Audited,
    description: &ApiDescription,
    tables: &[&'static Table],
) -> Result<Prepared, BoxError> {
    let store = application.open().await?;
    let fixture = Fixture::new(store.clone());
    let declaration = application.declaration();
    if let Some(add) = &declaration.add_accounts {
        add(fixture.clone(), tables.to_vec()).await?;
    }
    if let Some(add) = &declaration.add_fixture {
        add(fixture.clone()).await?;
    }
    for action in &description.actions {
        add_missing(&fixture, declaration, description, action, tables).await?;
    }
    let contents = std::mem::take(&mut *fixture.contents());
    Ok(Prepared {
        store,
        rows: contents.rows,
        callers: contents.callers,
    })
}

/// Adds a row of each model that an action is about and that has none yet.
async fn add_missing(
    fixture: &Fixture,
    declaration: &Audit,
    description: &ApiDescription,
    action: &ActionDescription,
    tables: &[&'static Table],
) -> Result<(), AuditError> {
    let parameters = parameters(declaration, description, action);
    let model = base_model(action, &parameters).or(action.list.as_ref().and(action.model));
    let needed = parameters
        .iter()
        .filter_map(|parameter| parameter.model)
        .chain(model);
    for model in needed {
        let table = tables.iter().find(|table| table.model == model && !table.is_view);
        let Some(table) = table else { continue };
        let deleted = action.restores && Some(model) == action.model;
        let is_known = |row: &FixtureRow| row.table.id() == table.id() && row.is_deleted() == deleted;
        if !fixture.contents().rows.iter().any(is_known) {
            let linked = linked_columns(description, table);
            fixture.generate(table, &linked, deleted).await?;
        }
    }
    Ok(())
}

/// Foreign keys by which URLs find the parents of a table's rows.
fn linked_columns(description: &ApiDescription, table: &'static Table) -> Vec<usize> {
    let actions = description.actions.iter();
    let actions = actions.filter(|action| action.model == Some(table.model));
    let names: Vec<&String> = actions
        .flat_map(|action| &action.parameters)
        .filter_map(|parameter| parameter.column.as_ref())
        .collect();
    let columns = table.columns.iter().enumerate();
    let linked = columns.filter(|(_, column)| {
        column.references.is_some() && names.iter().any(|name| **name == column.wire_name())
    });
    linked.map(|(position, _)| position).collect()
}

/// Roles of the application that no caller has.
fn missing_roles(roles: &[String], callers: &[FixtureCaller]) -> Vec<String> {
    let has_caller = |role: &&String| callers.iter().any(|caller| caller.name == **role);
    let missing = roles.iter().filter(|role| !has_caller(role));
    missing
        .map(|role| format!("no caller has the role `{role}`: add one of this name in the fixture"))
        .collect()
}

/// Sends all requests, and checks the responses.
fn lines(
    application: &impl Audited,
    prepared: &Prepared,
    requests: &[AuditRequest],
) -> Result<Vec<MatrixLine>, AuditError> {
    let callers = &prepared.callers;
    let mut responses = send_all(application, prepared, requests)?.into_iter();
    let mut lines = Vec::new();
    let mut mistakes = Vec::new();
    for request in requests {
        let mut line = MatrixLine {
            method: request.method.clone(),
            url: request.url.clone(),
            row: request.row.clone(),
            outcomes: Vec::new(),
        };
        for (caller, response) in callers.iter().zip(&mut responses) {
            let cell = response.cell(request, caller);
            if !is_access_decision(cell.status) {
                let content = String::from_utf8_lossy(&response.content);
                mistakes.push(format!(
                    "{line} as {}: {} {content} is no access decision: {}",
                    caller.name,
                    cell.status,
                    response.remedy()
                ));
            }
            line.outcomes.push(cell);
        }
        if line.is_missing() {
            mistakes.push(format!(
                "{line}: the row is missing for every caller: add one that a caller sees in the fixture"
            ));
        }
        lines.push(line);
    }
    if mistakes.is_empty() {
        Ok(lines)
    } else {
        Err(AuditError::new(mistakes))
    }
}

impl CellResponse {
    fn remedy(&self) -> String {
        let Some(body) = &self.body else {
            return "add rows with which the request succeeds in the fixture".to_owned();
        };
        let uncorrected = self.uncorrected.as_ref().map(|(body, content)| {
            format!(
                " after {} was rejected with {}",
                body.json(),
                String::from_utf8_lossy(content)
            )
        });
        format!(
            "the body was {}{}; set a valid one by `Audit::body`, or rows that it fits in the fixture",
            body.json(),
            uncorrected.unwrap_or_default()
        )
    }
}

/// Returns the responses of all callers to the first request, to the second, and so on.
fn send_all(
    application: &impl Audited,
    prepared: &Prepared,
    requests: &[AuditRequest],
) -> Result<Vec<CellResponse>, AuditError> {
    let count = requests.len() * prepared.callers.len();
    let next = AtomicUsize::new(0);
    let work = || async {
        let mut found = Vec::new();
        let mut copies = Copies::new(application, &prepared.store);
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(request) = requests.get(position / prepared.callers.len()) else {
                return Ok(found);
            };
            let caller = &prepared.callers[position % prepared.callers.len()];
            found.push((position, cell(&mut copies, request, caller).await?));
        }
    };
    let threads = thread::available_parallelism()
        .map_or(2, Into::into)
        .min(count.max(1));
    let found = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| in_runtime(work))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads
            .into_iter()
            .map(join)
            .collect::<Result<Vec<Vec<_>>, BoxError>>()
    });
    let mut found: Vec<_> = found.map_err(AuditError::of)?.into_iter().flatten().collect();
    found.sort_by_key(|(position, _)| *position);
    Ok(found.into_iter().map(|(_, response)| response).collect())
}

/// Sends one request as one caller. A derived body that is rejected is corrected.
async fn cell<A: Audited>(
    copies: &mut Copies<'_, A>,
    request: &AuditRequest,
    caller: &FixtureCaller,
) -> Result<CellResponse, BoxError> {
    let mut body = request.body.clone();
    let mut corrections = 0;
    let mut uncorrected = None;
    loop {
        let mut response = send_isolated(copies, request, caller, body.as_ref()).await?;
        if response.status == 409 && !request.dependents.is_empty() {
            // The caller may delete the row, which others refer to.
            let service = copies.without(&request.dependents).await?;
            return send(service, request, caller, None).await;
        }
        let corrected = match &body {
            Some(body) if response.status == 400 && corrections < MAX_CORRECTIONS => {
                let content = serde_json::from_slice(&response.content).unwrap_or_default();
                body.corrected(&content)
            }
            _ => None,
        };
        let Some(corrected) = corrected else {
            response.uncorrected = uncorrected;
            return Ok(response);
        };
        uncorrected = uncorrected.or(body.zip(Some(response.content)));
        body = Some(corrected);
        corrections += 1;
    }
}

/// Sends a request to a copy that no other request has changed.
async fn send_isolated<A: Audited>(
    copies: &mut Copies<'_, A>,
    request: &AuditRequest,
    caller: &FixtureCaller,
    body: Option<&AuditBody>,
) -> Result<CellResponse, BoxError> {
    let used = match copies.unchanged().await? {
        Some(service) => Some(send(service, request, caller, body).await?),
        None => None,
    };
    let response = match used {
        Some(response) if is_access_decision(response.status) => response,
        // The limits of a process, such as that of failed logins, may have been used up by other requests.
        _ => send(copies.fresh().await?, request, caller, body).await?,
    };
    let is_read = ["GET", "HEAD"].contains(&request.method.as_str());
    let is_refused = [401, 403, 404].contains(&response.status);
    if !is_read && !is_refused {
        copies.discard();
    }
    Ok(response)
}

async fn send(
    service: ApiService,
    request: &AuditRequest,
    caller: &FixtureCaller,
    body: Option<&AuditBody>,
) -> Result<CellResponse, BoxError> {
    let mut sent = Request::builder()
        .method(request.method.as_str())
        .uri(&request.path);
    for (name, value) in &caller.headers {
        sent = sent.header(name, value);
    }
    if request.is_by_filter {
        sent = sent.header("prefer", "max-affected=1");
    }
    let sent = match body {
        Some(body) => sent
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.json().to_string()))?,
        None => sent.body(Body::empty())?,
    };
    let answered = async {
        let response = service.oneshot(sent).await?;
        let status = response.status().as_u16();
        let content = to_bytes(response.into_body(), MAX_RESPONSE).await?.to_vec();
        Ok::<_, BoxError>(CellResponse {
            status,
            content,
            body: body.cloned(),
            uncorrected: None,
        })
    };
    let late = |_| {
        format!(
            "{} {} did not end within {TIMEOUT:?}",
            request.method, request.path
        )
    };
    tokio::time::timeout(TIMEOUT, answered).await.map_err(late)?
}

impl CellResponse {
    fn cell(&self, request: &AuditRequest, caller: &FixtureCaller) -> MatrixCell {
        let is_counted = request.is_list && (200..300).contains(&self.status);
        let list = is_counted
            .then(|| serde_json::from_slice(&self.content).ok())
            .flatten();
        MatrixCell {
            caller: caller.name.clone(),
            status: self.status,
            rows: list.as_ref().map(count_rows),
        }
    }
}

/// Counts the rows of a list, with or without an envelope.
fn count_rows(list: &Value) -> usize {
    match list {
        Value::Array(rows) => rows.len(),
        Value::Object(envelope) => envelope.values().map(count_rows).sum(),
        _ => 0,
    }
}
