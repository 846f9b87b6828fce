//! Description of an api as data: what routes, audits and documentation read.

use std::sync::Arc;

use http::Method;
use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{CompiledSerializer, ObjectSchema, Projection};

use crate::api::compiled::CompiledApi;
use crate::api::route_info::RouteInfo;
use crate::query::operators_of;
use crate::routing::{Action, Operation, Route};

/// Description of a compiled api; see [`CompiledApi::describe`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiDescription {
    /// Name of the api.
    pub name: String,
    /// Prefix of its URLs.
    pub prefix: String,
    /// Every URL and method that the api answers, in the order of registration.
    pub actions: Vec<ActionDescription>,
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

/// Description of a list's query parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListDescription {
    /// Fields that filters and `sort` may name. Empty if the resource finds its rows itself.
    pub filters: Vec<FilterDescription>,
    /// Fields that `q` searches.
    pub search: Vec<String>,
    /// Default page size; without one, a request that asks for no page gets all rows.
    pub page_size: Option<u64>,
    /// Maximum rows per response; `None` if only pages are limited.
    pub max_rows: Option<u64>,
    /// Query parameters that decorators and the handler read.
    pub own_parameters: Vec<&'static str>,
}

/// Description of a field that a list can be filtered and sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilterDescription {
    /// Name of the field.
    pub field: String,
    /// Data type of its values.
    pub data_type: DataType,
    /// Operators that may follow the name, as in `rating[gte]=4`.
    pub operators: Vec<&'static str>,
}

impl CompiledApi {
    /// Describes every action of the api: URLs, parameters, objects with their fields and constraints, filters, media
    /// types and access. It is made from the same data that serves requests.
    ///
    /// ```
    /// use model_resource::{Api, Model, model_resource};
    ///
    /// #[derive(Model)]
    /// struct Planet {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     #[column(max_length = 40)]
    ///     name: String,
    /// }
    ///
    /// #[model_resource(Planet, "/planets", "/planets/<int:id>")]
    /// struct PlanetResource;
    ///
    /// let api = Api::new("astronomy").model_resource::<PlanetResource>().compile();
    /// let description = api.describe();
    /// let create = description.actions.iter().find(|action| action.route.method == "POST").unwrap();
    /// let input = &create.request.as_ref().unwrap().input;
    /// assert_eq!(input[0].name, "name");
    /// assert_eq!(input[0].constraints.max_length, Some(40));
    /// ```
    pub fn describe(&self) -> ApiDescription {
        let actions = self
            .answered()
            .map(|(route, method, action)| self.describe_action(route, method, action));
        ApiDescription {
            name: self.api.name.clone(),
            prefix: self.api.prefix.clone(),
            actions: actions.collect(),
        }
    }

    fn describe_action(&self, route: &Route, method: &Method, action: &Action) -> ActionDescription {
        let table = action.binding.table;
        let serializer = |operation| self.serializer(table?, operation);
        let (request, response) = match action.operation {
            Some(operation @ (Operation::Create | Operation::Put | Operation::Patch)) => {
                (serializer(operation), serializer(Operation::Get))
            }
            Some(operation @ (Operation::Get | Operation::List)) => (None, serializer(operation)),
            Some(Operation::Delete) | None => (None, None),
        };
        let projection = response.as_ref().map(|serializer| serializer.projection());
        let list = action.list.as_ref().zip(projection);
        ActionDescription {
            route: RouteInfo::of(&route.rule, method, action),
            parameters: describe_parameters(route, action),
            model: table.map(|table| table.model),
            list: list.map(|(options, projection)| ListDescription {
                filters: describe_filters(projection, options.custom_query),
                search: options.search_names(projection.table()),
                page_size: options.page_size,
                max_rows: options.max_rows,
                own_parameters: options.own_parameters.clone(),
            }),
            request: request.map(|serializer| Arc::new(serializer.describe())),
            response: response.map(|serializer| Arc::new(serializer.describe())),
            media_types: action.negotiation.media_types().map(str::to_owned).collect(),
            max_bulk: action.bulk.as_ref().map(|bulk| bulk.options.max_items),
        }
    }

    /// Serializer of an operation.
    fn serializer(&self, table: &'static Table, operation: Operation) -> Option<Arc<CompiledSerializer>> {
        let serializers = self.api.serializers.completed(table).ok()?;
        let own = match operation {
            Operation::Create => serializers.create,
            Operation::List => serializers.many,
            Operation::Get | Operation::Put | Operation::Patch | Operation::Delete => None,
        };
        own.or(serializers.single)
    }
}

fn describe_parameters(route: &Route, action: &Action) -> Vec<ParameterDescription> {
    let names = route.rule.names().iter().enumerate();
    let described = names
        .zip(route.rule.patterns())
        .map(|((position, name), pattern)| {
            let table = action.binding.identified_table(position);
            ParameterDescription {
                name: name.clone(),
                converter: pattern.converter.name(),
                model: table.map(|table| table.model),
            }
        });
    described.collect()
}

fn describe_filters(projection: &Projection, is_custom: bool) -> Vec<FilterDescription> {
    if is_custom {
        return Vec::new();
    }
    let columns = projection
        .names()
        .filter_map(|name| Some((name, projection.data_type(name)?)));
    let described = columns.map(|(name, data_type)| FilterDescription {
        field: name.to_owned(),
        data_type,
        operators: operators_of(data_type).collect(),
    });
    described.collect()
}
