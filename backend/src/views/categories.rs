//! Categories: everything is automatic.

use crate::extensions::api;
use crate::models::Category;

/// All six operations on categories.
#[api::model_resource(Category, "/categories", "/categories/<int:id>")]
pub struct CategoryResource;
