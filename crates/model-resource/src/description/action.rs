//! Description of the actions of an api.

use std::sync::Arc;

use model_resource_schema::query::RowScope;
use model_resource_schema::serializer::ObjectSchema;

use crate::description::handler_schemas::HandlerSchemas;
use crate::description::list::ListDescription;
use crate::description::model::ModelDescription;
use crate::description::route_info::RouteInfo;

/// Description of a compiled api; see [`CompiledApi::describe`](crate::CompiledApi::describe).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiDescription {
    /// Name of the api.
    pub name: String,
    /// Prefix of its URLs.
    pub prefix: String,
    /// Actions of the application's resources and views, in the order of registration.
    pub actions: Vec<Arc<ActionDescription>>,
    /// Resources that the actions belong to.
    pub resources: Vec<ResourceDescription>,
    /// Models of the resources.
    pub models: Vec<ModelDescription>,
}

impl ApiDescription {
    /// Description of a model, if a resource serves it.
    pub fn model(&self, name: &str) -> Option<&ModelDescription> {
        self.models.iter().find(|model| model.name == name)
    }

    /// Description of a resource by its endpoint.
    pub fn resource(&self, endpoint: &str) -> Option<&ResourceDescription> {
        self.resources
            .iter()
            .find(|resource| resource.endpoint == endpoint)
    }
}

/// Description of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceDescription {
    /// Endpoint, such as `article_resource`.
    pub endpoint: &'static str,
    /// Name of the model.
    pub model: &'static str,
    /// Documentation, in Markdown: the doc comment of the resource, or else that of the model. Empty if there is none.
    pub description: &'static str,
}

/// Description of one HTTP method of one URL.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ActionDescription {
    /// URL, method, operation, handler, decorators and access rule.
    pub route: RouteInfo,
    /// Endpoint of the resource or view, such as `article_resource`.
    pub endpoint: &'static str,
    /// Short text for people: the first sentence of the handler's doc comment, or else one from the operation, such as
    /// `List articles`.
    pub summary: String,
    /// Documentation, in Markdown: the rest of the handler's doc comment. Empty if there is none.
    pub description: String,
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
    /// Schemas from the signature of a view or a custom operation, if there are any.
    pub handler: Option<Arc<HandlerSchemas>>,
    /// Query parameters of a list.
    pub list: Option<ListDescription>,
    /// Media types of the response, the preferred ones first.
    pub media_types: Vec<String>,
    /// Whether the model has soft deletion, so that a deleted row stays in the database.
    pub soft_delete: bool,
    /// Whether the action restores a deleted object.
    pub restores: bool,
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
    /// Name in JSON of the column of that model which has the value of the parameter.
    pub key: Option<String>,
    /// Name in JSON of the column of the action's model that has one value at the URL because of the parameter: the
    /// key of the object, or the foreign key to the parent that the parameter identifies. `None` if there is no such
    /// column.
    pub column: Option<String>,
}
