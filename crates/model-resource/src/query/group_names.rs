//! Names of the values of groups: in the query string, and as members of the response.

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{AnyGroupValue, CalendarUnit};

/// Function that a query applies to a field, as in `sum(fee)`.
pub(crate) struct GroupFunction {
    pub(crate) name: &'static str,
    /// Suffix of the field's name in the response.
    suffix: &'static str,
    pub(crate) of: fn(usize) -> AnyGroupValue,
}

/// Functions of keys, in `group`.
pub(crate) static KEY_FUNCTIONS: [GroupFunction; 3] = [
    GroupFunction {
        name: "day",
        suffix: "Day",
        of: |column| AnyGroupValue::Calendar(CalendarUnit::Day, column),
    },
    GroupFunction {
        name: "month",
        suffix: "Month",
        of: |column| AnyGroupValue::Calendar(CalendarUnit::Month, column),
    },
    GroupFunction {
        name: "year",
        suffix: "Year",
        of: |column| AnyGroupValue::Calendar(CalendarUnit::Year, column),
    },
];

/// Functions of aggregates, each a parameter of its own.
pub(crate) static AGGREGATE_FUNCTIONS: [GroupFunction; 5] = [
    GroupFunction {
        name: "sum",
        suffix: "Sum",
        of: AnyGroupValue::Sum,
    },
    GroupFunction {
        name: "avg",
        suffix: "Avg",
        of: AnyGroupValue::Average,
    },
    GroupFunction {
        name: "min",
        suffix: "Min",
        of: AnyGroupValue::Min,
    },
    GroupFunction {
        name: "max",
        suffix: "Max",
        of: AnyGroupValue::Max,
    },
    GroupFunction {
        name: "distinct",
        suffix: "Distinct",
        of: AnyGroupValue::CountDistinct,
    },
];

/// All values of a group that concern a column: its own as a key, its calendar units, and its aggregates.
pub(crate) fn values_of(table: &Table, column: usize) -> impl Iterator<Item = AnyGroupValue> {
    let kind = table.columns[column].data_type;
    let functions = KEY_FUNCTIONS.iter().chain(&AGGREGATE_FUNCTIONS);
    let values = functions.map(move |function| (function.of)(column));
    let values = std::iter::once(AnyGroupValue::Column(column)).chain(values);
    values.filter(move |value| value.applies_to(kind))
}

/// Name of a value in the query string: `branchId` and `month(loanedAt)` in `group`, or the parameters `count` and
/// `sum(fee)`.
pub(crate) fn group_parameter(table: &Table, value: AnyGroupValue) -> String {
    let Some(column) = value.column() else {
        return "count".to_owned();
    };
    let field = table.columns[column].wire_name();
    match function_of(value, column) {
        Some(function) => format!("{}({field})", function.name),
        None => field,
    }
}

fn function_of(value: AnyGroupValue, column: usize) -> Option<&'static GroupFunction> {
    let mut functions = KEY_FUNCTIONS.iter().chain(&AGGREGATE_FUNCTIONS);
    functions.find(|function| (function.of)(column) == value)
}

/// Name of a value as a member of the response: `branchId`, `loanedAtMonth`, `count`, `feeSum`.
pub(crate) fn group_name(table: &Table, value: AnyGroupValue) -> String {
    let Some(column) = value.column() else {
        return "count".to_owned();
    };
    let suffix = function_of(value, column).map_or("", |function| function.suffix);
    format!("{}{suffix}", table.columns[column].wire_name())
}

/// Data type of a value as it is sent. Sums of integers are integers.
pub(crate) fn group_type(table: &Table, value: AnyGroupValue) -> DataType {
    if value.is_whole_sum(table) {
        DataType::I64
    } else {
        value.data_type(table)
    }
}
