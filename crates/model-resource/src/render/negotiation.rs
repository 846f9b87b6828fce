//! Content negotiation: chooses the representation that fits the `Accept` header of a request.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use model_resource_schema::column::Table;
use model_resource_schema::naming::Quoted;

use crate::handle::{Reply, ReplyKind};
use crate::http::vary_by;
use crate::pipeline::{ApiState, Error, ErrorKind, Result};
use crate::render::accept::Accept;
#[cfg(feature = "csv")]
use crate::render::csv::CsvFile;
use crate::render::ndjson::NdjsonFormat;
use crate::render::representations::{Negotiable, RegisteredRepresentation, Representations};

/// Format of lists that the `format` parameter names.
struct NamedFormat {
    name: &'static str,
    media_type: &'static str,
    /// Whether it is an export for other programs, which should have all rows instead of a page.
    is_export: bool,
}

const FORMATS: [NamedFormat; 3] = [
    NamedFormat {
        name: "json",
        media_type: "application/json",
        is_export: false,
    },
    NamedFormat {
        name: "csv",
        media_type: "text/csv",
        is_export: true,
    },
    NamedFormat {
        name: "ndjson",
        media_type: "application/x-ndjson",
        is_export: true,
    },
];

/// Representations that a URL offers, in order of preference, and the default among them.
#[derive(Clone)]
pub(crate) struct Negotiation {
    offers: Representations,
    /// Position of the default, for clients without a preference that can be met.
    default: Option<usize>,
}

impl Negotiation {
    /// Puts a resource's own representations before those of the api. The first of them is the resource's default,
    /// instead of the api's default media type.
    pub(crate) fn new(own: &Representations, api: &Representations, default: Option<&str>) -> Self {
        let offers = own.followed_by(api);
        let default = default.and_then(|media_type| {
            if own.is_empty() {
                offers.media_types().position(|known| known == media_type)
            } else {
                Some(0)
            }
        });
        Self { offers, default }
    }

    /// Adds the list formats that no representation is registered for. A client gets such a format only if it names it,
    /// because a browser that accepts `text/*` does not want a file.
    #[cfg_attr(
        not(feature = "csv"),
        expect(unused_variables, reason = "only a CSV file has the name of the table")
    )]
    pub(crate) fn for_lists(&self, table: &Table) -> Self {
        let formats = Representations::none();
        #[cfg(feature = "csv")]
        let formats = formats.with_render("text/csv; charset=utf-8", CsvFile::of(table));
        let mut formats = formats.with_render("application/x-ndjson", NdjsonFormat);
        for known in &mut formats.0 {
            known.offered = Negotiable::ExplicitOnly;
        }
        Self {
            offers: self.offers.followed_by(&formats),
            default: self.default,
        }
    }

    /// Media types that are offered, the preferred ones first.
    pub(crate) fn media_types(&self) -> impl Iterator<Item = &str> {
        self.offers.media_types()
    }

    /// Returns the representation of the format that a client names.
    pub(crate) fn named(&self, format: &str) -> Result<Negotiated<'_>> {
        let offered = |named: &NamedFormat| {
            let mut offers = self.offers.0.iter();
            offers.position(|known| known.media_type == named.media_type)
        };
        let named = FORMATS.iter().find(|known| known.name == format);
        let position = named.and_then(offered);
        position.map(|position| self.negotiated(position)).ok_or_else(|| {
            let names = FORMATS.iter().filter(|named| offered(named).is_some());
            let names: Vec<String> = names.map(|named| format!("{:?}", named.name)).collect();
            Error::bad_parameter(format!(
                "There is no format {}: write {}.",
                Quoted(format),
                names.join(" or ")
            ))
        })
    }

    /// Returns the representation that fits best, or the default for a client without `Accept` and where none fits.
    pub(crate) fn choose(&self, accept: &Accept) -> Result<Negotiated<'_>> {
        let is_offered = |(_, known): &(usize, &RegisteredRepresentation)| {
            known.offered == Negotiable::Wildcard || accept.named(&known.media_type).is_some()
        };
        let best = || {
            let offered = self.offers.0.iter().enumerate().filter(is_offered);
            accept.best(offered.map(|(position, known)| (position, known.media_type.as_str())))
        };
        let is_accepted = |position: &usize| !accept.refuses(&self.offers.0[*position].media_type);
        let default = || self.default.filter(is_accepted);
        let chosen = if accept.is_open() {
            default().or_else(best)
        } else {
            best().or_else(default)
        };
        match chosen {
            Some(position) => Ok(self.negotiated(position)),
            None => Err(Error::new(ErrorKind::NotAcceptable(format!(
                "None of the accepted media types is available; available: {}.",
                self.offers.media_types().collect::<Vec<_>>().join(", ")
            )))),
        }
    }

    fn negotiated(&self, position: usize) -> Negotiated<'_> {
        Negotiated {
            chosen: &self.offers.0[position],
            is_default: position == self.default.unwrap_or(0),
        }
    }
}

/// Representation that was chosen for a request.
pub(crate) struct Negotiated<'r> {
    chosen: &'r RegisteredRepresentation,
    /// Whether clients without a preference get it.
    pub(crate) is_default: bool,
}

impl Negotiated<'_> {
    /// Whether the response is an export for other programs, which should have all rows instead of a page.
    pub(crate) fn is_export(&self) -> bool {
        let mut exports = FORMATS.iter().filter(|format| format.is_export);
        exports.any(|format| format.media_type == self.chosen.media_type)
    }

    /// Turns a handler's reply into the response.
    pub(crate) async fn respond(&self, reply: Reply, services: &Arc<ApiState>) -> Result<Response> {
        let payload = match reply.0 {
            ReplyKind::Response(response) => return Ok(response),
            ReplyKind::Data(payload) => payload,
        };
        if payload.status == StatusCode::NO_CONTENT {
            let mut response = Response::default();
            *response.status_mut() = payload.status;
            *response.headers_mut() = payload.headers;
            return Ok(response);
        }
        let mut response = self.chosen.render.render(payload, Arc::clone(services)).await?;
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, self.chosen.content_type.clone());
        vary_by(response.headers_mut(), &HeaderValue::from_static("accept"));
        Ok(response)
    }
}
