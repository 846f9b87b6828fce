//! Parsing of `transitions(Draft -> Sent | Void, Sent -> Paid)`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Ident, Meta, Path, Token, Type};

const EXAMPLE: &str = "write #[column(transitions(Draft -> Sent | Void, Sent -> Paid))] with the variants of the enum; \
     `new -> Draft` limits the values of new rows";

/// One or several variants, and those that may follow each of them.
pub(super) struct Step {
    from: Vec<Ident>,
    to: Vec<Ident>,
}

impl Step {
    /// Whether the step leads from a new row.
    fn is_initial(&self) -> bool {
        self.from.iter().any(|from| from == "new")
    }
}

impl Parse for Step {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let variants = |input| -> syn::Result<Vec<Ident>> {
            let variants = Punctuated::<Ident, Token![|]>::parse_separated_nonempty(input)?;
            Ok(variants.into_iter().collect())
        };
        let from = variants(input)?;
        input.parse::<Token![->]>()?;
        Ok(Self {
            from,
            to: variants(input)?,
        })
    }
}

/// Parses the option.
pub(super) fn read(option: &Meta) -> syn::Result<Vec<Step>> {
    let remedy = |at: &dyn ToTokens| syn::Error::new_spanned(at.to_token_stream(), EXAMPLE);
    let Meta::List(list) = option else {
        return Err(remedy(option));
    };
    let steps = list.parse_args_with(Punctuated::<Step, Token![,]>::parse_terminated);
    let steps: Vec<Step> = steps
        .map_err(|error| syn::Error::new(error.span(), EXAMPLE))?
        .into_iter()
        .collect();
    if !steps.iter().any(|step| !step.is_initial()) {
        return Err(remedy(option));
    }
    for step in &steps {
        if step.is_initial() && step.from.len() > 1 {
            let remedy = "write the values of new rows in a step of their own: `new -> Draft`";
            return Err(syn::Error::new_spanned(&step.from[0], remedy));
        }
        if let Some(from) = step.from.iter().find(|from| step.to.contains(from)) {
            let remedy = format!("a value that stays is no change: remove `{from}` on one side of the arrow");
            return Err(syn::Error::new_spanned(from, remedy));
        }
        if let Some(new) = step.to.iter().find(|to| *to == "new") {
            return Err(syn::Error::new_spanned(
                new,
                "nothing leads to a new row: name a variant here",
            ));
        }
    }
    Ok(steps)
}

/// Formats the builder call of the transitions of an enum.
pub(super) fn call(root: &Path, ty: &Type, steps: &[Step]) -> TokenStream {
    let name = |variant: &Ident| {
        let variant = quote_spanned!(variant.span()=> <#ty>::#variant);
        quote_spanned!(ty.span()=> <#ty>::__column_name(&#variant))
    };
    let (initial, others): (Vec<&Step>, Vec<&Step>) = steps.iter().partition(|step| step.is_initial());
    let entries = others.iter().flat_map(|step| {
        let to: Vec<TokenStream> = step.to.iter().map(name).collect();
        let entry = move |from| {
            let from = name(from);
            quote!((#from, &[#(#to),*]))
        };
        step.from.iter().map(entry)
    });
    let initial: Vec<TokenStream> = initial.iter().flat_map(|step| step.to.iter().map(name)).collect();
    let initial = (!initial.is_empty()).then(|| quote!(.initial(&[#(#initial),*])));
    quote!(.transitions(#root::transitions::Transitions::new(&[#(#entries),*])#initial))
}
