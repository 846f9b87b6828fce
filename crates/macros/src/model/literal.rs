//! Literals of bounds and defaults, in wire form.

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// A literal of an option, kept as the text that the schema parses.
pub(super) struct Literal {
    pub(super) form: Form,
    pub(super) text: String,
}

/// Notation of a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Bool,
    Integer,
    Fraction,
    Text,
}

impl Literal {
    /// Parses `true`, `-1`, `0.5` or `"2024-01-01"`.
    pub(super) fn read(value: &Expr) -> syn::Result<Self> {
        let (form, text) = match value {
            Expr::Lit(ExprLit {
                lit: Lit::Bool(lit), ..
            }) => (Form::Bool, lit.value.to_string()),
            Expr::Lit(ExprLit {
                lit: Lit::Int(lit), ..
            }) => (Form::Integer, lit.base10_digits().to_owned()),
            Expr::Lit(ExprLit {
                lit: Lit::Float(lit), ..
            }) => (Form::Fraction, lit.base10_digits().to_owned()),
            Expr::Lit(ExprLit {
                lit: Lit::Str(lit), ..
            }) => (Form::Text, lit.value()),
            Expr::Group(group) => return Self::read(&group.expr),
            Expr::Unary(ExprUnary {
                op: UnOp::Neg(_),
                expr,
                ..
            }) => {
                let number = Self::read(expr)?;
                if !matches!(number.form, Form::Integer | Form::Fraction) {
                    return Err(mistake(value));
                }
                (number.form, format!("-{}", number.text))
            }
            _ => return Err(mistake(value)),
        };
        Ok(Self { form, text })
    }
}

fn mistake(value: &Expr) -> syn::Error {
    syn::Error::new_spanned(
        value,
        "write a literal here: `true`, `-1`, `0.5` or \"2024-01-01\"",
    )
}
