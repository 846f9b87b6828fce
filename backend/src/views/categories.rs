//! Categories: everything is automatic.

use crate::extensions::api;
use crate::models::Category;
use crate::policies::CategoryPolicy;
use crate::serializers::CategorySerializer;

/// All six operations on categories.
#[api::model_resource(Category, "/categories", "/categories/<int:id>", serializer = CategorySerializer, policy = CategoryPolicy)]
pub struct CategoryResource;
