//! URLs of an api: the registered URLs joined with the prefixes.

use crate::api::builder::Api;
use crate::api::registered::Registered;
use crate::routing::{Rule, UrlTree};

impl Api {
    /// Reports a mistake in the parts around the registered URLs, in which case no URL can be built.
    pub(super) fn prefix_mistake(&self) -> Option<String> {
        let mut order: Vec<char> = self.url_part_order.chars().collect();
        order.sort_unstable();
        if order != ['a', 'b', 'e'] {
            return Some(format!(
                "url_part_order {:?} must hold each of the letters b, a and e once, such as \"bae\"",
                self.url_part_order
            ));
        }
        let mut prefixes = [&self.prefix, &self.mounted_at].into_iter();
        let relative = prefixes.find(|prefix| !prefix.is_empty() && !prefix.starts_with('/'));
        if let Some(prefix) = relative {
            return Some(format!(
                "the prefix `{prefix}` must start with `/`: write `/{prefix}`"
            ));
        }
        self.mounted_at.contains(['<', '>']).then(|| {
            format!(
                "mounted_at `{}` is what a proxy strips and has no parameters: put them into the `prefix`",
                self.mounted_at
            )
        })
    }

    /// Mount prefix, if it comes first and so can be stripped by a proxy.
    pub(super) fn stripped_prefix(&self) -> &str {
        if self.url_part_order.starts_with('b') {
            self.mounted_at.trim_end_matches('/')
        } else {
            ""
        }
    }

    /// Full URLs of a registration.
    pub(super) fn rules(&self, registered: &Registered, mistakes: &mut Vec<String>) -> Vec<Rule> {
        let registration = &registered.registration;
        if registration.urls.is_empty() {
            mistakes.push(format!(
                "{}: at least one URL is needed, such as \"/users\"",
                registered.name
            ));
        }
        let mut rules = Vec::new();
        for url in &registration.urls {
            if !url.starts_with('/') {
                mistakes.push(format!(
                    "{}: URL `{url}` must start with `/`: write `/{url}`",
                    registered.name
                ));
                continue;
            }
            let prefix = registration
                .blueprint
                .map_or("", |blueprint| blueprint.url_prefix);
            let url = format!("{}{url}", prefix.trim_end_matches('/'));
            let joined = match self.join_url(url.trim_end_matches('/')) {
                root if root.is_empty() => "/".to_owned(),
                joined => joined,
            };
            // Only the registered URL decides whether it is an item or a collection URL, not the parts around it.
            let registered_url = Rule::parse(&url);
            match Rule::parse(&joined) {
                Ok(rule) => rules.push(match registered_url {
                    Ok(part) => rule.with_key_of(&part),
                    Err(_) => rule,
                }),
                Err(mistake) => mistakes.push(format!("{}: {mistake}", registered.name)),
            }
        }
        rules
    }

    /// Paths below the prefix, with and without the part that a proxy may have stripped; empty without a prefix.
    pub(super) fn prefixes(&self) -> UrlTree<()> {
        let mut below = UrlTree::default();
        let whole = self.join_url("");
        let stripped = &whole[self.stripped_prefix().len()..];
        for prefix in [whole.as_str(), stripped]
            .iter()
            .filter(|prefix| !prefix.is_empty())
        {
            for url in [(*prefix).to_owned(), format!("{prefix}/<path:_below>")] {
                // An invalid prefix is reported with the URLs.
                if let Ok(rule) = Rule::parse(&url) {
                    let _ = below.insert(&rule, ());
                }
            }
        }
        below
    }

    /// Parts that precede every registered URL.
    pub(super) fn url_prefix(&self) -> String {
        let before = self.url_part_order.split('e').next().unwrap_or_default();
        before.chars().map(|letter| self.url_part(letter, "")).collect()
    }

    /// Joins a registered URL with the other parts of `url_part_order`.
    pub(super) fn join_url(&self, url: &str) -> String {
        let letters = self.url_part_order.chars();
        letters.map(|letter| self.url_part(letter, url)).collect()
    }

    /// Part of a URL by its letter in `url_part_order`.
    fn url_part<'a>(&'a self, letter: char, url: &'a str) -> &'a str {
        match letter {
            'b' => self.mounted_at.trim_end_matches('/'),
            'a' => self.prefix.trim_end_matches('/'),
            _ => url,
        }
    }
}
