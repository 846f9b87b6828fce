//! Search for an order of concurrent calls that explains all answers: the algorithm of Wing and Gong, which remembers what
//! it has tried, as Lowe proposes.

use std::collections::HashSet;
use std::time::Instant;

use super::call::{Call, Version};

/// Returns the calls of one row in an order in which one client could have sent them, one after the other, and that keeps
/// those apart that did not overlap. The error has the calls that no longer fit.
pub(super) fn in_order(mut calls: Vec<Call>, initial: Version) -> Result<Vec<Call>, String> {
    calls.sort_by_key(|call| call.begin);
    Search {
        is_taken: vec![false; calls.len()],
        taken: Vec::new(),
        calls,
    }
    .run(initial)
}

struct Search {
    /// All calls, by their beginning.
    calls: Vec<Call>,
    is_taken: Vec<bool>,
    /// The order so far.
    taken: Vec<usize>,
}

/// Version of the row at a point of the search, and the calls that were not tried as the next one, with the versions after
/// them.
struct Point {
    version: Version,
    next: Vec<(usize, Version)>,
}

impl Search {
    fn run(mut self, initial: Version) -> Result<Vec<Call>, String> {
        let mut tried = HashSet::new();
        let mut furthest = (0, String::new());
        let mut points = vec![self.point(initial)];
        while let Some(point) = points.last_mut() {
            if self.taken.len() == self.calls.len() {
                return Ok(self.taken.iter().map(|number| self.calls[*number]).collect());
            }
            let Some((number, after)) = point.next.pop() else {
                if furthest.1.is_empty() || self.taken.len() > furthest.0 {
                    furthest = (self.taken.len(), self.describe(point.version));
                }
                points.pop();
                if let Some(number) = self.taken.pop() {
                    self.is_taken[number] = false;
                }
                continue;
            };
            self.is_taken[number] = true;
            if tried.insert((self.is_taken.clone(), after)) {
                self.taken.push(number);
                points.push(self.point(after));
            } else {
                self.is_taken[number] = false;
            }
        }
        Err(furthest.1)
    }

    fn point(&self, version: Version) -> Point {
        let mut next = Vec::new();
        for number in self.concurrent() {
            match self.calls[number].after(version) {
                // What changes nothing can come first: it takes no possibility from the others.
                Some(after) if after == version => {
                    next = vec![(number, after)];
                    break;
                }
                Some(after) => next.push((number, after)),
                None => {}
            }
        }
        Point { version, next }
    }

    /// Calls that may come next: those that began before the end of each other call.
    fn concurrent(&self) -> Vec<usize> {
        let mut concurrent = Vec::new();
        let mut first_end: Option<Instant> = None;
        for (number, call) in self.calls.iter().enumerate() {
            if self.is_taken[number] {
                continue;
            }
            if first_end.is_some_and(|end| end < call.begin) {
                break;
            }
            first_end = Some(first_end.map_or(call.end, |end| end.min(call.end)));
            concurrent.push(number);
        }
        concurrent
    }

    fn describe(&self, version: Version) -> String {
        let next: Vec<String> = self
            .concurrent()
            .iter()
            .map(|number| format!("{:?}", self.calls[*number]))
            .collect();
        format!(
            "after {} of {} calls the row is {version:?}, which fits none of these:\n{}",
            self.taken.len(),
            self.calls.len(),
            next.join("\n")
        )
    }
}

mod tests {
    use std::time::{Duration, Instant};

    use super::super::call::{Answer, Call, Change, Revision, Values, Version};
    use super::in_order;

    const INITIAL: Version = version(0, 0);

    const fn version(value: i64, total: i64) -> Version {
        Version {
            values: Values { value, total },
            revision: Revision::Untold,
        }
    }

    /// Beginning and end in seconds, the change, the version in `If-Match`, and the answer.
    type Row = (u64, u64, Option<Change>, Option<Version>, Answer);

    fn calls<const N: usize>(rows: [Row; N]) -> Vec<Call> {
        let start = Instant::now();
        let call = |(begin, end, sent, base, answer)| Call {
            begin: start + Duration::from_secs(begin),
            end: start + Duration::from_secs(end),
            sent,
            base,
            answer,
        };
        rows.into_iter().map(call).collect()
    }

    fn is_explained<const N: usize>(rows: [Row; N]) -> bool {
        in_order(calls(rows), INITIAL).is_ok()
    }

    #[test]
    fn a_lost_update_has_no_order() {
        let increment = |total| {
            let shown = Answer::Shown(version(0, total));
            (1, 4, Some(Change::Increment(1)), None, shown)
        };
        assert!(is_explained([increment(1), increment(2)]));
        assert!(!is_explained([increment(1), increment(1)]));
        let based = |value| {
            let shown = Answer::Shown(version(value, 0));
            (1, 4, Some(Change::Value(value)), Some(INITIAL), shown)
        };
        assert!(!is_explained([based(1), based(2)]));
    }

    #[test]
    fn a_read_sees_what_has_ended_before_it() {
        let write = (1, 3, Some(Change::Value(1)), None, Answer::Shown(version(1, 0)));
        let read = |begin, value| (begin, 5, None, None, Answer::Shown(version(value, 0)));
        assert!(is_explained([write, read(2, 0)]));
        assert!(is_explained([write, read(2, 1)]));
        assert!(is_explained([write, read(4, 1)]));
        assert!(!is_explained([write, read(4, 0)]));
        assert!(!is_explained([read(2, 1)]));
    }

    #[test]
    fn a_refusal_needs_another_version() {
        let write = (1, 3, Some(Change::Value(1)), None, Answer::Shown(version(1, 0)));
        let refused = |begin, base, current| {
            let sent = Some(Change::Value(2));
            (begin, 5, sent, Some(base), Answer::Refused(current))
        };
        assert!(is_explained([write, refused(2, INITIAL, version(1, 0))]));
        assert!(!is_explained([write, refused(2, INITIAL, INITIAL)]));
        assert!(!is_explained([write, refused(4, version(1, 0), INITIAL)]));
        assert!(!is_explained([refused(2, INITIAL, INITIAL)]));
    }

    #[test]
    fn the_order_of_overlapping_writes_is_that_of_their_answers() {
        let blind = |value| {
            let shown = Answer::Shown(version(value, 0));
            (1, 4, Some(Change::Value(value)), None, shown)
        };
        for (first, last) in [(1, 2), (2, 1)] {
            let read = (5, 6, None, None, Answer::Shown(version(last, 0)));
            let history = calls([blind(1), blind(2), read]);
            let order = in_order(history, INITIAL).unwrap();
            let answers: Vec<Answer> = order.iter().map(|call| call.answer).collect();
            let expected = [first, last, last].map(|value| Answer::Shown(version(value, 0)));
            assert_eq!(answers, expected);
        }
    }
}
