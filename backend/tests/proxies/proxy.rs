//! A proxy as a process.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command};

use tempfile::TempDir;

/// A running proxy in front of three processes, killed on drop.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    child: Child,
    _folder: TempDir,
}

impl Proxy {
    pub(crate) fn haproxy(ports: [u16; 3]) -> Self {
        Self::start(ports, include_str!("haproxy.cfg"), |command, folder| {
            command.arg("-f").arg(folder.path().join("configuration"))
        })
    }

    pub(crate) fn nginx(ports: [u16; 3]) -> Self {
        Self::start_nginx(ports, include_str!("nginx.conf"))
    }

    /// Starts nginx with a cache in front of one process.
    pub(crate) fn caching_nginx(port: u16) -> Self {
        Self::start_nginx([port; 3], include_str!("nginx-cache.conf"))
    }

    /// Starts the nginx of `deploy/` in front of the process at the first port, without TLS. It redirects requests at the
    /// second port.
    pub(crate) fn deployed_nginx([port, redirect]: [u16; 2]) -> Self {
        let site = include_str!("../../../deploy/nginx.conf");
        let places = [
            ("127.0.0.1:8000;", "127.0.0.1:ONE;"),
            ("listen 80;", "listen 127.0.0.1:TWO;"),
            ("listen 443 ssl http2;", "listen 127.0.0.1:LISTEN;"),
        ];
        let site = places.iter().fold(site.to_owned(), |text, (deployed, tested)| {
            assert!(text.contains(deployed), "deploy/nginx.conf has no `{deployed}`");
            text.replace(deployed, tested)
        });
        let is_kept = |line: &&str| !line.trim_start().starts_with("ssl_");
        let site: Vec<_> = site.lines().filter(is_kept).collect();
        let around = include_str!("nginx-http.conf");
        Self::start_nginx([port, redirect, port], &around.replace("SITE", &site.join("\n")))
    }

    fn start_nginx(ports: [u16; 3], configuration: &str) -> Self {
        Self::start(ports, configuration, |command, folder| {
            let settings = "daemon off; master_process off;";
            command
                .arg("-p")
                .arg(folder.path())
                .args(["-e", "stderr", "-g", settings, "-c", "configuration"])
        })
    }

    fn start(
        ports: [u16; 3],
        configuration: &str,
        arguments: impl for<'c> Fn(&'c mut Command, &TempDir) -> &'c mut Command,
    ) -> Self {
        let program = if configuration.starts_with("# HAProxy") {
            "haproxy"
        } else {
            "nginx"
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let places = [
            ("LISTEN", address.port()),
            ("ONE", ports[0]),
            ("TWO", ports[1]),
            ("THREE", ports[2]),
        ];
        let configuration = places
            .iter()
            .fold(configuration.to_owned(), |text, (name, port)| {
                text.replace(&format!("127.0.0.1:{name}"), &format!("127.0.0.1:{port}"))
            });
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("configuration"), configuration).unwrap();
        let mut command = Command::new(program);
        // On Debian the programs are in a folder that is not in the path of ordinary users.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:/usr/sbin"));
        let child = arguments(&mut command, &folder).spawn();
        let child = child
            .unwrap_or_else(|error| panic!("cannot start {program}: {error}; call `cargo xtask proxies`"));
        Self {
            address,
            child,
            _folder: folder,
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
