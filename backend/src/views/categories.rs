//! Categories: all that is automatic.

use crate::api::ModelResource;
use crate::extensions::api;
use crate::models::Category;

/// All six operations on categories.
pub struct CategoryResource;

#[api::model_resource(Category, "/categories", "/categories/<int:id>")]
impl ModelResource for CategoryResource {
    const PUBLIC: bool = true;
}
