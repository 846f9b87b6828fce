//! A bound or a default, as its wire form.

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// A literal of an option, kept as the text that the schema reads.
pub(super) struct Literal {
    pub(super) form: Form,
    pub(super) text: String,
}

/// How a literal was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Bool,
    Integer,
    Fraction,
    Text,
}

impl Literal {
    /// Reads `true`, `-1`, `0.5` or `"2024-01-01"`.
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
                    return Err(refusal(value));
                }
                (number.form, format!("-{}", number.text))
            }
            _ => return Err(refusal(value)),
        };
        Ok(Self { form, text })
    }
}

fn refusal(value: &Expr) -> syn::Error {
    syn::Error::new_spanned(
        value,
        "write a literal here: `true`, `-1`, `0.5` or \"2024-01-01\"",
    )
}
