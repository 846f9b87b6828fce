//! Generates the audit's requests from the registered routes.

use model_resource::{Operation, RouteInfo};
use serde_json::{Value, json};

use crate::audit::targets::{AuditTarget, TargetRow};

/// One request, independent of the caller.
pub(super) struct AuditRequest {
    pub(super) method: String,
    /// The URL as it is registered.
    pub(super) url: String,
    /// The state of the row, and whether the request is a bulk request.
    pub(super) row: String,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    /// Whether the response is a list, whose rows are counted.
    pub(super) is_list: bool,
}

/// Returns the requests for all routes. Fails with every route without an example and every example without a route.
pub(super) fn audit_requests(
    prefix: &str,
    routes: &[RouteInfo],
    targets: &[AuditTarget],
) -> Result<Vec<AuditRequest>, Vec<String>> {
    let mut all = Vec::new();
    let mut mistakes = Vec::new();
    for route in routes {
        let below = route.url.strip_prefix(prefix).unwrap_or(&route.url);
        let found = targets.iter().find(|target| target.is_at(below));
        match found.map(|target| requests_for(route, target)) {
            Some(Ok(requests)) => all.extend(requests),
            Some(Err(problem)) => mistakes.push(format!("{} {}: {problem}", route.method, route.url)),
            None => mistakes.push(format!(
                "{} {} is in no `AuditTarget`: add one with its rows and a valid body",
                route.method, route.url
            )),
        }
    }
    for target in targets {
        let is_served =
            |route: &RouteInfo| target.is_at(route.url.strip_prefix(prefix).unwrap_or(&route.url));
        if !routes.iter().any(is_served) {
            mistakes.push(format!(
                "nothing is served at {}: remove its `AuditTarget`",
                target.url
            ));
        }
    }
    if mistakes.is_empty() {
        Ok(all)
    } else {
        Err(mistakes)
    }
}

/// Returns the requests for one route: one per row, and one bulk request if the route accepts it.
fn requests_for(route: &RouteInfo, target: &AuditTarget) -> Result<Vec<AuditRequest>, String> {
    let body = match route.method.as_str() {
        "PUT" | "PATCH" => target.change.as_ref().or(target.body.as_ref()),
        "POST" => target.body.as_ref(),
        _ => None,
    };
    if body.is_none() && ["POST", "PUT", "PATCH"].contains(&route.method.as_str()) {
        return Err("its `AuditTarget` has no body: add `.body(..)`".to_owned());
    }
    if route.bulk && route.operation != Some(Operation::Create) {
        let rows = target.rows.iter();
        return rows.map(|row| bulk_change(route, target, row, body)).collect();
    }
    let none = [TargetRow {
        name: "",
        params: Vec::new(),
    }];
    // Without a parameter all rows share one URL.
    let rows = match parameters(route) {
        0 => &none[..],
        _ => &target.rows,
    };
    let mut requests = Vec::new();
    for row in rows {
        let path = fill_url(&route.url, &row.params)?;
        let one = body.map(|body| target.one(body.clone()));
        requests.push(AuditRequest::new(route, row.name.to_owned(), path.clone(), one));
        if let Some(body) = body
            && route.bulk
        {
            let many = target.many(body.clone());
            requests.push(AuditRequest::new(
                route,
                row_label("many", row.name),
                path,
                Some(many),
            ));
        }
    }
    if requests.is_empty() {
        Err("its `AuditTarget` has no row: add `.row(..)`".to_owned())
    } else {
        Ok(requests)
    }
}

/// Returns the bulk request that changes or deletes one row.
fn bulk_change(
    route: &RouteInfo,
    target: &AuditTarget,
    row: &TargetRow,
    body: Option<&Value>,
) -> Result<AuditRequest, String> {
    let key = row.params.get(parameters(route)).ok_or("its rows have no key")?;
    let path = fill_url(&route.url, &row.params)?;
    let name = row_label("many", row.name);
    let Some(body) = body else {
        return Ok(AuditRequest::new(route, name, format!("{path}?id={key}"), None));
    };
    let mut object = body.clone();
    object["id"] = match key.parse::<i64>() {
        Ok(number) => number.into(),
        Err(_) => key.as_str().into(),
    };
    Ok(AuditRequest::new(route, name, path, Some(target.many(object))))
}

/// Counts the parameters in a route's URL.
fn parameters(route: &RouteInfo) -> usize {
    route.url.matches('<').count()
}

impl AuditRequest {
    fn new(route: &RouteInfo, row: String, path: String, body: Option<Value>) -> Self {
        Self {
            method: route.method.clone(),
            url: route.url.clone(),
            row,
            path,
            body,
            is_list: route.operation == Some(Operation::List) && route.method == "GET",
        }
    }
}

impl AuditTarget {
    fn one(&self, object: Value) -> Value {
        match self.envelope {
            Some((one, _)) => json!({ one: object }),
            None => object,
        }
    }

    fn many(&self, object: Value) -> Value {
        match self.envelope {
            Some((_, many)) => json!({ many: [object] }),
            None => json!([object]),
        }
    }
}

fn row_label(form: &str, row: &str) -> String {
    if row.is_empty() {
        form.to_owned()
    } else {
        format!("{form}, {row}")
    }
}

/// Fills the URL's placeholders with the first parameters.
fn fill_url(url: &str, params: &[String]) -> Result<String, String> {
    let mut params = params.iter();
    let mut path = String::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('<') {
        let (_, after) = after.split_once('>').unwrap_or((after, ""));
        path += before;
        path += params.next().ok_or("its rows have too few parameters")?;
        rest = after;
    }
    Ok(path + rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app;
    use crate::audit::targets::targets;
    use crate::extensions::api::PREFIX;
    use crate::security;

    fn mistakes(routes: &[RouteInfo]) -> Vec<String> {
        audit_requests(PREFIX, routes, &targets())
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn a_route_without_an_example_is_named_with_the_remedy() {
        let mut routes = app::api(security::authenticator()).compile().routes();
        assert_eq!(mistakes(&routes), Vec::<String>::new());
        for (method, url) in [
            ("POST", "/api/v1/widgets"),
            ("GET", "/api/v1/articles/<int:id>/history"),
            ("POST", "/api/v1/auth/status"),
            ("GET", "/api/v1/contact-submissions/<int:id>"),
        ] {
            let mut route = routes[0].clone();
            (route.method, route.url) = (method.to_owned(), url.to_owned());
            routes.push(route);
        }
        assert_eq!(
            mistakes(&routes),
            [
                "POST /api/v1/widgets is in no `AuditTarget`: add one with its rows and a valid body",
                "GET /api/v1/articles/<int:id>/history is in no `AuditTarget`: add one with its rows and a valid body",
                "POST /api/v1/auth/status: its `AuditTarget` has no body: add `.body(..)`",
                "GET /api/v1/contact-submissions/<int:id>: its `AuditTarget` has no row: add `.row(..)`",
            ]
        );
    }

    #[test]
    fn an_example_of_what_is_not_served_is_named_too() {
        let routes = app::api(security::authenticator()).compile().routes();
        let routes: Vec<RouteInfo> = routes
            .into_iter()
            .filter(|route| !route.url.contains("tags"))
            .collect();
        assert_eq!(
            mistakes(&routes),
            ["nothing is served at /tags: remove its `AuditTarget`"]
        );
    }
}
