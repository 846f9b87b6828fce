//! Checks of the settings of pages against the routes and the serializers of an api.

use std::sync::Arc;

use foldhash::HashSet;
use http::Method;
use model_resource_schema::column::Table;
use model_resource_schema::naming;
use model_resource_schema::serializer::{CompiledSerializer, InputRules, WriteMode};

use crate::api::builder::Api;
use crate::api::compiled_routes::CompiledRoutes;
use crate::pages::same_shape;
use crate::resource::ResourceSpec;

impl Api {
    /// Mistakes in the settings of the pages and in the page options of resources, each with its remedy.
    pub(super) fn page_mistakes(&self, compiled: &CompiledRoutes) -> Vec<String> {
        let Some(pages) = &self.pages else {
            return Vec::new();
        };
        let views = pages.views().into_iter();
        let mut mistakes: Vec<String> = views
            .filter_map(|(setting, method, url)| self.unknown_view(setting, &method, url?, compiled))
            .collect();
        for spec in self
            .registered
            .iter()
            .filter_map(|registered| registered.resource())
        {
            mistakes.extend(self.unknown_page_fields(spec));
            mistakes.extend(unknown_actions(spec, compiled));
        }
        mistakes
    }

    /// Mistake of a setting that names a URL which does not answer the method.
    fn unknown_view(
        &self,
        setting: &str,
        method: &Method,
        url: &str,
        compiled: &CompiledRoutes,
    ) -> Option<String> {
        let is_whole = url
            .strip_prefix(&self.prefix)
            .is_some_and(|rest| rest.starts_with('/'));
        let whole = if is_whole {
            url.to_owned()
        } else {
            format!("{}{url}", self.prefix)
        };
        let is_known = urls(compiled, method).any(|known| same_shape(known, &whole));
        let meant = naming::nearest(&whole, urls(compiled, method));
        (!is_known).then(|| {
            let remedy = meant.map_or("name a view of the api".to_owned(), |meant| {
                format!("did you mean `{meant}`?")
            });
            format!("`Pages::{setting}(\"{url}\")`: no view answers {method} at `{whole}`: {remedy}")
        })
    }

    /// Mistakes of page options that name columns which the serializers of the model leave out.
    fn unknown_page_fields(&self, spec: &ResourceSpec) -> Vec<String> {
        if !spec.page.names_fields() {
            return Vec::new();
        }
        let Ok(serializers) = self.serializers.completed(spec.table) else {
            return Vec::new();
        };
        let list = serializers.many.as_ref().or(serializers.single.as_ref());
        let listed: HashSet<String> = list.map(|list| fields(list).0).unwrap_or_default();
        let all = [&serializers.single, &serializers.many, &serializers.create];
        let all: HashSet<String> = all
            .into_iter()
            .flatten()
            .flat_map(|serializer| {
                let (outputs, inputs) = fields(serializer);
                outputs.into_iter().chain(inputs)
            })
            .collect();
        let columns = spec.page.columns.iter().filter(|name| !listed.contains(*name));
        let columns = columns.map(|name| {
            format!(
                "{}: `page()` has the column `{name}`, which its list does not show: the serializer leaves it out",
                spec.name
            )
        });
        let others = spec.page.field_names().filter(|name| !all.contains(*name));
        let others = others.map(|name| {
            format!(
                "{}: `page()` names the field `{name}`, which the serializer leaves out",
                spec.name
            )
        });
        columns.chain(others).collect()
    }
}

/// Mistakes of row actions whose requests no view answers.
fn unknown_actions(spec: &ResourceSpec, compiled: &CompiledRoutes) -> Vec<String> {
    let is_own = |table: Option<&'static Table>| table.is_some_and(|table| table.id() == spec.table.id());
    let items: Vec<&str> = compiled
        .routes
        .iter()
        .filter(|route| is_own(route.binding.table) && route.rule.key().is_some())
        .map(|route| route.rule.as_str())
        .collect();
    let named = spec.page.actions.iter();
    let named = named.filter_map(|action| Some((action.label.as_str(), action.path.as_deref()?)));
    let unknown = named.filter(|(_, path)| {
        let mut wanted = items.iter().map(|item| format!("{item}/{path}"));
        !wanted.any(|url| urls(compiled, &Method::POST).any(|known| same_shape(known, &url)))
    });
    let mistake = |(label, path): (&str, &str)| {
        let item = items.first().copied().unwrap_or("the item URL");
        let paths = urls(compiled, &Method::POST).filter_map(|url| url.rsplit('/').next());
        let remedy = naming::nearest(path, paths).map_or_else(
            || "register a view for it".to_owned(),
            |meant| format!("did you mean `{meant}`?"),
        );
        format!(
            "{}: `page()` has the action {label:?}, and no view answers POST at `{item}/{path}`: {remedy}",
            spec.name
        )
    };
    unknown.map(mistake).collect()
}

/// URLs that answer a method.
fn urls<'r>(compiled: &'r CompiledRoutes, method: &Method) -> impl Iterator<Item = &'r str> {
    let routes = compiled.routes.iter();
    let routes = routes.filter(|route| route.action(method).is_some());
    routes.map(|route| route.rule.as_str())
}

/// Names of the fields that a serializer writes, and of those that it reads.
fn fields(serializer: &Arc<CompiledSerializer>) -> (HashSet<String>, HashSet<String>) {
    let object = serializer.describe(None, &InputRules::of(WriteMode::Create));
    let outputs = object.output.into_iter().map(|field| field.name);
    let inputs = object.input.into_iter().map(|field| field.name);
    (outputs.collect(), inputs.collect())
}
