//! A model without anything special.

use model_resource::Model;

#[derive(Model)]
pub(crate) struct Note {
    #[column(primary_key)]
    pub(crate) id: i64,
    pub(crate) text: String,
}
