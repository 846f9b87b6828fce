//! Limit of the bytes that the system takes of a response before the client does.

use tokio::net::TcpStream;

/// Bytes of a connection that the system holds and has not sent yet.
#[cfg(target_os = "linux")]
const MAX_UNSENT: u32 = 128 * 1024;

/// Limits what the system holds of a response beyond what the client lets it send.
///
/// Linux would take up to four megabytes, so that a list is read for a client long before it takes the rows, or never does.
#[cfg(target_os = "linux")]
pub(super) fn limit_unsent(connection: &TcpStream) {
    // Without the option the connection works as well.
    let _ = socket2::SockRef::from(connection).set_tcp_notsent_lowat(MAX_UNSENT);
}

/// Does nothing: other systems have smaller buffers, or no such option.
#[cfg(not(target_os = "linux"))]
pub(super) fn limit_unsent(_: &TcpStream) {}
