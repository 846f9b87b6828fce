//! From the routes that are served to the requests that ask for them.

use model_resource::{Operation, RouteInfo};
use serde_json::{Value, json};

use crate::audit::targets::{AuditTarget, TargetRow};

/// One request, before it is known who asks.
pub(super) struct AuditRequest {
    pub(super) method: String,
    /// The URL as it is registered.
    pub(super) url: String,
    /// The state of the row, and whether it stands among many.
    pub(super) row: String,
    pub(super) path: String,
    pub(super) body: Option<Value>,
    /// Whether the answer is a list, whose rows are counted.
    pub(super) is_list: bool,
}

/// The requests for all routes. Fails with everything that has no example, or has one in vain.
pub(super) fn probes(
    prefix: &str,
    routes: &[RouteInfo],
    targets: &[AuditTarget],
) -> Result<Vec<AuditRequest>, Vec<String>> {
    let mut probes = Vec::new();
    let mut mistakes = Vec::new();
    for route in routes {
        let below = route.url.strip_prefix(prefix).unwrap_or(&route.url);
        let found = targets.iter().find(|target| target.is_at(below));
        match found.map(|target| asked(route, target)) {
            Some(Ok(asked)) => probes.extend(asked),
            Some(Err(lacking)) => mistakes.push(format!("{} {}: {lacking}", route.method, route.url)),
            None => mistakes.push(format!(
                "{} {} is in no `Target`: add one with its rows and a good body",
                route.method, route.url
            )),
        }
    }
    for target in targets {
        let is_served =
            |route: &RouteInfo| target.is_at(route.url.strip_prefix(prefix).unwrap_or(&route.url));
        if !routes.iter().any(is_served) {
            mistakes.push(format!(
                "nothing is served at {}: remove its `Target`",
                target.url
            ));
        }
    }
    match mistakes.is_empty() {
        true => Ok(probes),
        false => Err(mistakes),
    }
}

/// The requests for one route: once for each row, and once more for objects among many.
fn asked(route: &RouteInfo, target: &AuditTarget) -> Result<Vec<AuditRequest>, String> {
    let takes_body = ["POST", "PUT", "PATCH"].contains(&route.method.as_str());
    let body = match route.method.as_str() {
        "PUT" | "PATCH" => target.change.as_ref().or(target.body.as_ref()),
        _ => target.body.as_ref(),
    };
    let body = body.filter(|_| takes_body);
    if takes_body && body.is_none() {
        return Err("its `Target` has no body: add `.body(..)`".to_owned());
    }
    let params = route.url.matches('<').count();
    let mut probes = Vec::new();
    let mut add = |row: String, path: String, body: Option<Value>| {
        probes.push(AuditRequest {
            method: route.method.clone(),
            url: route.url.clone(),
            row,
            path,
            body,
            is_list: route.operation == Some(Operation::List) && route.method == "GET",
        });
    };
    let is_of_items = route.bulk && route.operation != Some(Operation::Create);
    if is_of_items {
        for row in &target.rows {
            let key = row.params.get(params).ok_or("its rows have no key")?;
            let path = filled(&route.url, &row.params)?;
            let name = named("many", row.name);
            match body {
                Some(body) => {
                    let mut object = body.clone();
                    object["id"] = match key.parse::<i64>() {
                        Ok(number) => number.into(),
                        Err(_) => key.as_str().into(),
                    };
                    add(name, path, Some(target.many(object)));
                }
                None => add(name, format!("{path}?id={key}"), None),
            }
        }
        return Ok(probes);
    }
    let none = [TargetRow {
        name: "",
        params: Vec::new(),
    }];
    // Without a parameter all rows have one URL.
    let rows = match params {
        0 => &none[..],
        _ => &target.rows,
    };
    for row in rows {
        let path = filled(&route.url, &row.params)?;
        add(
            row.name.to_owned(),
            path.clone(),
            body.map(|body| target.one(body.clone())),
        );
        if let Some(body) = body.filter(|_| route.bulk) {
            add(named("many", row.name), path, Some(target.many(body.clone())));
        }
    }
    match probes.is_empty() {
        true => Err("its `Target` has no row: add `.row(..)`".to_owned()),
        false => Ok(probes),
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

fn named(form: &str, row: &str) -> String {
    match row.is_empty() {
        true => form.to_owned(),
        false => format!("{form}, {row}"),
    }
}

/// The URL with these parameters, as many of them as it has.
fn filled(url: &str, params: &[String]) -> Result<String, String> {
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
        probes(PREFIX, routes, &targets()).err().unwrap_or_default()
    }

    #[test]
    fn a_route_without_an_example_is_named_with_the_remedy() {
        let mut routes = app::api(security::configured()).routes();
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
                "POST /api/v1/widgets is in no `Target`: add one with its rows and a good body",
                "GET /api/v1/articles/<int:id>/history is in no `Target`: add one with its rows and a good body",
                "POST /api/v1/auth/status: its `Target` has no body: add `.body(..)`",
                "GET /api/v1/contact-submissions/<int:id>: its `Target` has no row: add `.row(..)`",
            ]
        );
    }

    #[test]
    fn an_example_of_what_is_not_served_is_named_too() {
        let routes = app::api(security::configured()).routes();
        let routes: Vec<RouteInfo> = routes
            .into_iter()
            .filter(|route| !route.url.contains("tags"))
            .collect();
        assert_eq!(
            mistakes(&routes),
            ["nothing is served at /tags: remove its `Target`"]
        );
    }
}
