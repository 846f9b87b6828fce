//! `#[model_resource]`: serves a model at URLs, with the operations that the block overrides.

mod expand;
mod impl_block;
mod operation;
mod response;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, Item, ItemStruct, Path};

use self::expand::Resource;
use self::impl_block::ImplBlock;
use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::registration::RegistrationArguments;

const EXAMPLE: &str = "#[model_resource(User, \"/users\", \"/users/<int:id>\")]";

/// Expands the attribute on a unit struct or on `impl ModelResource for ..`.
///
/// Valid parts are expanded along with the diagnostics, so that one mistake does not cause others elsewhere.
pub(crate) fn attribute(arguments: TokenStream, item: Item) -> syn::Result<TokenStream> {
    let mut diagnostics = Diagnostics::default();
    let registration = RegistrationArguments::parse(arguments, EXAMPLE, &mut diagnostics);
    let registration = diagnostics.take(registration);
    let place = registration
        .as_ref()
        .and_then(|registration| diagnostics.take(place(registration)));
    if let Some(known) = &registration {
        for (name, _) in known.decorators.iter().chain(&known.guards) {
            let remedy = "a resource names its decorators in `fn method_decorators() -> MethodDecorators`: take this off";
            diagnostics.add(name, remedy);
        }
    }
    for name in registration.iter().flat_map(|known| &known.schema_options) {
        let remedy = "write it above the operation: `#[response(Created)]` or `#[response(adds = Token)]`";
        diagnostics.add(name, remedy);
    }
    let docs = match &item {
        Item::Struct(item) => docs::text(&item.attrs),
        Item::Impl(item) => docs::text(&item.attrs),
        _ => None,
    };
    let (declaration, ident, block) = match item {
        Item::Struct(item) => {
            check_struct(&item, &mut diagnostics);
            (Some(quote!(#item)), item.ident, None)
        }
        Item::Impl(item) => {
            let block = ImplBlock::check(item, &mut diagnostics)?;
            (None, block.ident.clone(), Some(block))
        }
        other => {
            let remedy = "#[model_resource] goes on a unit struct, or on `impl ModelResource for ..`";
            return Err(syn::Error::new_spanned(other, remedy));
        }
    };
    let expanded = match (registration, place) {
        (Some(registration), Some((blueprint, model))) => expand::resource(
            &Resource {
                ident: &ident,
                registration: &registration,
                blueprint,
                model,
                block,
                docs,
            },
            &mut diagnostics,
        ),
        _ => TokenStream::new(),
    };
    let diagnostics = diagnostics.into_tokens();
    Ok(quote!(#diagnostics #declaration #expanded))
}

/// Returns the blueprint, if any, and the model.
fn place(registration: &RegistrationArguments) -> syn::Result<(Option<Path>, Path)> {
    match registration.paths.as_slice() {
        [model] => Ok((None, model.clone())),
        [blueprint, model] => Ok((Some(blueprint.clone()), model.clone())),
        [_, _, third, ..] => {
            let remedy = format!("only a blueprint and a model may precede the URLs: write {EXAMPLE}");
            Err(syn::Error::new_spanned(third, remedy))
        }
        [] => Err(syn::Error::new(
            proc_macro2::Span::call_site(),
            format!("name the model before the URLs: write {EXAMPLE}"),
        )),
    }
}

fn check_struct(item: &ItemStruct, diagnostics: &mut Diagnostics) {
    if !matches!(item.fields, Fields::Unit) || !item.generics.params.is_empty() {
        diagnostics.add(
            &item.ident,
            format!("a resource holds nothing: write `struct {};`", item.ident),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the diagnostics for `impl ModelResource for R` with these items.
    fn diagnostics(items: &str) -> Vec<String> {
        let mut diagnostics = Diagnostics::default();
        let block = syn::parse_str(&format!("impl ModelResource for R {{ {items} }}")).expect("a block");
        let block = ImplBlock::check(block, &mut diagnostics);
        diagnostics.take(block);
        let errors = diagnostics.into_result().err().into_iter().flatten();
        errors.map(|error| error.to_string()).collect()
    }

    #[test]
    fn each_mistake_in_the_block_is_answered_with_the_remedy() {
        for (items, remedy) in [
            ("async fn lsit() {}", "did you mean `list`?"),
            ("async fn update() {}", "did you mean `put` or `patch`?"),
            ("async fn destroy() {}", "did you mean `delete`?"),
            ("fn method_decorator() {}", "did you mean `method_decorators`?"),
            ("fn frobnicate() {}", "#[helper]"),
            ("fn get() {}", "write `async fn get`"),
            ("async fn get(self) {}", "take `cx: Context`"),
            ("async fn get<T>() {}", "no type parameters"),
            (
                "async fn get(a: Context, b: framework::Context) {}",
                "take it once",
            ),
            (
                "const INCLUDE_METHOD: Operations = ALL;",
                "did you mean `INCLUDE_METHODS`?",
            ),
            ("type Model = User;", "the attribute names the model"),
            ("type Other = User;", "outside the block"),
        ] {
            let found = diagnostics(items);
            assert!(
                matches!(found.as_slice(), [one] if one.contains(remedy)),
                "{items}: {found:?}"
            );
        }
    }

    #[test]
    fn attributes_operations_and_helpers_are_taken() {
        let items = "
            const EXCLUDE_METHODS: Operations = Operations::of([DELETE]);
            fn method_decorators() -> MethodDecorators { MethodDecorators::none() }
            async fn create(cx: Context, draft: Draft<User>) -> Result<Reply> { cx.created(draft).await }
            #[helper]
            fn frobnicate(&self) {}
        ";
        assert_eq!(diagnostics(items), Vec::<String>::new());
    }

    #[test]
    fn decorators_of_a_resource_stand_in_its_block() {
        for arguments in [
            quote!(User, "/users", decorators = [auth_required()]),
            quote!(User, "/users", guards = [auth_required()]),
        ] {
            let item = syn::parse_str("struct R;").expect("an item");
            let expanded = attribute(arguments, item);
            let expanded = expanded.expect("a diagnostic beside the rest").to_string();
            assert!(expanded.contains("method_decorators"), "{expanded}");
        }
    }

    #[test]
    fn the_attribute_goes_on_a_unit_struct_or_on_an_implementation_of_model_resource() {
        for (item, remedy) in [
            ("enum R {}", "goes on a unit struct"),
            ("impl R {}", "`impl ModelResource for ..`"),
            ("struct R { a: i64 }", "write `struct R;`"),
        ] {
            let parsed = syn::parse_str(item).expect("an item");
            let expanded = attribute(quote!(User, "/users"), parsed);
            let expanded = expanded
                .unwrap_or_else(|error| error.to_compile_error())
                .to_string();
            assert!(expanded.contains(remedy), "{item}: {expanded}");
        }
    }
}
