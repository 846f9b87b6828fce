//! The load generator: clients that send the next request as soon as they have a response.
//!
//! It shares the processor with the server under test, so it uses as little of it as possible: per thread one loop over
//! the sockets, for each request one write and one read, and no allocation.

use std::io::{ErrorKind, Read, Write};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::answer::Answer;
use super::histogram::Histogram;
use super::process::Process;
use super::request::{Ask, Requests};
use crate::outcome::Failure;

/// Number of threads.
const THREADS: usize = 2;
/// Size of the read buffer. All connections of a thread share it, so that it stays in the processor's cache.
const BUFFER: usize = 64 * 1024;
/// Timeout for a server that sends nothing.
const SILENCE: Duration = Duration::from_secs(60);

pub(super) struct Load {
    /// Requests within the measured time; the last request of each client counts in part.
    pub(super) requests: f64,
    /// Responses, including those after the measured time.
    pub(super) answered: u64,
    pub(super) failed: u64,
    pub(super) histogram: Histogram,
}

impl Load {
    fn new() -> Self {
        Self {
            requests: 0.0,
            answered: 0,
            failed: 0,
            histogram: Histogram::new(),
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        self.requests += other.requests;
        self.answered += other.answered;
        self.failed += other.failed;
        self.histogram.merge(&other.histogram);
        self
    }
}

/// Loads a server. Calls `start` when all clients are connected.
pub(super) fn run(
    process: &Process,
    ask: Ask<'_>,
    round: u64,
    time: Duration,
    start: impl FnOnce(),
) -> Result<Load, Failure> {
    let ready = Barrier::new(THREADS + 1);
    let go = Barrier::new(THREADS + 1);
    std::thread::scope(|scope| {
        let spawn = |thread: usize| {
            let (ready, go) = (&ready, &go);
            let share = (ask.clients() + thread) / THREADS;
            let first = (round * THREADS as u64 + thread as u64) * 1000;
            scope.spawn(move || {
                let clients = Clients::connect(process, ask, first, share);
                ready.wait();
                go.wait();
                clients?.ask(Instant::now() + time)
            })
        };
        let threads: Vec<_> = (0..THREADS).map(spawn).collect();
        ready.wait();
        start();
        go.wait();
        let mut whole = Load::new();
        for thread in threads {
            whole = whole.merge(&thread.join().map_err(|_| "a thread of the load panicked")??);
        }
        Ok(whole)
    })
}

/// The clients of one thread.
struct Clients<'a> {
    poll: Poll,
    all: Vec<Client<'a>>,
}

struct Client<'a> {
    stream: TcpStream,
    requests: Requests<'a>,
    answer: Answer,
    sent: Instant,
}

impl<'a> Clients<'a> {
    fn connect(process: &'a Process, ask: Ask<'a>, first: u64, count: usize) -> Result<Self, Failure> {
        let poll = Poll::new()?;
        let mut all = Vec::new();
        for at in 0..count {
            let stream = std::net::TcpStream::connect(&process.address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            poll.registry()
                .register(&mut stream, Token(at), Interest::READABLE)?;
            all.push(Client {
                stream,
                requests: Requests::new(ask, first + at as u64, process.token.as_deref())
                    .with_keys(process.keys),
                answer: Answer::new(),
                sent: Instant::now(),
            });
        }
        Ok(Self { poll, all })
    }

    /// Sends requests until the time is over and every request has its response.
    fn ask(mut self, end: Instant) -> Result<Load, Failure> {
        let mut load = Load::new();
        let mut buffer = vec![0; BUFFER];
        let mut events = Events::with_capacity(self.all.len());
        for client in &mut self.all {
            client.send(Instant::now())?;
        }
        let mut asking = self.all.len();
        while asking > 0 {
            self.poll.poll(&mut events, Some(SILENCE))?;
            if events.is_empty() {
                return Err("a server does not answer".into());
            }
            for event in &events {
                let client = &mut self.all[event.token().0];
                let Some(status) = client.read(&mut buffer)? else {
                    continue;
                };
                let answered = Instant::now();
                load.count(status, client.sent, answered, end);
                if answered < end {
                    client.send(answered)?;
                } else {
                    asking -= 1;
                }
            }
        }
        Ok(load)
    }
}

impl Client<'_> {
    /// Sends a request at once: it is short, and the connection is idle.
    fn send(&mut self, now: Instant) -> Result<(), Failure> {
        self.sent = now;
        let request = self.requests.next();
        match self.stream.write(request)? {
            count if count == request.len() => Ok(()),
            _ => Err("a request was not taken as a whole".into()),
        }
    }

    /// Reads the available bytes. Returns the status when the response is complete.
    fn read(&mut self, buffer: &mut [u8]) -> Result<Option<u16>, Failure> {
        loop {
            let count = match self.stream.read(buffer) {
                Ok(0) => return Err("a server closed a connection".into()),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let status = self.answer.take(&buffer[..count], |_| ())?;
            // A short read means that no more bytes are available.
            if status.is_some() || count < buffer.len() {
                return Ok(status);
            }
        }
    }
}

impl Load {
    fn count(&mut self, status: u16, sent: Instant, answered: Instant, end: Instant) {
        self.answered += 1;
        if !(200..300).contains(&status) {
            self.failed += 1;
            return;
        }
        let latency = answered - sent;
        let in_time = (end - sent).as_secs_f64() / latency.as_secs_f64().max(1e-9);
        self.requests += in_time.min(1.0);
        self.histogram.add(latency);
    }
}
