//! Representations that an api or a resource registers.

use std::sync::Arc;

use http::HeaderValue;

use crate::render::custom::Custom;
use crate::render::representation::{Render, Representation};

/// Representations in their order of registration, which breaks ties in content negotiation.
#[derive(Clone, Default)]
pub struct Representations(pub(super) Vec<RegisteredRepresentation>);

/// Representation with its media type, as text and as a header.
#[derive(Clone)]
pub(super) struct RegisteredRepresentation {
    pub(super) media_type: String,
    pub(super) content_type: HeaderValue,
    pub(super) render: Arc<dyn Render>,
    /// Whether a wildcard such as `text/*` matches it, or only its own name.
    pub(super) offered: Negotiable,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Negotiable {
    Wildcard,
    ExplicitOnly,
}

impl Representations {
    /// Creates an empty list.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a representation under a media type. Parameters, as in `text/csv; charset=utf-8`, are sent in the response
    /// and ignored in content negotiation.
    ///
    /// # Panics
    /// If the media type is invalid.
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
        let content_type = match HeaderValue::try_from(format!("{media_type}{parameters}")) {
            Ok(content_type) if media_type.contains('/') => content_type,
            _ => panic!("`{media_type}` is not a media type: write one such as `text/csv`"),
        };
        self.0.retain(|known| known.media_type != media_type);
        self.0.push(RegisteredRepresentation {
            media_type,
            content_type,
            render: Arc::new(render),
            offered: Negotiable::Wildcard,
        });
        self
    }

    /// Appends the representations of `others` whose media types are new.
    pub(super) fn followed_by(&self, others: &Self) -> Self {
        let mut all = self.clone();
        let others = others.0.iter().filter(|other| !self.contains(&other.media_type));
        all.0.extend(others.cloned());
        all
    }

    /// Media types in order of registration.
    pub(crate) fn media_types(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|known| known.media_type.as_str())
    }

    pub(crate) fn contains(&self, media_type: &str) -> bool {
        self.media_types().any(|known| known == media_type)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
