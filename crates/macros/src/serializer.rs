//! `#[serializer]`: marks a serializer with the purpose it is registered for.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{ImplItem, Item, ItemImpl, Meta, Path, Token};

use crate::diagnostics::Diagnostics;
use crate::schema_path;
use crate::suggest;

const ARGUMENTS: &[&str] = &["create", "many"];
const PLACE: &str = "#[serializer] goes on `impl ModelSerializer for ..`";
const FUNCTIONS: &[&str] = &["fields", "envelope", "validate"];

/// Arguments of the attribute.
struct Arguments {
    role: Role,
    /// Path of the schema crate.
    root: Path,
}

/// Purpose that the serializer is registered for.
enum Role {
    Single,
    Many,
    Create,
}

/// Keeps the block unchanged and implements `RegisteredSerializer`.
pub(crate) fn attribute(arguments: TokenStream, item: &Item) -> syn::Result<TokenStream> {
    let Item::Impl(block) = item else {
        return Err(syn::Error::new_spanned(item, PLACE));
    };
    let mut diagnostics = Diagnostics::default();
    let arguments = parse(arguments, &mut diagnostics)?;
    check_trait(block)?;
    check_functions(block, &mut diagnostics);
    check_model(block, &mut diagnostics);
    diagnostics.into_result()?;
    Ok(expand(&arguments, block))
}

fn parse(arguments: TokenStream, diagnostics: &mut Diagnostics) -> syn::Result<Arguments> {
    let (mut role, mut root) = (Role::Single, schema_path::default());
    let mut roles = 0;
    for argument in Punctuated::<Meta, Token![,]>::parse_terminated.parse2(arguments)? {
        let name = schema_path::word(argument.path());
        match (name.as_str(), &argument) {
            ("create", Meta::Path(_)) => (role, roles) = (Role::Create, roles + 1),
            ("many", Meta::Path(_)) => (role, roles) = (Role::Many, roles + 1),
            ("create" | "many", _) => diagnostics.add(
                &argument,
                format!("`{name}` takes no value: write #[serializer({name})]"),
            ),
            ("crate", _) => {
                root = diagnostics
                    .take(schema_path::crate_option(&argument))
                    .unwrap_or(root);
            }
            _ => diagnostics.add(argument.path(), suggest::unknown("argument", &name, ARGUMENTS)),
        }
        if roles > 1 {
            diagnostics.add(
                &argument,
                "a serializer has one role: write another serializer for lists or for creating",
            );
        }
    }
    Ok(Arguments { role, root })
}

fn check_trait(block: &ItemImpl) -> syn::Result<()> {
    match &block.trait_ {
        Some((path, _))
            if path
                .segments
                .last()
                .is_some_and(|name| name.ident == "ModelSerializer") =>
        {
            Ok(())
        }
        Some((path, _)) => Err(syn::Error::new_spanned(path, PLACE)),
        None => Err(syn::Error::new_spanned(&block.self_ty, PLACE)),
    }
}

fn check_functions(block: &ItemImpl, diagnostics: &mut Diagnostics) {
    for item in &block.items {
        let ImplItem::Fn(function) = item else { continue };
        let name = function.sig.ident.to_string();
        if !FUNCTIONS.contains(&name.as_str()) {
            let unknown = suggest::unknown("function", &name, FUNCTIONS);
            diagnostics.add(
                &function.sig.ident,
                unknown + "; put your own into another `impl` block",
            );
        }
    }
}

fn check_model(block: &ItemImpl, diagnostics: &mut Diagnostics) {
    let is_model = |item: &ImplItem| matches!(item, ImplItem::Type(item) if item.ident == "Model");
    if !block.items.iter().any(is_model) {
        let remedy = "say which model is serialized: add `type Model = User;` to the block";
        diagnostics.add(&block.self_ty, remedy);
    }
}

fn expand(arguments: &Arguments, block: &ItemImpl) -> TokenStream {
    let Arguments { role, root } = arguments;
    let serializer = &block.self_ty;
    let role = match role {
        Role::Single => quote!(Single),
        Role::Many => quote!(Many),
        Role::Create => quote!(Create),
    };
    let validates = block
        .items
        .iter()
        .any(|item| matches!(item, ImplItem::Fn(item) if item.sig.ident == "validate"));
    quote! {
        #block

        impl #root::serializer::RegisteredSerializer for #serializer {
            const ROLE: #root::serializer::SerializerRole = #root::serializer::SerializerRole::#role;
            const VALIDATES: bool = #validates;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_is_answered_with_the_remedy() {
        const GOOD: &str = "impl ModelSerializer for A { type Model = User; }";
        for (arguments, item, remedy) in [
            ("mayn", GOOD, "did you mean `many`?"),
            ("many = true", GOOD, "write #[serializer(many)]"),
            ("many, create", GOOD, "one role"),
            ("", "struct A;", "`impl ModelSerializer for ..`"),
            ("", "impl A {}", "`impl ModelSerializer for ..`"),
            ("", "impl Serialize for A {}", "`impl ModelSerializer for ..`"),
            ("", "impl ModelSerializer for A {}", "`type Model = User;`"),
            (
                "",
                "impl ModelSerializer for A { type Model = B; fn validtae() {} }",
                "did you mean `validate`?",
            ),
        ] {
            let arguments = arguments.parse().expect("tokens");
            let errors = attribute(arguments, &syn::parse_str(item).expect("an item")).expect_err(item);
            let found: Vec<String> = errors.into_iter().map(|error| error.to_string()).collect();
            assert!(
                matches!(found.as_slice(), [one] if one.contains(remedy)),
                "{item}: {found:?}"
            );
        }
    }
}
