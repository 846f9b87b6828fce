use model_resource_schema::column::Table;
use model_resource_schema::query::{Comparison, Predicate};
use model_resource_schema::table_constraints::{IndexColumn, RowCondition, TableIndex};
use model_resource_schema::value::Value;

use super::kind::{Kind, LINES, NAME, ROWS, SIZE, kind, kinds, tags};

fn is_large() -> RowCondition {
    RowCondition::Compare(2, Predicate::Is(Comparison::Gt, Value::Int(8)))
}

fn indexed(indexes: &'static [TableIndex]) -> Table {
    tags([NAME, SIZE]).indexes(indexes)
}

/// Returns a change of indexes, which keeps the rows.
fn reindexed(before: &'static [TableIndex], after: &'static [TableIndex]) -> Kind {
    kind([indexed(before)], [indexed(after)])
        .rows(ROWS)
        .up("tags", "id, name, size", LINES)
        .down("tags", "id, name, size", LINES)
}

const BY_NAME: TableIndex = TableIndex::new(&[IndexColumn::ascending(1)]);
const BY_BOTH: TableIndex = TableIndex::new(&[IndexColumn::ascending(2), IndexColumn::ascending(1)]);
const DESCENDING: TableIndex = TableIndex::new(&[IndexColumn::descending(1)]);

kinds! {
    an_index_is_created => reindexed(&[], const { &[BY_NAME] });
    an_index_is_removed => reindexed(const { &[BY_NAME] }, &[]);
    the_columns_of_an_index_change => reindexed(
        const { &[BY_NAME.name("lookup")] },
        const { &[BY_BOTH.name("lookup")] },
    );
    the_order_of_an_index_changes => reindexed(
        const { &[BY_NAME] },
        &[DESCENDING],
    );
    the_condition_of_an_index_changes => reindexed(const { &[BY_NAME] }, const { &[BY_NAME.filter(is_large)] });
    an_index_is_renamed => reindexed(const { &[BY_NAME] }, const { &[BY_NAME.name("tags_lookup")] });
}
