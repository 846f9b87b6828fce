//! The representations of an api or a resource, and the choice among them.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use model_resource_schema::column::Table;

use crate::error::{Error, ErrorKind, Result};
use crate::reply::Reply;
use crate::representation::accept::Accept;
use crate::representation::csv::CsvFile;
use crate::representation::custom::Custom;
use crate::representation::ndjson::Ndjson;
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
    /// Whether a client that accepts `text/*` gets it too, or only one that names it.
    offered: Offered,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Offered {
    ToAll,
    ByName,
}

impl Representations {
    /// No representation.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a representation under a media type. Parameters behind it, as in `text/csv; charset=utf-8`, are sent along and
    /// are no part of the choice.
    ///
    /// # Panics
    /// When the media type is not one.
    #[track_caller]
    pub fn with(self, media_type: &str, representation: impl Representation) -> Self {
        self.with_render(media_type, Custom(Arc::new(representation)))
    }

    #[track_caller]
    pub(crate) fn with_render(mut self, media_type: &str, render: impl Render) -> Self {
        let (media_type, parameters) = match media_type.split_once(';') {
            Some((media_type, parameters)) => (media_type.trim_end(), format!(";{parameters}")),
            None => (media_type, String::new()),
        };
        let media_type = media_type.to_ascii_lowercase();
        let content_type = HeaderValue::try_from(format!("{media_type}{parameters}"))
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
            offered: Offered::ToAll,
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

    /// These, and the formats of lists that none of them is for. Nobody gets such a format who has not named it: a browser
    /// that accepts `text/*` is not looking for a file.
    pub(crate) fn for_lists(&self, table: &Table) -> Self {
        let mut formats = Self::none()
            .with_render("text/csv; charset=utf-8", CsvFile::of(table))
            .with_render("application/x-ndjson", Ndjson);
        for known in &mut formats.0 {
            known.offered = Offered::ByName;
        }
        self.overridden_by(&formats).overridden_by(self)
    }

    /// The one that a client asks for by the name of its format.
    pub(crate) fn named(&self, format: &str) -> Result<Chosen<'_>> {
        let media_type = match format {
            "json" => "application/json",
            "csv" => "text/csv",
            "ndjson" => "application/x-ndjson",
            _ => "",
        };
        let known = self.0.iter().find(|known| known.media_type == media_type);
        known.map(Chosen).ok_or_else(|| {
            Error::bad_parameter(format!(
                "There is no format {format:?}: write \"json\", \"csv\" or \"ndjson\"."
            ))
        })
    }

    /// The one that suits the client best; the default one for a client without a wish, or if none suits.
    pub(crate) fn choose(&self, accept: &Accept, default: Option<&str>) -> Result<Chosen<'_>> {
        let media_types = || self.0.iter().map(|known| known.media_type.as_str());
        let is_offered = |(_, known): &(usize, &Known)| {
            known.offered == Offered::ToAll || accept.named(&known.media_type).is_some()
        };
        let best = || {
            let offered = self.0.iter().enumerate().filter(is_offered);
            accept.best(offered.map(|(position, known)| (position, known.media_type.as_str())))
        };
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
