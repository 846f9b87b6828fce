//! Cancel requests, which end when the server has received them.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::config::Host;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{CancelToken, Config};

use super::TlsConnector;

/// Port of a server whose URL has none.
const DEFAULT_PORT: u16 = 5432;

/// Asks the server at an address to cancel what a connection runs. Waits until the server closes the connection of the
/// request: otherwise the request could arrive late, and PgBouncer before 1.20 ends itself if a client does not wait.
pub(super) async fn cancel(token: &CancelToken, host: &Config, mut tls: TlsConnector) -> io::Result<()> {
    let stream = ClosedByPeer(open(host).await?);
    let name = match host.get_hosts().first() {
        Some(Host::Tcp(name)) => name.as_str(),
        _ => "",
    };
    let tls = MakeTlsConnect::<ClosedByPeer>::make_tls_connect(&mut tls, name).map_err(io::Error::other)?;
    token
        .cancel_query_raw(stream, tls)
        .await
        .map_err(io::Error::other)
}

async fn open(host: &Config) -> io::Result<Box<dyn Socket>> {
    let port = host.get_ports().first().copied().unwrap_or(DEFAULT_PORT);
    if let Some(address) = host.get_hostaddrs().first() {
        return Ok(Box::new(TcpStream::connect((*address, port)).await?));
    }
    match host.get_hosts().first() {
        Some(Host::Tcp(name)) => Ok(Box::new(TcpStream::connect((name.as_str(), port)).await?)),
        Some(Host::Unix(folder)) => {
            let socket = folder.join(format!(".s.PGSQL.{port}"));
            Ok(Box::new(UnixStream::connect(socket).await?))
        }
        None => Err(io::Error::other("the database URL has no host")),
    }
}

trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Socket for S {}

/// A stream that the peer closes: shutting it down waits for that.
struct ClosedByPeer(Box<dyn Socket>);

impl AsyncRead for ClosedByPeer {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(cx, out)
    }
}

impl AsyncWrite for ClosedByPeer {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut bytes = [0; 64];
        loop {
            let mut read = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut *self.0).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
