//! Names of the table and of its schema.

use syn::{LitStr, Meta};

/// Reads `table = ".."`.
pub(super) fn table(option: &Meta) -> syn::Result<String> {
    let name = text(
        option,
        "name the table in quotes: write #[model(table = \"users\")]",
    )?;
    let given = name.value();
    match given.rsplit_once('.') {
        Some((schema, table)) => Err(syn::Error::new(
            name.span(),
            format!(
                "the name of a table has no dot; if `{schema}` is its schema, write #[model(schema = {schema:?}, table = {table:?})]"
            ),
        )),
        None => Ok(given),
    }
}

/// Reads `schema = ".."`.
pub(super) fn schema(option: &Meta) -> syn::Result<String> {
    let name = text(
        option,
        "name the schema in quotes: write #[model(schema = \"crm\", table = \"customers\")]",
    )?;
    let given = name.value();
    let remedy = if given.contains('.') {
        "the name of a schema has no dot; the database is named by its URL: write #[model(schema = \"crm\", table = \"customers\")]"
    } else if given == "public" {
        "`public` is where PostgreSQL looks for tables without a schema: take `schema` off"
    } else {
        return Ok(given);
    };
    Err(syn::Error::new(name.span(), remedy))
}

fn text(option: &Meta, remedy: &str) -> syn::Result<LitStr> {
    let value = &option
        .require_name_value()
        .map_err(|_| syn::Error::new_spanned(option, remedy))?
        .value;
    let name: LitStr =
        syn::parse2(quote::quote!(#value)).map_err(|_| syn::Error::new_spanned(value, remedy))?;
    if name.value().is_empty() {
        return Err(syn::Error::new_spanned(value, remedy));
    }
    Ok(name)
}
