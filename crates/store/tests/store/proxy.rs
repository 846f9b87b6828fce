//! A proxy that can drop the server's responses, or a part of one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_postgres::config::Host;

/// Forwards traffic between a client and the server.
#[derive(Clone, Default)]
pub(crate) struct Proxy {
    /// Whether responses are dropped and their connections closed.
    pub(crate) is_losing: Arc<AtomicBool>,
    /// Number of bytes of responses after which one connection is closed; 0 for none.
    pub(crate) cut_after: Arc<AtomicUsize>,
    /// Number of connections made.
    pub(crate) connections: Arc<AtomicUsize>,
}

impl Proxy {
    /// Starts on a free port and returns the URL through the proxy.
    pub(crate) async fn start(url: &str) -> (Self, String) {
        let config: tokio_postgres::Config = url.parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let through = format!(
            "postgres://{}:{}@127.0.0.1:{}/{}?sslmode=disable",
            config.get_user().unwrap_or("postgres"),
            config
                .get_password()
                .map_or("", |text| std::str::from_utf8(text).unwrap()),
            listener.local_addr().unwrap().port(),
            config.get_dbname().unwrap(),
        );
        let proxy = Self::default();
        let serving = proxy.clone();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                serving.connections.fetch_add(1, Ordering::Relaxed);
                let port = config.get_ports().first().copied().unwrap_or(5432);
                match &config.get_hosts()[0] {
                    Host::Tcp(host) => {
                        let server = TcpStream::connect((host.as_str(), port)).await.unwrap();
                        serving.clone().pass(client, server);
                    }
                    Host::Unix(folder) => {
                        let socket = folder.join(format!(".s.PGSQL.{port}"));
                        let server = UnixStream::connect(socket).await.unwrap();
                        serving.clone().pass(client, server);
                    }
                }
            }
        });
        (proxy, through)
    }

    fn pass(self, client: TcpStream, server: impl AsyncRead + AsyncWrite + Send + 'static) {
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = tokio::io::split(server);
        tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
        tokio::spawn(async move {
            let mut piece = vec![0; 8192];
            while let Ok(length @ 1..) = from_server.read(&mut piece).await {
                if self.is_losing.load(Ordering::Relaxed) {
                    break;
                }
                let left = self.cut_after.load(Ordering::Relaxed);
                let passed = if left == 0 { length } else { length.min(left) };
                self.cut_after
                    .store(left.saturating_sub(passed), Ordering::Relaxed);
                let is_cut = left != 0 && left == passed;
                if to_client.write_all(&piece[..passed]).await.is_err() || is_cut {
                    break;
                }
            }
        });
    }
}
