//! Progress of long commands on the terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Number of characters of the bar.
const WIDTH: usize = 40;
/// Minimum time between two changes on the terminal.
const INTERVAL: Duration = Duration::from_millis(100);
/// Moves to the begin of the line, and removes what is on it.
const CLEAR: &str = "\r\x1b[K";

/// Progress of long work, such as a seed, on the terminal: `[####----] 500/1000 books, 3 s left`.
///
/// The line is on standard error, and removed at the end. Nothing is shown if standard error is no terminal.
///
/// ```
/// use model_resource_cli::ProgressBar;
///
/// let mut progress = ProgressBar::new(1000, "books");
/// for _ in 0..10 {
///     // A hundred books are written.
///     progress.advance(100);
/// }
/// progress.finish();
/// println!("1000 books added");
/// ```
#[derive(Debug)]
pub struct ProgressBar {
    total: usize,
    done: usize,
    things: String,
    begin: Instant,
    /// Time of the last change on the terminal; `None` if there is no terminal.
    shown: Option<Instant>,
}

impl ProgressBar {
    /// Shows the progress of work on a number of things, which have a name in the plural.
    pub fn new(total: usize, things: impl Into<String>) -> Self {
        let begin = Instant::now();
        let progress = Self {
            total,
            done: 0,
            things: things.into(),
            begin,
            shown: io::stderr().is_terminal().then_some(begin),
        };
        progress.show();
        progress
    }

    /// Adds a number of things that are done.
    pub fn advance(&mut self, count: usize) {
        self.done += count;
        let now = Instant::now();
        if self.shown.is_some_and(|shown| now - shown >= INTERVAL) {
            self.shown = Some(now);
            self.show();
        }
    }

    /// Removes the line. Dropping the value has the same effect.
    pub fn finish(self) {}

    fn show(&self) {
        self.write(&self.line(self.begin.elapsed()));
    }

    /// Replaces the line on the terminal, if there is one. Work goes on if it has been closed.
    fn write(&self, line: &str) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "{CLEAR}{line}");
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let done = self.done.min(self.total);
        let filled = (WIDTH * done).checked_div(self.total).unwrap_or(WIDTH);
        let bar = "#".repeat(filled) + &"-".repeat(WIDTH - filled);
        let line = format!("[{bar}] {}/{} {}", self.done, self.total, self.things);
        if done == 0 {
            return line;
        }
        let left = elapsed.as_secs_f64() * (self.total - done) as f64 / done as f64;
        format!("{line}, {left:.0} s left")
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.write("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(done: usize, total: usize, seconds: u64) -> String {
        let mut progress = ProgressBar::new(total, "books");
        progress.advance(done);
        progress.line(Duration::from_secs(seconds))
    }

    #[test]
    fn a_line_has_the_part_that_is_done_and_the_time_that_is_left() {
        let (full, empty) = ("#".repeat(10), "-".repeat(30));
        assert_eq!(
            line(25, 100, 4),
            format!("[{full}{empty}] 25/100 books, 12 s left")
        );
        assert_eq!(line(0, 100, 4), format!("[{}] 0/100 books", "-".repeat(40)));
    }

    #[test]
    fn a_wrong_total_is_no_error() {
        let full = "#".repeat(40);
        assert_eq!(line(3, 2, 4), format!("[{full}] 3/2 books, 0 s left"));
        assert_eq!(line(0, 0, 4), format!("[{full}] 0/0 books"));
    }
}
