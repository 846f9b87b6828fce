//! Conditions that the values of a row decide: a lookup by key evaluates them in the process, not in the database.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::query::{AnyWhere, Comparison, Predicate};
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, Store};
use uuid::Uuid;

use crate::database::on;

static CARDS: Table = Table::new(
    "cards",
    "Card",
    &[
        Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
        Column::new("public", DataType::Bool).nullable(true),
        Column::new("owner_id", DataType::I64).nullable(true),
        Column::new("team", DataType::Uuid).nullable(true),
        Column::new("title", DataType::Text),
    ],
);
const ROWS: i64 = 4;

fn values(column: usize) -> Vec<Value> {
    match column {
        1 => vec![Value::Bool(false), Value::Bool(true)],
        2 => vec![Value::Int(7), Value::Int(-8), Value::Int(i64::MAX)],
        3 => [1, 2].map(|number| Value::Uuid(Uuid::from_u128(number))).into(),
        _ => vec![Value::Text("a".to_owned())],
    }
}

fn compare(column: usize, predicate: Predicate) -> AnyWhere {
    match AnyWhere::equals(&CARDS, column, Value::Null) {
        AnyWhere::Compare(path, _) => AnyWhere::Compare(path, predicate),
        other => panic!("{other:?}"),
    }
}

/// All predicates on a column.
fn predicates(column: usize) -> Vec<AnyWhere> {
    let comparisons = [
        Comparison::Eq,
        Comparison::Ne,
        Comparison::Gt,
        Comparison::Gte,
        Comparison::Lt,
        Comparison::Lte,
    ];
    let values = values(column);
    let mut all = vec![Predicate::Null(true), Predicate::Null(false)];
    all.extend([Predicate::OneOf(Vec::new()), Predicate::NoneOf(Vec::new())]);
    all.extend([
        Predicate::OneOf(values.clone()),
        Predicate::NoneOf(values[..1].to_vec()),
    ]);
    all.push(Predicate::Between(
        values[0].clone(),
        values[values.len() - 1].clone(),
    ));
    for value in values {
        all.extend(comparisons.map(|comparison| Predicate::Is(comparison, value.clone())));
    }
    if column == 2 {
        all.extend(comparisons.map(|comparison| Predicate::IsColumn(comparison, 0)));
    }
    all.into_iter()
        .map(|predicate| compare(column, predicate))
        .collect()
}

on!(a_lookup_by_key_selects_what_the_database_selects: in_memory, postgres);
async fn a_lookup_by_key_selects_what_the_database_selects(store: Store) {
    store.create_tables(&[&CARDS]).await.unwrap();
    for number in 0..ROWS {
        let mut draft = AnyDraft::new(&CARDS);
        draft.set(4, Value::Text("a".to_owned()));
        for column in 1..4 {
            let values = values(column);
            let value = usize::try_from(number)
                .ok()
                .and_then(|number| values.get(number).cloned());
            draft.set(column, value.unwrap_or(Value::Null));
        }
        store.insert_any(draft).await.unwrap();
    }
    let simple: Vec<AnyWhere> = (1..4).flat_map(predicates).collect();
    let mut conditions = simple.clone();
    for (number, one) in simple.iter().enumerate() {
        let other = simple[(number * 7 + 3) % simple.len()].clone();
        conditions.push(AnyWhere::Not(Box::new(one.clone())));
        conditions.push(AnyWhere::Likely(Box::new(AnyWhere::Or(vec![
            one.clone(),
            other.clone(),
        ]))));
        conditions.push(AnyWhere::Not(Box::new(AnyWhere::And(vec![
            one.clone(),
            other.clone(),
        ]))));
        conditions.push(AnyWhere::And(vec![AnyWhere::Not(Box::new(one.clone())), other]));
    }
    let mut queries: Vec<AnyQuery> = conditions
        .into_iter()
        .map(|condition| AnyQuery::from(&CARDS).restrict(condition))
        .collect();
    for column in 1..4 {
        for value in values(column).into_iter().chain([Value::Null]) {
            queries.push(AnyQuery::from(&CARDS).filter(column, value));
        }
    }
    let mut selected = 0;
    for query in &queries {
        assert!(query.is_decided_by_row(), "{query:?}");
        for id in 1..=ROWS {
            let found = store.find_any(query, Value::Int(id)).await.unwrap().is_some();
            let exists = store.exists_any(query, Value::Int(id)).await.unwrap();
            assert_eq!(found, exists, "row {id} of {query:?}");
            selected += usize::from(found);
        }
    }
    assert!(selected > queries.len());
}

on!(conditions_on_texts_are_left_to_the_database: in_memory, postgres);
async fn conditions_on_texts_are_left_to_the_database(store: Store) {
    store.create_tables(&[&CARDS]).await.unwrap();
    for condition in predicates(4) {
        let either = AnyWhere::Or(vec![condition.clone(), compare(1, Predicate::Null(true))]);
        for condition in [condition, either] {
            assert!(!AnyQuery::from(&CARDS).restrict(condition).is_decided_by_row());
        }
    }
    assert!(
        !AnyQuery::from(&CARDS)
            .filter(4, Value::Text("a".to_owned()))
            .is_decided_by_row()
    );
}
