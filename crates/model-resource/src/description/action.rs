//! Description of the actions of an api.

use std::sync::Arc;

use model_resource_schema::query::RowScope;
use model_resource_schema::serializer::ObjectSchema;

use crate::description::list::ListDescription;
use crate::description::route_info::RouteInfo;

/// Description of a compiled api; see [`CompiledApi::describe`](crate::CompiledApi::describe).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiDescription {
    /// Name of the api.
    pub name: String,
    /// Prefix of its URLs.
    pub prefix: String,
    /// Every URL and method that the api answers, in the order of registration.
    pub actions: Vec<Arc<ActionDescription>>,
}

/// Description of one HTTP method of one URL.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ActionDescription {
    /// URL, method, operation, handler, decorators and access rule.
    pub route: RouteInfo,
    /// URL parameters, in their order.
    pub parameters: Vec<ParameterDescription>,
    /// Model of the resource; `None` for a view.
    pub model: Option<&'static str>,
    /// Rows of the URL that the action can be applied to. [`RowScope::Some`] if a policy decides it by their values,
    /// and in [`CompiledApi::describe`](crate::CompiledApi::describe) also if it decides by the caller. `None` for a
    /// view and for `create`.
    pub rows: Option<RowScope>,
    /// Object that a request body is loaded into, if there is one.
    pub request: Option<Arc<ObjectSchema>>,
    /// Object of the response, or of a list; `None` if the action responds without one, and for views.
    pub response: Option<Arc<ObjectSchema>>,
    /// Query parameters of a list.
    pub list: Option<ListDescription>,
    /// Media types of the response, the preferred ones first.
    pub media_types: Vec<String>,
    /// Maximum objects per request, if the method takes many at once.
    pub max_bulk: Option<usize>,
    /// Name of the field that identifies the objects of a request that updates or deletes many: a member of each
    /// object, or a query parameter of DELETE.
    pub bulk_key: Option<String>,
}

/// Description of a URL parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParameterDescription {
    /// Name of the parameter.
    pub name: String,
    /// Converter of the URL rule, such as `int`.
    pub converter: String,
    /// Model whose rows the parameter identifies; `None` if it limits no rows.
    pub model: Option<&'static str>,
}
