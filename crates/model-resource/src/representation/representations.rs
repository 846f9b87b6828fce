//! The representations of an api or a resource, and the choice among them.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

use crate::error::{Error, ErrorKind, Result};
use crate::reply::Reply;
use crate::representation::accept::Accept;
use crate::representation::custom::Custom;
use crate::representation::render::{Render, Representation};
use crate::services::Services;

/// Representations in their order of registration, which decides between equals.
#[derive(Clone, Default)]
pub struct Representations(Vec<Known>);

/// A representation and its media type, as a text and as the header that it becomes.
#[derive(Clone)]
struct Known {
    media_type: String,
    content_type: HeaderValue,
    render: Arc<dyn Render>,
}

impl Representations {
    /// No representation.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a representation under a media type.
    ///
    /// # Panics
    /// When the media type is not one.
    #[track_caller]
    pub fn with(self, media_type: &str, representation: impl Representation) -> Self {
        self.with_render(media_type, Custom(Arc::new(representation)))
    }

    #[track_caller]
    pub(crate) fn with_render(mut self, media_type: &str, render: impl Render) -> Self {
        let media_type = media_type.to_ascii_lowercase();
        let content_type = HeaderValue::from_str(&media_type)
            .ok()
            .filter(|_| media_type.contains('/'));
        let Some(content_type) = content_type else {
            panic!("`{media_type}` is not a media type: write one such as `text/csv`");
        };
        self.0.retain(|known| known.media_type != media_type);
        self.0.push(Known {
            media_type,
            content_type,
            render: Arc::new(render),
        });
        self
    }

    /// These, with the other's in their place or after them.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for own in &other.0 {
            match all.0.iter_mut().find(|known| known.media_type == own.media_type) {
                Some(known) => *known = own.clone(),
                None => all.0.push(own.clone()),
            }
        }
        all
    }

    /// The one that suits the client best; the default one for a client without a wish, or if none suits.
    pub(crate) fn choose(&self, accept: &Accept, default: Option<&str>) -> Result<Chosen<'_>> {
        let media_types = || self.0.iter().map(|known| known.media_type.as_str());
        let best = || accept.best(media_types());
        let is_default = |media_type: &str| Some(media_type) == default && !accept.refuses(media_type);
        let default = || media_types().position(is_default);
        let chosen = if accept.is_open() {
            default().or_else(best)
        } else {
            best().or_else(default)
        };
        match chosen {
            Some(position) => Ok(Chosen(&self.0[position])),
            None => Err(Error::new(ErrorKind::NotAcceptable(format!(
                "None of the accepted media types is available; available: {}.",
                media_types().collect::<Vec<_>>().join(", ")
            )))),
        }
    }
}

/// The representation that a request gets.
pub(crate) struct Chosen<'r>(&'r Known);

impl Chosen<'_> {
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
        let mut response = self.0.render.render(payload, Arc::clone(services)).await?;
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, self.0.content_type.clone());
        response
            .headers_mut()
            .append(header::VARY, HeaderValue::from_static("accept"));
        Ok(response)
    }
}
