//! The block `impl ModelResource for ..`: allowed items, and where each is expanded.

use syn::{Attribute, Ident, ImplItem, ImplItemFn, ItemImpl, Path, Type};

use super::operation::{self, OPERATIONS};
use super::response;
use crate::diagnostics::Diagnostics;
use crate::handler_call::{self, NamedSchemas};
use crate::suggest;

const CONSTS: &[&str] = &[
    "AGGREGATE",
    "BULK_METHODS",
    "EXCLUDE_DECORATORS",
    "EXCLUDE_METHODS",
    "FILTER_METHODS",
    "INCLUDE_DECORATORS",
    "INCLUDE_METHODS",
    "INCREMENT",
    "MAX_BULK",
    "MAX_ROWS",
    "MERGE_DUPLICATES",
    "PAGE_SIZE",
    "PUBLIC",
    "PUT_CREATES",
    "QUERY_BUDGET",
    "QUERY_PARAMETERS",
    "REQUIRE_IDEMPOTENCY_KEY",
    "REQUIRE_IF_MATCH",
    "RESTORE",
    "SEARCH",
];
const FUNCTIONS: &[&str] = &["method_decorators", "order", "page", "representations"];

/// A checked block.
pub(super) struct ImplBlock {
    pub(super) attributes: Vec<Attribute>,
    /// Trait path as the user wrote it.
    pub(super) trait_: Path,
    pub(super) ident: Ident,
    /// Items of the trait: consts and [`FUNCTIONS`].
    pub(super) trait_items: Vec<ImplItem>,
    pub(super) operations: Vec<ImplItemFn>,
    /// Types that the attributes of each operation name.
    pub(super) schemas: Vec<NamedSchemas>,
    /// Helpers and misplaced items, kept so that rustc can continue.
    pub(super) others: Vec<ImplItem>,
}

impl ImplBlock {
    /// Sorts the block's items and reports those that do not belong there.
    pub(super) fn check(block: ItemImpl, diagnostics: &mut Diagnostics) -> syn::Result<Self> {
        let trait_ = trait_of(&block)?;
        let ident = name_of(&block.self_ty)?;
        let mut this = Self {
            attributes: block.attrs,
            trait_,
            ident,
            trait_items: Vec::new(),
            operations: Vec::new(),
            schemas: Vec::new(),
            others: Vec::new(),
        };
        for item in block.items {
            this.add(item, diagnostics);
        }
        Ok(this)
    }

    fn add(&mut self, item: ImplItem, diagnostics: &mut Diagnostics) {
        match item {
            ImplItem::Const(ref constant) => {
                let name = constant.ident.to_string();
                if CONSTS.contains(&name.as_str()) {
                    self.trait_items.push(item);
                } else {
                    diagnostics.add(&constant.ident, suggest::unknown("attribute", &name, CONSTS));
                    self.others.push(item);
                }
            }
            ImplItem::Fn(function) => self.add_function(function, diagnostics),
            ImplItem::Type(item) => {
                let remedy = if item.ident == "Model" {
                    "the attribute names the model: #[model_resource(User, \"/users\")]; take this off"
                } else {
                    "a resource has no types of its own: put this outside the block"
                };
                diagnostics.add(&item.ident, remedy);
            }
            other => diagnostics.add(
                other,
                "only attributes, operations and #[helper] functions are allowed here",
            ),
        }
    }

    fn add_function(&mut self, mut function: ImplItemFn, diagnostics: &mut Diagnostics) {
        let attributes = function.attrs.len();
        function
            .attrs
            .retain(|attribute| !attribute.path().is_ident("helper"));
        let name = function.sig.ident.to_string();
        if function.attrs.len() < attributes {
            self.others.push(ImplItem::Fn(function));
        } else if FUNCTIONS.contains(&name.as_str()) {
            self.trait_items.push(ImplItem::Fn(function));
        } else if OPERATIONS.contains(&name.as_str()) {
            let named = response::take(&mut function.attrs, diagnostics);
            let mut mistakes = Diagnostics::default();
            handler_call::check("the operation", &function.sig, &mut mistakes);
            match mistakes.into_result() {
                Ok(()) => {
                    self.operations.push(function);
                    self.schemas.push(named);
                }
                Err(error) => {
                    diagnostics.add_error(error);
                    self.others.push(ImplItem::Fn(function));
                }
            }
        } else {
            diagnostics.add(&function.sig.ident, operation::unknown(&name, FUNCTIONS));
            self.others.push(ImplItem::Fn(function));
        }
    }
}

fn trait_of(block: &ItemImpl) -> syn::Result<Path> {
    const PLACE: &str = "#[model_resource] goes on `impl ModelResource for ..`";
    match &block.trait_ {
        Some((path, _))
            if path
                .segments
                .last()
                .is_some_and(|name| name.ident == "ModelResource") =>
        {
            Ok(path.clone())
        }
        Some((path, _)) => Err(syn::Error::new_spanned(path, PLACE)),
        None => Err(syn::Error::new_spanned(&block.self_ty, PLACE)),
    }
}

fn name_of(ty: &Type) -> syn::Result<Ident> {
    let name = match ty {
        Type::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    };
    name.ok_or_else(|| {
        syn::Error::new_spanned(
            ty,
            "name a struct of this module: `impl ModelResource for UserResource`",
        )
    })
}
