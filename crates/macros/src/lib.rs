//! Attributes and derives of model-resource. Each file is one macro: it parses, checks, and expands into code that
//! could be written by hand.

mod column_enum;
mod column_newtype;
mod diagnostics;
mod docs;
mod handler_call;
mod item_options;
mod migrations;
mod model;
mod model_resource;
mod naming;
mod registration;
mod route;
mod schema_path;
mod serializer;
mod span;
mod suggest;
mod url;

use proc_macro::TokenStream;
use syn::parse_macro_input;

#[cfg_attr(not(doctest), doc = include_str!("../docs/derive_model.md"))]
#[proc_macro_derive(Model, attributes(model, column))]
pub fn derive_model(input: TokenStream) -> TokenStream {
    model::derive(&parse_macro_input!(input)).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/derive_column_enum.md"))]
#[proc_macro_derive(ColumnEnum, attributes(column))]
pub fn derive_column_enum(input: TokenStream) -> TokenStream {
    column_enum::derive(&parse_macro_input!(input)).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/derive_column_type.md"))]
#[proc_macro_derive(ColumnType, attributes(column))]
pub fn derive_column_type(input: TokenStream) -> TokenStream {
    column_newtype::derive(&parse_macro_input!(input)).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/derive_column_group.md"))]
#[proc_macro_derive(ColumnGroup, attributes(column))]
pub fn derive_column_group(input: TokenStream) -> TokenStream {
    model::derive_group(&parse_macro_input!(input)).into()
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/serializer.md"))]
#[proc_macro_attribute]
pub fn serializer(arguments: TokenStream, item: TokenStream) -> TokenStream {
    finish(serializer::attribute(arguments.into(), &parse_macro_input!(item)))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/model_resource.md"))]
#[proc_macro_attribute]
pub fn model_resource(arguments: TokenStream, item: TokenStream) -> TokenStream {
    finish(model_resource::attribute(
        arguments.into(),
        parse_macro_input!(item),
    ))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/route.md"))]
#[proc_macro_attribute]
pub fn route(arguments: TokenStream, item: TokenStream) -> TokenStream {
    finish(route::attribute(arguments.into(), parse_macro_input!(item)))
}

#[cfg_attr(not(doctest), doc = include_str!("../docs/migrations.md"))]
#[proc_macro]
pub fn migrations(path: TokenStream) -> TokenStream {
    finish(migrations::expand(&parse_macro_input!(path)))
}

fn finish(expanded: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
