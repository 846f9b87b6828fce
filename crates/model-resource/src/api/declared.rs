//! Declarations about URL parameters, by the api, its blueprints and its resources.

use model_resource_schema::column::Table;

use crate::api::builder::Api;
use crate::api::registered::Registered;
use crate::api::resolved_url::{DeclaredScopes, ResolvedUrl};
use crate::routing::Rule;

impl Api {
    /// Reports parameters that are declared unscoped and are in no prefix.
    pub(super) fn check_unscoped(&self, mistakes: &mut Vec<String>) {
        let prefix = Rule::parse(&self.join_url(""));
        let is_known = |parameter: &String| match &prefix {
            Ok(prefix) => prefix.names().contains(parameter),
            // An invalid prefix is reported with the URLs.
            Err(_) => !self.join_url("").is_empty(),
        };
        for parameter in self.unscoped.iter().filter(|parameter| !is_known(parameter)) {
            mistakes.push(format!(
                "the api declares the parameter `{parameter}` unscoped, which is not in its prefix `{}`",
                self.prefix
            ));
        }
    }

    /// Declarations about the parameters of a registration's URLs.
    pub(super) fn declared<'a>(&'a self, registered: &'a Registered) -> Result<DeclaredScopes<'a>, String> {
        let registration = &registered.registration;
        let mut inherited: Vec<&str> = self.unscoped.iter().map(String::as_str).collect();
        if let Some(blueprint) = registration.blueprint.filter(|own| !own.unscoped.is_empty()) {
            let prefix = Rule::parse(blueprint.url_prefix)?;
            let is_unused = |parameter: &&&str| !prefix.names().iter().any(|name| name == **parameter);
            if let Some(parameter) = blueprint.unscoped.iter().find(is_unused) {
                return Err(format!(
                    "the blueprint `{}` declares the parameter `{parameter}` unscoped, which is not in its prefix `{}`",
                    blueprint.name, blueprint.url_prefix
                ));
            }
            inherited.extend(blueprint.unscoped);
        }
        Ok(DeclaredScopes {
            scope: registration.scope,
            unscoped: registration.unscoped,
            inherited,
        })
    }

    /// URLs of a model, first those of this registration. Mistakes in others are reported where they are registered.
    pub(super) fn urls_of<'a>(
        &'a self,
        table: &'static Table,
        first: &Registered,
        rules: &'a [Vec<Rule>],
    ) -> Vec<ResolvedUrl<'a>> {
        let all = || self.registered.iter().zip(rules);
        let own = all().filter(|(registered, _)| std::ptr::eq(*registered, first));
        let others = all().filter(|(other, _)| !std::ptr::eq(*other, first) && other.serves(table));
        let mut urls = Vec::new();
        for (registered, rules) in own.chain(others) {
            if let Ok(declared) = self.declared(registered) {
                let resolved = rules.iter().map(|rule| ResolvedUrl::of(rule, table, &declared));
                urls.extend(resolved.filter_map(Result::ok));
            }
        }
        urls
    }
}

/// Rejects a declaration about a parameter that no URL has, because it is probably misspelt.
pub(super) fn check_declarations(registered: &Registered, own: &[Rule]) -> Result<(), String> {
    let registration = &registered.registration;
    let scoped = registration.scope.iter().map(|(parameter, _)| parameter);
    let is_unused = |parameter: &&&str| {
        !own.iter()
            .any(|rule| rule.names().iter().any(|name| name == **parameter))
    };
    match scoped.chain(registration.unscoped).find(is_unused) {
        Some(parameter) => Err(format!(
            "the attribute declares the parameter `{parameter}`, which is in none of its URLs"
        )),
        None => Ok(()),
    }
}
