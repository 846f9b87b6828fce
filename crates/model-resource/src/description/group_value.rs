//! Description of the groups of a list.

use model_resource_schema::data_type::DataType;
use model_resource_schema::query::AnyGroupValue;
use model_resource_schema::serializer::Projection;

use crate::query::{ListOptions, group_name, group_operators_of, group_parameter, group_type, values_of};

/// Description of a value that groups of a list's rows may have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupValueDescription {
    /// Parameter that asks for it, such as `count` and `sum(fee)`; of a key its name in `group`, such as `month(loanedAt)`.
    pub parameter: String,
    /// Whether rows are grouped by it.
    pub is_key: bool,
    /// Member of the groups, such as `feeSum`.
    pub member: String,
    /// Data type of the member.
    pub data_type: DataType,
    /// Whether the member may be null.
    pub is_nullable: bool,
    /// Operators of `having`, as in `having[feeSum][gte]=4`; none of a key.
    pub operators: Vec<&'static str>,
}

/// Describes the values of groups that a caller with this projection can ask for; none if the list has no groups.
pub(super) fn describe_groups(options: &ListOptions, projection: &Projection) -> Vec<GroupValueDescription> {
    if options.aggregate.is_empty() || options.custom_query {
        return Vec::new();
    }
    let table = projection.table();
    let columns = options.aggregate.of_table(table);
    let usable = columns.filter(|(_, column)| projection.path(&column.wire_name()).is_ok());
    let values = usable.flat_map(|(position, _)| values_of(table, position));
    let values = std::iter::once(AnyGroupValue::Count).chain(values);
    let describe = |value: AnyGroupValue| {
        let data_type = group_type(table, value);
        GroupValueDescription {
            parameter: group_parameter(table, value),
            is_key: value.is_key(),
            member: group_name(table, value),
            data_type,
            is_nullable: value.is_nullable(table, false),
            operators: if value.is_key() {
                Vec::new()
            } else {
                group_operators_of(data_type).collect()
            },
        }
    };
    values.map(describe).collect()
}
