//! Representations that a resource or a view offers.

use crate::api::builder::Api;
use crate::render::{Negotiation, Representations};

impl Api {
    /// Content negotiation of a resource or a view with these representations of its own.
    pub(super) fn negotiation(&self, own: &Representations) -> Negotiation {
        Negotiation::new(own, &self.representations, self.default_mediatype.as_deref())
    }

    /// The mistake of a default media type without a representation, where one is needed.
    ///
    /// Views need the default, and so do resources without representations of their own. If all resources have their
    /// own, one of them has to register it, because it would have no effect otherwise.
    pub(super) fn unregistered_default_mediatype(&self) -> Option<String> {
        let media_type = self.default_mediatype.as_deref()?;
        if self.representations.contains(media_type) {
            return None;
        }
        let none = Representations::none();
        let own = self.registered.iter().map(|registered| {
            let spec = registered.resource();
            spec.map_or(&none, |spec| &spec.representations)
        });
        let (bare, own): (Vec<_>, Vec<_>) = own.partition(|own| own.is_empty());
        if bare.is_empty() && own.iter().any(|own| own.contains(media_type)) {
            return None;
        }
        let known: Vec<&str> = self.representations.media_types().collect();
        Some(format!(
            "the default media type {media_type:?} has no representation: add `.representation({media_type:?}, ..)`, or \
             choose one of those that the api has: {}",
            known.join(", ")
        ))
    }
}
