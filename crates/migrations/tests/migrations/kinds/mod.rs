//! Kinds of change: each with rows, up and down, on SQLite and on PostgreSQL, by the runner of the store.

mod columns;
mod constraints;
mod indexes;
mod kind;
mod tables;
mod types;

#[test]
fn there_are_at_least_thirty_kinds_of_change() {
    let counts = [
        columns::COUNT,
        constraints::COUNT,
        indexes::COUNT,
        tables::COUNT,
        types::COUNT,
    ];
    assert!(counts.iter().sum::<usize>() >= 30, "{counts:?}");
}
