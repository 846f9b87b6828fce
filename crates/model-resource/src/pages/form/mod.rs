//! Forms that create and change objects, and that call views.

mod after_write;
mod field;
mod form_field;
mod page;
mod relation;

pub(crate) use after_write::{WrittenObject, creates_siblings};
pub(crate) use field::{InitialValues, form_fields};
pub(crate) use form_field::FormField;
pub(crate) use page::{FormGroup, PageForm, edit_page, new_page, one_envelope};
