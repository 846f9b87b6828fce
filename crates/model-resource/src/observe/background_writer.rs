//! Writer of lines by a thread of its own, which no request waits for.

use std::io::{self, BufWriter, Write};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum lines that wait to be written; more are dropped.
const MAX_LINES: usize = 8192;
/// Time that the end of the process waits for the last lines, should nobody read them.
const LAST_LINES_TIMEOUT: Duration = Duration::from_secs(1);
/// Time between attempts to end a thread whose queue is full.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// Queue of the thread. A line that finds it full is dropped.
#[derive(Debug, Clone)]
pub(super) struct BackgroundWriter {
    queue: SyncSender<Queued>,
}

/// Guard of the thread. Dropping it writes the lines that still wait.
#[derive(Debug)]
pub(super) struct BackgroundGuard {
    queue: SyncSender<Queued>,
}

enum Queued {
    Line(Vec<u8>),
    /// Ends the thread, which then sends a message.
    End(SyncSender<()>),
}

impl BackgroundWriter {
    /// Starts a thread with this name, which writes the lines to `out`.
    pub(super) fn start(name: &str, out: impl Write + Send + 'static) -> io::Result<(Self, BackgroundGuard)> {
        let (queue, lines) = sync_channel(MAX_LINES);
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || write_lines(&lines, BufWriter::new(out)))?;
        let guard = BackgroundGuard { queue: queue.clone() };
        Ok((Self { queue }, guard))
    }
}

impl Write for BackgroundWriter {
    /// Puts one line into the queue.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _dropped_if_full = self.queue.try_send(Queued::Line(line.to_vec()));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for BackgroundGuard {
    fn drop(&mut self) {
        let (done, ended) = sync_channel(1);
        let give_up = Instant::now() + LAST_LINES_TIMEOUT;
        let mut end = Queued::End(done);
        while let Err(TrySendError::Full(returned)) = self.queue.try_send(end) {
            if Instant::now() > give_up {
                return;
            }
            end = returned;
            thread::sleep(RETRY_INTERVAL);
        }
        let _ = ended.recv_timeout(LAST_LINES_TIMEOUT);
    }
}

/// Writes lines until the guard is dropped, and flushes whenever none waits. Errors are ignored, because the log is where
/// they would be reported.
fn write_lines(queue: &Receiver<Queued>, mut out: impl Write) {
    while let Ok(first) = queue.recv() {
        let mut next = Some(first);
        while let Some(queued) = next {
            match queued {
                Queued::Line(line) => {
                    let _ = out.write_all(&line);
                }
                Queued::End(done) => {
                    let _ = out.flush();
                    let _ = done.send(());
                    return;
                }
            }
            next = queue.try_recv().ok();
        }
        let _ = out.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Output that waits for permission before its first write.
    struct Gated {
        gate: Option<Receiver<()>>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if let Some(gate) = self.gate.take() {
                let _ = gate.recv();
            }
            self.written.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn start() -> (BackgroundWriter, BackgroundGuard, Sender<()>, Arc<Mutex<Vec<u8>>>) {
        let (open, gate) = channel();
        let written = Arc::new(Mutex::new(Vec::new()));
        let out = Gated {
            gate: Some(gate),
            written: Arc::clone(&written),
        };
        let (writer, guard) = BackgroundWriter::start("lines", out).unwrap();
        (writer, guard, open, written)
    }

    #[test]
    fn dropping_the_guard_writes_the_lines_that_wait_in_their_order() {
        let (mut writer, guard, open, written) = start();
        for number in 0..1000 {
            writeln!(writer, "{number}").unwrap();
        }
        open.send(()).unwrap();
        drop(guard);
        let expected: String = (0..1000).map(|number| format!("{number}\n")).collect();
        assert_eq!(
            String::from_utf8(written.lock().unwrap().clone()).unwrap(),
            expected
        );
        writeln!(writer, "after the end").unwrap();
    }

    #[test]
    fn lines_beyond_the_queue_are_dropped_and_nobody_waits() {
        let (mut writer, guard, open, written) = start();
        // The first flush blocks the thread.
        writer.write_all(b"first\n").unwrap();
        let lines = 2 * MAX_LINES;
        for _ in 0..lines {
            writer.write_all(&[b'x'; 16]).unwrap();
        }
        open.send(()).unwrap();
        drop(guard);
        let bytes = written.lock().unwrap().len();
        assert!(bytes >= 16 * (MAX_LINES - 1) && bytes < 16 * lines, "{bytes}");
    }
}
