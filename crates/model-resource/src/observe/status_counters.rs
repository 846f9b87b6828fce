//! Counters of responses by their status.

use std::sync::OnceLock;

use metrics::{Counter, Label, counter};

/// Statuses whose counters are kept, because the framework answers with them. Others are looked up.
const KEPT: [u16; 23] = [
    200, 201, 204, 206, 207, 304, 307, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422, 429, 499,
    500, 503,
];

/// Counters of one route and method, each created at its first response.
pub(super) struct StatusCounters {
    labels: Vec<Label>,
    kept: [OnceLock<Counter>; KEPT.len()],
}

impl StatusCounters {
    pub(super) fn new(labels: Vec<Label>) -> Self {
        Self {
            labels,
            kept: Default::default(),
        }
    }

    pub(super) fn count(&self, status: u16) {
        match KEPT.binary_search(&status) {
            Ok(position) => self.kept[position]
                .get_or_init(|| self.counter(status))
                .increment(1),
            Err(_) => self.counter(status).increment(1),
        }
    }

    fn counter(&self, status: u16) -> Counter {
        let mut labels = self.labels.clone();
        labels.push(Label::new("status", status.to_string()));
        counter!("http_requests_total", labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kept_statuses_are_in_order() {
        assert!(KEPT.is_sorted());
    }
}
