//! `#[derive(ColumnType)]`: makes a struct around one value the type of a column.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident, LitInt, Meta, Path, Type};

use crate::diagnostics::Diagnostics;
use crate::item_options;
use crate::schema_path;
use crate::suggest;

const OPTIONS: &[&str] = &["crate", "precision", "scale", "try_from", "validate"];

/// A parsed struct around one value.
struct ColumnNewtype<'a> {
    ident: &'a Ident,
    inner: &'a Type,
    root: Path,
    conversion: Conversion,
    precision: Option<LitInt>,
    scale: Option<LitInt>,
}

/// Conversion of the inner value.
enum Conversion {
    /// Accepts every value.
    Any,
    /// Accepts the values that a function accepts.
    Validate(Path),
    /// Converts by `TryFrom`, which may change the value.
    TryFrom,
}

/// Implements `ColumnType` for the struct. On mistakes it emits a placeholder implementation, so that rustc does not
/// also report each use of the type.
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

fn parse<'a>(input: &'a DeriveInput, diagnostics: &mut Diagnostics) -> syn::Result<ColumnNewtype<'a>> {
    let mut parsed = ColumnNewtype {
        ident: &input.ident,
        inner: inner(input)?,
        root: schema_path::default(),
        conversion: Conversion::Any,
        precision: None,
        scale: None,
    };
    for option in item_options::read(&input.attrs, diagnostics) {
        let outcome = parsed.set(&option);
        diagnostics.take(outcome);
    }
    Ok(parsed)
}

/// Returns the type of the only field.
fn inner(input: &DeriveInput) -> syn::Result<&Type> {
    let remedy = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => return Ok(&fields.unnamed[0].ty),
            _ => {
                "a column holds one value: write `struct Isbn(String);`, or hold a struct with several fields in a \
                  `Json<T>`"
            }
        },
        Data::Enum(_) => "an enum without fields is the type of a column by #[derive(ColumnEnum)]",
        Data::Union(_) => "a column holds one value: write `struct Isbn(String);`",
    };
    Err(syn::Error::new_spanned(&input.ident, remedy))
}

impl ColumnNewtype<'_> {
    fn set(&mut self, option: &Meta) -> syn::Result<()> {
        let name = schema_path::word(option.path());
        match name.as_str() {
            "crate" => self.root = schema_path::crate_option(option)?,
            "precision" => self.precision = Some(value(option, "precision = 10, scale = 2")?),
            "scale" => self.scale = Some(value(option, "precision = 10, scale = 2")?),
            "try_from" | "validate" if !matches!(self.conversion, Conversion::Any) => {
                let remedy = "a type has one of `try_from` and `validate`, once: keep one of them";
                return Err(syn::Error::new_spanned(option, remedy));
            }
            "try_from" => match option {
                Meta::Path(_) => self.conversion = Conversion::TryFrom,
                Meta::List(_) | Meta::NameValue(_) => {
                    let remedy = "`try_from` takes no value: write #[column(try_from)], and implement TryFrom for the type";
                    return Err(syn::Error::new_spanned(option, remedy));
                }
            },
            "validate" => self.conversion = Conversion::Validate(value(option, "validate = check_isbn")?),
            _ => {
                let unknown = suggest::unknown("option", &name, OPTIONS);
                return Err(syn::Error::new_spanned(option.path(), unknown));
            }
        }
        Ok(())
    }

    fn is_decimal(&self) -> bool {
        last_name(self.inner).is_some_and(|name| name == "Decimal")
    }
}

fn value<T: syn::parse::Parse>(option: &Meta, example: &str) -> syn::Result<T> {
    let remedy = || syn::Error::new_spanned(option, format!("write #[column({example})]"));
    let value = &option.require_name_value().map_err(|_| remedy())?.value;
    syn::parse2(value.to_token_stream()).map_err(|_| remedy())
}

/// Returns the last name of a type's path.
fn last_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        Type::Group(group) => last_name(&group.elem),
        _ => None,
    }
}

fn check(input: &DeriveInput, parsed: &ColumnNewtype<'_>, diagnostics: &mut Diagnostics) {
    if !input.generics.params.is_empty() {
        diagnostics.add(
            &input.generics,
            "a column type has no type parameters: take them off",
        );
    }
    if last_name(parsed.inner).is_some_and(|name| name == "Option") {
        let remedy =
            "a column type has a value: take the Option off, and make the field of the model an Option";
        diagnostics.add(parsed.inner, remedy);
    }
    let digits = [&parsed.precision, &parsed.scale];
    if parsed.is_decimal() && digits.iter().any(|digits| digits.is_none()) {
        diagnostics.add(
            parsed.inner,
            "a Decimal needs its number of digits: write #[column(precision = 10, scale = 2)] above the struct",
        );
    }
    if !parsed.is_decimal() {
        for digits in digits.into_iter().flatten() {
            diagnostics.add(digits, "only a Decimal has a precision and a scale: take it off");
        }
    }
}

/// Creates a placeholder implementation for a type with mistakes.
fn stub(input: &DeriveInput) -> TokenStream {
    if !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (ident, root) = (&input.ident, item_options::schema_crate(input));
    quote! {
        #[automatically_derived]
        impl #root::column_type::ColumnType for #ident {
            const DATA_TYPE: #root::data_type::DataType = #root::data_type::DataType::I64;

            fn to_value(&self) -> #root::value::ValueRef<'_> {
                ::core::unreachable!("a type with a mistake does not compile")
            }

            fn from_value(
                _: #root::value::ValueRef<'_>,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                ::core::unreachable!("a type with a mistake does not compile")
            }
        }
    }
}

fn expand(parsed: &ColumnNewtype<'_>) -> TokenStream {
    let ColumnNewtype {
        ident, inner, root, ..
    } = parsed;
    let trait_ = quote_spanned!(inner.span()=> <#inner as #root::column_type::ColumnType>);
    let data_type = match (&parsed.precision, &parsed.scale) {
        (Some(precision), Some(scale)) => {
            // The column's own builder rejects invalid digits.
            quote!(#root::column::Column::new("", #trait_::DATA_TYPE).decimal(#precision, #scale).data_type)
        }
        _ => quote!(#trait_::DATA_TYPE),
    };
    let (constants, conversion) = (constants(parsed, &trait_), conversion(parsed));
    let groups = group_types(parsed);
    quote! {
        const _: () = ::core::assert!(
            !#trait_::NULLABLE,
            "a column type has a value: take the Option off, and make the field of the model an Option"
        );

        #[automatically_derived]
        impl #root::column_type::ColumnType for #ident {
            const DATA_TYPE: #root::data_type::DataType = #data_type;
            #constants
            const VALUE_DESCRIPTIONS: &'static [&'static str] = #trait_::VALUE_DESCRIPTIONS;
            const POSTGRES_TYPE: ::core::option::Option<&'static str> = #trait_::POSTGRES_TYPE;

            fn to_value(&self) -> #root::value::ValueRef<'_> {
                #trait_::to_value(&self.0)
            }

            fn from_value(
                value: #root::value::ValueRef<'_>,
            ) -> ::core::result::Result<Self, #root::column_type::TypeMismatch> {
                let inner = #trait_::from_value(value)?;
                #conversion
            }
        }

        #groups
    }
}

/// Expands `CHECK` and `NORMALIZE`, unless they are those of the trait.
fn constants(parsed: &ColumnNewtype<'_>, trait_: &TokenStream) -> TokenStream {
    let root = &parsed.root;
    let option = quote!(::core::option::Option);
    let normalize = quote!(const NORMALIZE: #option<#root::column_type::TypeNormalization>);
    match parsed.conversion {
        Conversion::Any => quote! {
            const CHECK: #option<#root::column_type::TypeCheck> = #trait_::CHECK;
            #normalize = #trait_::NORMALIZE;
        },
        Conversion::Validate(_) => quote!(#normalize = #trait_::NORMALIZE;),
        Conversion::TryFrom => quote! {
            #normalize = #option::Some(#root::column_type::normalize::<Self>);
        },
    }
}

/// Expands the result of `from_value`.
fn conversion(parsed: &ColumnNewtype<'_>) -> TokenStream {
    let (root, inner) = (&parsed.root, parsed.inner);
    let mismatch = quote! {
        |error| {
            #root::column_type::TypeMismatch::new(<Self as #root::column_type::ColumnType>::DATA_TYPE, value)
                .with_message(::std::string::ToString::to_string(&error))
        }
    };
    match &parsed.conversion {
        Conversion::Any => quote!(::core::result::Result::Ok(Self(inner))),
        Conversion::Validate(function) => {
            let call = quote_spanned!(function.span()=> #function(&inner));
            quote!(#call.map(|()| Self(inner)).map_err(#mismatch))
        }
        Conversion::TryFrom => {
            let call = quote_spanned! {inner.span()=>
                <Self as ::core::convert::TryFrom<#inner>>::try_from(inner)
            };
            quote!(#call.map_err(#mismatch))
        }
    }
}

/// Expands the traits of types that have sums or calendar units.
fn group_types(parsed: &ColumnNewtype<'_>) -> Option<TokenStream> {
    let ColumnNewtype {
        ident, inner, root, ..
    } = parsed;
    match last_name(inner)?.to_string().as_str() {
        "i16" | "i32" | "i64" | "f32" | "f64" | "Decimal" => Some(quote! {
            #[automatically_derived]
            impl #root::query::NumberType for #ident {
                type Sum = <#inner as #root::query::NumberType>::Sum;
                type Mean = <#inner as #root::query::NumberType>::Mean;
            }
        }),
        "Date" | "Timestamp" => Some(quote! {
            #[automatically_derived]
            impl #root::query::CalendarType for #ident {
                type Of<T: #root::column_type::ColumnType> = <#inner as #root::query::CalendarType>::Of<T>;
            }
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mistake_is_answered_with_the_remedy() {
        for (input, remedy) in [
            ("enum Color { Red }", "#[derive(ColumnEnum)]"),
            ("struct Isbn;", "write `struct Isbn(String);`"),
            ("struct Isbn { text: String }", "`Json<T>`"),
            ("struct Isbn(String, String);", "one value"),
            ("struct Isbn<T>(T);", "no type parameters"),
            (
                "struct Isbn(Option<String>);",
                "make the field of the model an Option",
            ),
            ("struct Price(Decimal);", "precision = 10, scale = 2"),
            ("#[column(scale = 2)] struct Size(f64);", "only a Decimal"),
            (
                "#[column(try_form)] struct Isbn(String);",
                "did you mean `try_from`?",
            ),
            (
                "#[column(try_from = parse)] struct Isbn(String);",
                "implement TryFrom",
            ),
            (
                "#[column(validate)] struct Isbn(String);",
                "validate = check_isbn",
            ),
            (
                "#[column(try_from, validate = check)] struct Isbn(String);",
                "keep one of them",
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
