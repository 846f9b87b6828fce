//! A server that a page starts, stopped at the end of the page.

use std::net::{TcpStream, ToSocketAddrs};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::workspace::Outcome;

const START: Duration = Duration::from_secs(5 * 60);
const STOP: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// A running process group, ended together with this value.
pub(super) struct ServerProcess {
    child: Child,
    pub(super) address: String,
}

impl ServerProcess {
    /// Starts the command in a process group of its own, and waits until it listens.
    pub(super) fn start(command: &mut Command, address: &str) -> Outcome<Self> {
        if listens(address) {
            return Err(format!("something already listens on {address}: stop it first"));
        }
        let child = command
            .spawn()
            .map_err(|error| format!("cannot start bash: {error}"))?;
        let mut server = Self {
            child,
            address: address.to_owned(),
        };
        let begin = Instant::now();
        while !listens(address) {
            if let Ok(Some(status)) = server.child.try_wait() {
                return Err(format!(
                    "the server ended with {status} before it listened on {address}"
                ));
            }
            if begin.elapsed() > START {
                return Err(format!(
                    "the server does not listen on {address} after {} s",
                    START.as_secs()
                ));
            }
            sleep(PAUSE);
        }
        Ok(server)
    }

    /// Stops the server and waits for its end.
    pub(super) fn stop(&mut self) -> Outcome {
        if let Ok(Some(status)) = self.child.try_wait() {
            return Err(format!(
                "the server on {} ended by itself with {status}",
                self.address
            ));
        }
        self.signal("TERM");
        let begin = Instant::now();
        while begin.elapsed() < STOP {
            if let Ok(Some(_)) = self.child.try_wait() {
                return Ok(());
            }
            sleep(PAUSE);
        }
        Err(format!(
            "the server on {} did not stop within {} s of SIGTERM",
            self.address,
            STOP.as_secs()
        ))
    }

    fn signal(&self, name: &str) {
        // A group that has just ended cannot be signalled, and need not be.
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-s", name, "--", &group]).status();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.signal("KILL");
            let _ = self.child.wait();
        }
    }
}

fn listens(address: &str) -> bool {
    let Ok(mut addresses) = address.to_socket_addrs() else {
        return false;
    };
    addresses.any(|address| TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok())
}
