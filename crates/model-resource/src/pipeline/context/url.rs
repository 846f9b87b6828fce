//! URLs as clients see them: those of the api, below the routers it is nested in.

use std::fmt::Display;
use std::sync::Arc;

use axum::extract::{NestedPath, OriginalUri};
use http::Extensions;

use crate::pipeline::context::request::Context;
use crate::pipeline::error::{Error, Result};

/// Outer prefix of a sub-request, whose original URI does not match its own path.
#[derive(Clone)]
pub(super) struct OuterPrefix(pub(super) Arc<str>);

/// Marks a request whose extensions hold the data of axum's path extractors.
#[derive(Clone)]
pub(super) struct PathFilled;

impl Context {
    /// Builds the URL of an endpoint: `cx.url_for("user_resource", [("id", 1)])`.
    ///
    /// The path is the one that clients see. Below [`Router::nest`](axum::Router::nest) it begins with the prefix of
    /// this request, and behind a proxy that strips a prefix with [`Api::mounted_at`](crate::Api::mounted_at).
    pub fn url_for<V: Display>(
        &self,
        endpoint: &str,
        params: impl IntoIterator<Item = (&'static str, V)>,
    ) -> Result<String> {
        let url = self.services().urls.url_for(endpoint, params);
        Ok(self.external_url(url.map_err(Error::internal)?))
    }

    /// Adds the data of axum's `Path` and `MatchedPath` to the request's extensions, once.
    pub(crate) async fn fill_path(&mut self) {
        if self.extension::<PathFilled>().is_some() {
            return;
        }
        let original = self.extension::<OriginalUri>().cloned();
        let original = original.unwrap_or_else(|| OriginalUri(self.uri().clone()));
        let nested = self.extension::<NestedPath>().map_or("", NestedPath::as_str);
        let path = &self.binding().path;
        let filled = path.extensions(nested, self.outer_prefix(), self.params(), original);
        let filled = filled.await;
        let extensions = &mut self.parts_mut().extensions;
        extensions.extend(filled);
        extensions.insert(PathFilled);
    }

    /// Prefix that outer routers have stripped from the path.
    pub(crate) fn outer_prefix(&self) -> &str {
        outer_prefix(&self.0.parts.extensions, self.uri().path())
    }

    /// Converts a URL built from its rule to the form that clients see.
    pub(crate) fn external_url(&self, url: String) -> String {
        let outer = self.outer_prefix();
        if outer.is_empty() {
            return url;
        }
        let mount = self.services().mount.as_str();
        let is_below = |path: &str| starts_with_segments(path, mount);
        match url.strip_prefix(mount) {
            // A proxy has stripped the mount prefix before the routers stripped theirs.
            Some(rest) if !is_below(self.uri().path()) => [mount, outer, rest].concat(),
            _ => outer.to_owned() + &url,
        }
    }

    /// Path of the request as clients see it.
    pub(crate) fn external_path(&self) -> String {
        external_path(self.uri().path(), self.outer_prefix(), &self.services().mount)
    }
}

/// Prefix that outer routers have stripped from the path of a request.
pub(crate) fn outer_prefix<'e>(extensions: &'e Extensions, path: &str) -> &'e str {
    if let Some(OuterPrefix(prefix)) = extensions.get() {
        return prefix;
    }
    match extensions.get::<OriginalUri>() {
        Some(OriginalUri(original)) => stripped(original.path(), path),
        None => "",
    }
}

/// Path of a request as clients see it.
pub(crate) fn external_path(path: &str, outer_prefix: &str, mount: &str) -> String {
    let mount = if starts_with_segments(path, mount) {
        ""
    } else {
        mount
    };
    [mount, outer_prefix, path].concat()
}

/// Prefix that the outer routers stripped from the path. Empty if a layer has rewritten the path altogether.
fn stripped<'a>(original: &'a str, path: &str) -> &'a str {
    match original.strip_suffix(path) {
        Some(prefix) => prefix,
        // Below `/x`, the path `/x` itself becomes `/`.
        None if path == "/" => original,
        None => "",
    }
}

fn starts_with_segments(path: &str, prefix: &str) -> bool {
    let rest = path.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_prefix_is_what_routers_have_stripped() {
        assert_eq!(stripped("/x/api/notes", "/api/notes"), "/x");
        assert_eq!(stripped("/t/a%20b/notes/", "/notes/"), "/t/a%20b");
        assert_eq!(stripped("/notes", "/notes"), "");
        assert_eq!(stripped("/x", "/"), "/x");
        assert_eq!(stripped("/x/", "/"), "/x");
        assert_eq!(stripped("/old", "/api/notes"), "");
    }

    #[test]
    fn a_prefix_ends_where_a_segment_does() {
        assert!(starts_with_segments("/m/a", "/m"));
        assert!(starts_with_segments("/m", "/m"));
        assert!(!starts_with_segments("/mice", "/m"));
    }
}
