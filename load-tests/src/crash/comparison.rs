//! Comparison of the journals with the rows that the api shows.

use std::collections::{BTreeMap, BTreeSet};

use crate::crash::journal::{Answer, Effect, RowName, Write};

/// A row as the api shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownRow {
    pub(crate) id: i64,
    pub(crate) content: String,
}

/// All rows that the api shows, by name; a name with two rows was written twice.
pub(crate) type ShownRows = BTreeMap<RowName, Vec<ShownRow>>;

/// Numbers of writes and of violations.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) acknowledged: u64,
    pub(crate) refused: u64,
    pub(crate) unknown: u64,
    /// Writes without an answer that are stored.
    pub(crate) unknown_stored: u64,
    /// Acknowledged changes that are not stored.
    pub(crate) lost: u64,
    /// Rows that exist twice, and unique values that were acknowledged twice.
    pub(crate) doubled: u64,
    /// Rows and contents that nobody wrote, or that a refused write has left.
    pub(crate) phantom: u64,
    /// Writes of which only a part is stored.
    pub(crate) torn: u64,
    /// Description of each violation.
    pub(crate) details: Vec<String>,
}

impl Findings {
    pub(crate) fn violations(&self) -> u64 {
        self.lost + self.doubled + self.phantom + self.torn
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.unknown_stored += other.unknown_stored;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.phantom += other.phantom;
        self.torn += other.torn;
        self.details.extend(other.details);
    }
}

/// Rows that must exist, as far as the journals up to now tell.
#[derive(Debug, Default)]
pub(crate) struct ExpectedRows {
    contents: BTreeMap<RowName, String>,
    /// Rows whose deletion was acknowledged.
    deleted: BTreeSet<RowName>,
}

impl ExpectedRows {
    /// Expects the rows that the api shows.
    pub(crate) fn new(shown: &ShownRows) -> Self {
        let mut expected = Self::default();
        expected.adopt(shown);
        expected
    }

    /// Compares the rows with the writes since the last comparison, and expects the shown rows from now on.
    ///
    /// Two clients do not change the same row, except that several may create a row of the same name. The order of the
    /// writes therefore matters only within a client.
    pub(crate) fn compare(&mut self, writes: &[Write], shown: &ShownRows) -> Findings {
        let mut findings = Findings::default();
        for write in writes {
            match write.answer {
                Answer::Acknowledged => {
                    findings.acknowledged += 1;
                    self.apply(write, &mut findings);
                }
                Answer::Refused => findings.refused += 1,
                Answer::Unknown => findings.unknown += 1,
            }
        }
        let mut torn = BTreeSet::new();
        for write in writes.iter().filter(|write| write.answer == Answer::Unknown) {
            self.settle(write, shown, &mut findings, &mut torn);
        }
        self.find_differences(writes, shown, &torn, &mut findings);
        self.adopt(shown);
        findings
    }

    fn apply(&mut self, write: &Write, findings: &mut Findings) {
        for change in &write.changes {
            let is_creation = matches!(change.effect, Effect::Created(_));
            if is_creation && self.contents.contains_key(&change.row) {
                findings.doubled += 1;
                findings
                    .details
                    .push(format!("acknowledged twice: {:?}", change.row));
            }
            match change.effect.content() {
                Some(content) => {
                    self.deleted.remove(&change.row);
                    self.contents.insert(change.row.clone(), content.clone());
                }
                None => {
                    self.contents.remove(&change.row);
                    self.deleted.insert(change.row.clone());
                }
            }
        }
    }

    /// Decides whether a write without an answer is stored.
    fn settle(
        &mut self,
        write: &Write,
        shown: &ShownRows,
        findings: &mut Findings,
        torn: &mut BTreeSet<RowName>,
    ) {
        // A change that makes no difference, such as a unique value that another client got, tells nothing.
        let open: Vec<_> = write
            .changes
            .iter()
            .filter(|change| self.contents.get(&change.row) != change.effect.content())
            .collect();
        let is_stored = |row: &RowName, content: Option<&String>| {
            shown_content(shown, row) == content.map(String::as_str)
        };
        let stored = open
            .iter()
            .filter(|change| is_stored(&change.row, change.effect.content()))
            .count();
        if stored == 0 {
            return;
        }
        if stored < open.len() {
            findings.torn += 1;
            findings
                .details
                .push(format!("{stored} of {} changes stored: {open:?}", open.len()));
            torn.extend(open.iter().map(|change| change.row.clone()));
            return;
        }
        findings.unknown_stored += 1;
        for change in open {
            match change.effect.content() {
                Some(content) => self.contents.insert(change.row.clone(), content.clone()),
                None => self.contents.remove(&change.row),
            };
        }
    }

    fn find_differences(
        &self,
        writes: &[Write],
        shown: &ShownRows,
        torn: &BTreeSet<RowName>,
        findings: &mut Findings,
    ) {
        let names: BTreeSet<&RowName> = self.contents.keys().chain(shown.keys()).collect();
        for name in names.into_iter().filter(|name| !torn.contains(*name)) {
            let rows = shown.get(name).map_or(0, Vec::len);
            if rows > 1 {
                findings.doubled += rows as u64 - 1;
                findings.details.push(format!("{rows} rows: {name:?}"));
            }
            let expected = self.contents.get(name).map(String::as_str);
            let actual = shown_content(shown, name);
            if expected == actual {
                continue;
            }
            let is_phantom = match (expected, actual) {
                (_, None) => false,
                (None, Some(_)) => !self.deleted.contains(name),
                (Some(_), Some(actual)) => is_refused(writes, name, actual),
            };
            let (count, word) = if is_phantom {
                (&mut findings.phantom, "phantom")
            } else {
                (&mut findings.lost, "lost")
            };
            *count += 1;
            findings
                .details
                .push(format!("{word}: {name:?}, expected {expected:?}, is {actual:?}"));
        }
    }

    fn adopt(&mut self, shown: &ShownRows) {
        let contents = shown.iter().filter_map(|(name, rows)| {
            let row = rows.first()?;
            Some((name.clone(), row.content.clone()))
        });
        self.contents = contents.collect();
        self.deleted.retain(|name| !shown.contains_key(name));
    }
}

fn shown_content<'s>(shown: &'s ShownRows, name: &RowName) -> Option<&'s str> {
    Some(&shown.get(name)?.first()?.content)
}

/// Whether a refused write would have given the row this content.
fn is_refused(writes: &[Write], name: &RowName, content: &str) -> bool {
    let refused = writes.iter().filter(|write| write.answer == Answer::Refused);
    refused
        .flat_map(|write| &write.changes)
        .any(|change| change.row == *name && change.effect.content().is_some_and(|wanted| wanted == content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crash::journal::Change;

    fn write(answer: Answer, changes: &[(&str, Effect)]) -> Write {
        let change = |(name, effect): &(&str, Effect)| Change {
            row: RowName::tag(name),
            effect: effect.clone(),
        };
        Write {
            changes: changes.iter().map(change).collect(),
            answer,
        }
    }

    fn created(content: &str) -> Effect {
        Effect::Created(content.to_owned())
    }

    fn shown(rows: &[(&str, &str)]) -> ShownRows {
        let mut shown = ShownRows::new();
        for (id, (name, content)) in (1..).zip(rows) {
            let content = (*content).to_owned();
            let rows = shown.entry(RowName::tag(name)).or_default();
            rows.push(ShownRow { id, content });
        }
        shown
    }

    fn findings(before: &[(&str, &str)], writes: &[Write], after: &[(&str, &str)]) -> Findings {
        ExpectedRows::new(&shown(before)).compare(writes, &shown(after))
    }

    #[test]
    fn writes_that_are_stored_once_violate_nothing() {
        let updated = Effect::Updated("2".to_owned());
        let writes = [
            write(Answer::Acknowledged, &[("a", created("1")), ("b", created("1"))]),
            write(Answer::Acknowledged, &[("a", updated)]),
            write(Answer::Acknowledged, &[("b", Effect::Deleted)]),
            write(Answer::Refused, &[("c", created("1"))]),
        ];
        let findings = findings(&[], &writes, &[("a", "2")]);
        assert_eq!(findings.violations(), 0, "{findings:?}");
        assert_eq!((findings.acknowledged, findings.refused), (3, 1));
    }

    #[test]
    fn an_acknowledged_write_that_was_never_sent_is_lost() {
        let writes = [write(Answer::Acknowledged, &[("a", created("1"))])];
        assert_eq!(findings(&[], &writes, &[]).lost, 1);
        let updated = Effect::Updated("2".to_owned());
        let writes = [write(Answer::Acknowledged, &[("a", updated)])];
        assert_eq!(findings(&[("a", "1")], &writes, &[("a", "1")]).lost, 1);
        let writes = [write(Answer::Acknowledged, &[("a", Effect::Deleted)])];
        assert_eq!(findings(&[("a", "1")], &writes, &[("a", "1")]).lost, 1);
        assert_eq!(findings(&[("a", "1")], &[], &[]).lost, 1);
    }

    #[test]
    fn a_row_that_exists_twice_and_a_unique_value_that_two_clients_got_are_doubled() {
        let once = write(Answer::Acknowledged, &[("a", created("1"))]);
        let found = findings(&[], std::slice::from_ref(&once), &[("a", "1"), ("a", "1")]);
        assert_eq!((found.doubled, found.violations()), (1, 1));
        assert_eq!(findings(&[], &[once.clone(), once], &[("a", "1")]).doubled, 1);
    }

    #[test]
    fn a_row_that_nobody_wrote_and_a_refused_write_that_is_stored_are_phantoms() {
        assert_eq!(findings(&[], &[], &[("a", "1")]).phantom, 1);
        let writes = [write(Answer::Refused, &[("a", created("1"))])];
        assert_eq!(findings(&[], &writes, &[("a", "1")]).phantom, 1);
        let updated = Effect::Updated("2".to_owned());
        let writes = [write(Answer::Refused, &[("a", updated)])];
        assert_eq!(findings(&[("a", "1")], &writes, &[("a", "2")]).phantom, 1);
    }

    #[test]
    fn a_write_without_an_answer_is_stored_completely_or_not_at_all() {
        let two = [("a", created("1")), ("b", Effect::Deleted)];
        let writes = [write(Answer::Unknown, &two)];
        let stored = |after: &[(&str, &str)]| findings(&[("b", "1")], &writes, after);
        let none = stored(&[("b", "1")]);
        assert_eq!((none.violations(), none.unknown_stored), (0, 0));
        let all = stored(&[("a", "1")]);
        assert_eq!((all.violations(), all.unknown_stored), (0, 1));
        let half = stored(&[("a", "1"), ("b", "1")]);
        assert_eq!((half.violations(), half.torn), (1, 1));
    }

    #[test]
    fn a_unique_value_without_an_answer_may_belong_to_another_client() {
        let writes = [
            write(Answer::Unknown, &[("a", created("1"))]),
            write(Answer::Acknowledged, &[("a", created("1"))]),
            write(Answer::Refused, &[("a", created("1"))]),
        ];
        assert_eq!(findings(&[], &writes, &[("a", "1")]).violations(), 0);
        assert_eq!(findings(&[], &writes, &[]).lost, 1);
    }

    #[test]
    fn a_violation_is_found_once() {
        let mut expected = ExpectedRows::default();
        let writes = [write(Answer::Acknowledged, &[("a", created("1"))])];
        assert_eq!(expected.compare(&writes, &shown(&[])).lost, 1);
        assert_eq!(expected.compare(&[], &shown(&[])).violations(), 0);
    }
}
