//! Description of a list's query parameters.

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::Projection;

use crate::description::group_value::{GroupValueDescription, describe_groups};
use crate::query::{ListOptions, operators_of};

/// Description of a list's query parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListDescription {
    /// Fields that filters and `sort` may name. Empty if the resource finds its rows itself.
    pub filters: Vec<FilterDescription>,
    /// Relations that filters and `sort` may name. Empty if the resource finds its rows itself.
    pub relations: Vec<RelationDescription>,
    /// Order without `sort`, in its syntax, as in `-createdAt`; empty if it is that of the keys. It does not say where rows
    /// without a value come.
    pub order: Vec<String>,
    /// Fields that `q` searches.
    pub search: Vec<String>,
    /// Values of groups that the list can be aggregated to; empty if it cannot.
    pub groups: Vec<GroupValueDescription>,
    /// Default page size; without one, a request that asks for no page gets all rows.
    pub page_size: Option<u64>,
    /// Maximum rows per response; `None` if only pages are limited.
    pub max_rows: Option<u64>,
    /// Whether `deleted` shows deleted objects.
    pub shows_deleted: bool,
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

/// Description of a relation that a list can be filtered and sorted by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelationDescription {
    /// Name of the relation.
    pub field: String,
    /// Data type of the keys that `[has]` may follow the name with, as in `tags[has]=1,2`; `None` if the caller does not
    /// see the keys.
    pub key_type: Option<DataType>,
    /// Whether `sort` may name the number of the related objects, as in `sort=-tags.count`.
    pub is_counted: bool,
}

impl ListDescription {
    /// Describes a list whose objects have the fields of this projection.
    pub(super) fn of(options: &ListOptions, projection: &Projection) -> Self {
        let is_usable = |name: &String| projection.path(name).is_ok();
        let searched = options.search_names(projection.table()).into_iter();
        Self {
            filters: if options.custom_query {
                Vec::new()
            } else {
                describe_filters(projection)
            },
            relations: if options.custom_query {
                Vec::new()
            } else {
                describe_relations(projection)
            },
            order: describe_order(options, projection),
            search: searched.filter(is_usable).collect(),
            groups: describe_groups(options, projection),
            page_size: options.page_size,
            max_rows: options.max_rows,
            shows_deleted: false,
            own_parameters: options.own_parameters.clone(),
        }
    }
}

fn describe_order(options: &ListOptions, projection: &Projection) -> Vec<String> {
    let described = options.visible_order(projection).map(|key| {
        let sign = if key.descending { "-" } else { "" };
        format!("{sign}{}", key.path.column().wire_name())
    });
    described.collect()
}

fn describe_relations(projection: &Projection) -> Vec<RelationDescription> {
    let described = projection.relation_names().map(|name| {
        let key = projection.related_key(name).ok();
        RelationDescription {
            field: name.to_owned(),
            key_type: key.and_then(|key| key.data_type()),
            is_counted: projection.related_count(name).is_ok(),
        }
    });
    described.collect()
}

fn describe_filters(projection: &Projection) -> Vec<FilterDescription> {
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
