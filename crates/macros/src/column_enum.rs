//! `#[derive(ColumnEnum)]`: makes an enum of names the type of a column.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Ident, LitStr, Meta, Path, Variant};

use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::item_options;
use crate::naming;
use crate::schema_path;
use crate::suggest;

/// A parsed enum whose variants have wire names.
struct ColumnEnum<'a> {
    ident: &'a Ident,
    root: Path,
    variants: Vec<(&'a Ident, String)>,
    /// Doc comments of the variants; empty if there is none.
    docs: Vec<String>,
    /// Enum type of PostgreSQL.
    postgres_type: Option<String>,
}

/// Implements `ColumnType` and `FromStr` for the enum. On mistakes it emits a placeholder implementation, so that
/// rustc does not also report each use of the enum.
pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    expanded(input).unwrap_or_else(|mistakes| {
        let (mistakes, stub) = (mistakes.to_compile_error(), stub(input));
        quote!(#mistakes #stub)
    })
}

fn expanded(input: &DeriveInput) -> syn::Result<TokenStream> {
    let mut diagnostics = Diagnostics::default();
    let parsed = parse(input, &mut diagnostics)?;
    check(input, &parsed, &mut diagnostics);
    diagnostics.into_result()?;
    Ok(expand(&parsed))
}

fn parse<'a>(input: &'a DeriveInput, diagnostics: &mut Diagnostics) -> syn::Result<ColumnEnum<'a>> {
    let Data::Enum(data) = &input.data else {
        let remedy = "ColumnEnum is for an enum of names: derive Model for a struct";
        return Err(syn::Error::new_spanned(&input.ident, remedy));
    };
    let (mut root, mut postgres_type) = (schema_path::default(), None);
    for option in item_options::read(&input.attrs, diagnostics) {
        match schema_path::word(option.path()).as_str() {
            "crate" => {
                root = diagnostics
                    .take(schema_path::crate_option(&option))
                    .unwrap_or(root);
            }
            "postgres_type" => {
                let remedy = "write the name of the type in quotes: #[column(postgres_type = \"color\")]";
                postgres_type = diagnostics.take(quoted(&option, remedy));
            }
            other => {
                let known = ["crate", "postgres_type"];
                diagnostics.add(option.path(), suggest::unknown("option", other, &known));
            }
        }
    }
    let variants = data
        .variants
        .iter()
        .map(|variant| (&variant.ident, name(variant, diagnostics)))
        .collect();
    let docs: Vec<Option<String>> = data
        .variants
        .iter()
        .map(|variant| docs::text(&variant.attrs))
        .collect();
    let has_docs = docs.iter().any(Option::is_some);
    Ok(ColumnEnum {
        ident: &input.ident,
        root,
        variants,
        docs: docs
            .into_iter()
            .filter(|_| has_docs)
            .map(Option::unwrap_or_default)
            .collect(),
        postgres_type,
    })
}

/// Returns the variant's wire name.
fn name(variant: &Variant, diagnostics: &mut Diagnostics) -> String {
    if !matches!(variant.fields, Fields::Unit) {
        diagnostics.add(
            &variant.fields,
            "a column holds the variant's name alone: take the fields off",
        );
    }
    let mut name = naming::lower_first(&variant.ident.unraw().to_string());
    for option in item_options::read(&variant.attrs, diagnostics) {
        match schema_path::word(option.path()).as_str() {
            "name" => {
                let remedy = "write the name in quotes: #[column(name = \"dark-red\")]";
                name = diagnostics.take(quoted(&option, remedy)).unwrap_or(name);
            }
            "alias" | "rename" | "value" => diagnostics.add(
                option.path(),
                "write the name of the variant as #[column(name = \"dark-red\")]",
            ),
            other => diagnostics.add(option.path(), suggest::unknown("option", other, &["name"])),
        }
    }
    name
}

/// Returns the text of an option, which is not empty.
fn quoted(option: &Meta, remedy: &str) -> syn::Result<String> {
    let mistake = || syn::Error::new_spanned(option, remedy);
    let value = &option.require_name_value().map_err(|_| mistake())?.value;
    let text: LitStr = syn::parse2(value.to_token_stream()).map_err(|_| mistake())?;
    if text.value().is_empty() {
        Err(mistake())
    } else {
        Ok(text.value())
    }
}

fn check(input: &DeriveInput, parsed: &ColumnEnum<'_>, diagnostics: &mut Diagnostics) {
    if !input.generics.params.is_empty() {
        diagnostics.add(
            &input.generics,
            "an enum of names has no type parameters: take them off",
        );
    }
    if parsed.variants.is_empty() {
        diagnostics.add(parsed.ident, "an enum of names has at least one variant");
    }
    for (position, (variant, name)) in parsed.variants.iter().enumerate() {
        if parsed.variants[..position]
            .iter()
            .any(|(_, earlier)| earlier == name)
        {
            let remedy = format!("the name \"{name}\" is used twice: rename one by #[column(name = \"..\")]");
            diagnostics.add(variant, remedy);
        }
    }
}

/// Creates a placeholder implementation for an enum with mistakes.
fn stub(input: &DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (ident, root) = (&input.ident, item_options::schema_crate(input));
    quote! {
        #[automatically_derived]
        impl #root::column_type::ColumnType for #ident {
            const DATA_TYPE: #root::data_type::DataType = #root::data_type::DataType::Enum(&[]);

            fn to_value(&self) -> #root::value::ValueRef<'_> {
                ::core::unreachable!("an enum with a mistake does not compile")
            }

            fn from_value(
                _: #root::value::ValueRef<'_>,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                ::core::unreachable!("an enum with a mistake does not compile")
            }
        }

        #[automatically_derived]
        impl ::core::str::FromStr for #ident {
            type Err = #root::message::Message;

            fn from_str(_: &str) -> ::core::result::Result<Self, #root::message::Message> {
                ::core::unreachable!("an enum with a mistake does not compile")
            }
        }
    }
}

fn expand(parsed: &ColumnEnum<'_>) -> TokenStream {
    let ColumnEnum {
        ident,
        root,
        variants,
        docs,
        postgres_type,
    } = parsed;
    let postgres_type = postgres_type
        .as_ref()
        .map(|name| quote!(const POSTGRES_TYPE: ::core::option::Option<&'static str> = ::core::option::Option::Some(#name);));
    let names: Vec<&String> = variants.iter().map(|(_, name)| name).collect();
    let variants: Vec<&Ident> = variants.iter().map(|(variant, _)| *variant).collect();
    let constant_names = constant_names(ident, &variants, &names);
    quote! {
        #[automatically_derived]
        impl #root::column_type::ColumnType for #ident {
            const DATA_TYPE: #root::data_type::DataType = #root::data_type::DataType::Enum(&[#(#names),*]);
            const CHECK: ::core::option::Option<#root::column_type::TypeCheck> = ::core::option::Option::None;
            const VALUE_DESCRIPTIONS: &'static [&'static str] = &[#(#docs),*];
            #postgres_type

            fn to_value(&self) -> #root::value::ValueRef<'_> {
                #root::value::ValueRef::Text(match self {
                    #(Self::#variants => #names,)*
                })
            }

            fn from_value(
                value: #root::value::ValueRef<'_>,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                match value {
                    #(#root::value::ValueRef::Text(#names) => ::core::result::Result::Ok(Self::#variants),)*
                    _ => ::core::result::Result::Err(#root::column_type::TypeMismatch::new(
                        <Self as #root::column_type::ColumnType>::DATA_TYPE,
                        value,
                    )),
                }
            }
        }

        #constant_names

        #[automatically_derived]
        impl ::core::str::FromStr for #ident {
            type Err = #root::message::Message;

            fn from_str(text: &str) -> ::core::result::Result<Self, #root::message::Message> {
                match text {
                    #(#names => ::core::result::Result::Ok(Self::#variants),)*
                    _ => ::core::result::Result::Err(
                        <Self as #root::column_type::ColumnType>::DATA_TYPE.type_message(),
                    ),
                }
            }
        }
    }
}

/// Expands a function that constants can call, such as the transitions of a column.
fn constant_names(ident: &Ident, variants: &[&Ident], names: &[&String]) -> TokenStream {
    quote! {
        #[automatically_derived]
        #[allow(dead_code, reason = "only columns with transitions use it")]
        impl #ident {
            #[doc(hidden)]
            pub const fn __column_name(&self) -> &'static str {
                match self {
                    #(Self::#variants => #names,)*
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_is_answered_with_the_remedy() {
        for (input, remedy) in [
            ("struct Color;", "derive Model"),
            ("enum Color {}", "at least one variant"),
            ("enum Color { Red(u8) }", "take the fields off"),
            ("enum Color<T> { Red }", "no type parameters"),
            (
                "enum Color { Red, #[column(name = \"red\")] Rose }",
                "is used twice",
            ),
            ("enum Color { #[column(name = red)] Red }", "in quotes"),
            ("#[column(postgres_type = 7)] enum Color { Red }", "in quotes"),
            (
                "#[column(postgres_typ = \"color\")] enum Color { Red }",
                "`postgres_type`?",
            ),
            (
                "enum Color { #[column(nmae = \"red\")] Red }",
                "did you mean `name`?",
            ),
            (
                "enum Color { #[column(rename = \"red\")] Red }",
                "#[column(name = \"dark-red\")]",
            ),
        ] {
            let errors = expanded(&syn::parse_str(input).expect("an item")).expect_err(input);
            let found: Vec<String> = errors.into_iter().map(|error| error.to_string()).collect();
            assert!(
                matches!(found.as_slice(), [one] if one.contains(remedy)),
                "{input}: {found:?}"
            );
        }
    }
}
