//! Messages of the browser's console.

use serde_json::Value;

/// Statuses of refused requests that a scenario provokes. Chromium prints a message for each.
#[derive(Default)]
pub(crate) struct ExpectedRefusals(Vec<u16>);

impl ExpectedRefusals {
    /// Expects one more refusal.
    pub(crate) fn add(&mut self, status: u16) {
        self.0.push(status);
    }

    /// Returns the messages that were not expected, and the refusals that did not occur.
    pub(crate) fn compare(&mut self, entries: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        for entry in entries.as_array().into_iter().flatten() {
            let message = entry["message"].as_str().unwrap_or_default();
            let refusal = self
                .0
                .iter()
                .position(|status| entry["source"] == "network" && names_status(message, *status));
            match refusal {
                Some(position) => {
                    self.0.remove(position);
                }
                None => problems.push(format!("{} {}: {message}", entry["level"], entry["source"])),
            }
        }
        let missing = self
            .0
            .drain(..)
            .map(|status| format!("no request was refused with {status}"));
        problems.extend(missing);
        problems
    }
}

fn names_status(message: &str, status: u16) -> bool {
    message.contains(&format!("responded with a status of {status} ("))
}
