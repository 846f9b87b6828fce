//! The representations of an api or a resource, and the choice among them.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::context::Services;
use crate::error::{Error, ErrorKind, Result};
use crate::reply::Reply;
use crate::representation::accept::Accept;
use crate::representation::custom::Custom;
use crate::representation::render::{Render, Representation};

/// Representations in their order of registration, which decides between equals.
#[derive(Clone, Default)]
pub struct Representations(Vec<(String, Arc<dyn Render>)>);

impl Representations {
    /// No representation.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a representation under a media type.
    pub fn with(self, media_type: &str, representation: impl Representation) -> Self {
        self.with_render(media_type, Custom(Arc::new(representation)))
    }

    pub(crate) fn with_render(mut self, media_type: &str, render: impl Render) -> Self {
        let media_type = media_type.to_ascii_lowercase();
        self.0.retain(|(known, _)| *known != media_type);
        self.0.push((media_type, Arc::new(render)));
        self
    }

    /// These, with the other's in their place or after them.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for (media_type, render) in &other.0 {
            match all.0.iter_mut().find(|(known, _)| known == media_type) {
                Some((_, known)) => *known = Arc::clone(render),
                None => all.0.push((media_type.clone(), Arc::clone(render))),
            }
        }
        all
    }

    /// The one that suits the client best; the default one for a client without a wish, or if none suits.
    pub(crate) fn choose(&self, headers: &HeaderMap, default: Option<&str>) -> Result<Chosen> {
        let accept = Accept::of(headers);
        let best = || accept.best(self.0.iter().map(|(media_type, _)| media_type.as_str()));
        let is_default = |media_type: &str| Some(media_type) == default && !accept.refuses(media_type);
        let default = || self.0.iter().position(|(media_type, _)| is_default(media_type));
        let chosen = if accept.is_open() {
            default().or_else(best)
        } else {
            best().or_else(default)
        };
        match chosen {
            Some(position) => {
                let (media_type, render) = &self.0[position];
                Ok(Chosen {
                    media_type: media_type.clone(),
                    render: Arc::clone(render),
                })
            }
            None => {
                let known: Vec<&str> = self.0.iter().map(|(media_type, _)| media_type.as_str()).collect();
                Err(Error::new(ErrorKind::NotAcceptable(format!(
                    "None of the accepted media types is available; available: {}.",
                    known.join(", ")
                ))))
            }
        }
    }
}

/// The representation that a request gets.
pub(crate) struct Chosen {
    media_type: String,
    render: Arc<dyn Render>,
}

impl Chosen {
    /// Turns a handler's reply into the response.
    pub(crate) async fn respond(&self, reply: Reply, services: &Arc<Services>) -> Result<Response> {
        let payload = match reply {
            Reply::Response(response) => return Ok(response),
            Reply::Data(payload) => payload,
        };
        if payload.status == StatusCode::NO_CONTENT {
            let mut response = Response::default();
            *response.status_mut() = payload.status;
            *response.headers_mut() = payload.headers;
            return Ok(response);
        }
        let mut response = self.render.render(payload, Arc::clone(services)).await?;
        let content_type = HeaderValue::from_str(&self.media_type).map_err(Error::internal)?;
        response.headers_mut().insert(header::CONTENT_TYPE, content_type);
        response
            .headers_mut()
            .append(header::VARY, HeaderValue::from_static("accept"));
        Ok(response)
    }
}
