//! TLS connections to PostgreSQL, and verification of the server.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model_resource_schema::model::Model;
use model_resource_store::{Query, Store};
use private_postgres::{Cluster, ClusterSettings};
use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, KeyPair};
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

use crate::database::{failure, unavailable};
use crate::dedicated_server::dedicated_server;
use crate::models::Category;

const PASSWORD: &str = "not-to-be-seen-4711";

/// Network connections need the password, encrypted or not.
const ENTRY: &str = "\
local all all trust
host all all localhost scram-sha-256
";

/// A certificate authority.
struct Authority {
    certificate: Certificate,
    key: KeyPair,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { certificate, key }
    }

    /// Issues a certificate and key for a host.
    fn certify(&self, host: &str) -> (String, String) {
        let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.certificate, &self.key).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    /// Writes the authority's certificate to a file.
    fn write(&self, folder: &Path, name: &str) -> PathBuf {
        let file = folder.join(name);
        std::fs::write(&file, self.certificate.pem()).unwrap();
        file
    }
}

/// A server whose certificate is for `localhost`.
struct Encrypted {
    server: Cluster,
    port: u16,
    authority: Authority,
    folder: TempDir,
    /// URL of the Unix socket, to inspect the connections.
    watcher: Client,
}

impl Encrypted {
    async fn start() -> Option<Self> {
        let authority = Authority::new();
        let (certificate, key) = authority.certify("localhost");
        // The port is free again when the server binds it.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let server = dedicated_server(&ClusterSettings {
            port: Some(port),
            lines: "ssl = on\n".to_owned(),
            files: vec![
                ("server.crt", certificate),
                ("server.key", key),
                ("pg_hba.conf", ENTRY.to_owned()),
            ],
        })?;
        let (watcher, connection) = tokio_postgres::connect(server.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        let sql = format!("ALTER USER postgres PASSWORD '{PASSWORD}'");
        watcher.batch_execute(&sql).await.unwrap();
        Some(Self {
            server,
            port,
            authority,
            folder: TempDir::new().unwrap(),
            watcher,
        })
    }

    fn url(&self, host: &str, options: &str) -> String {
        let port = self.port;
        format!("postgres://postgres:{PASSWORD}@{host}:{port}/postgres?{options}")
    }

    /// Whether all connections of the store are encrypted. Panics if there are none.
    async fn is_encrypted(&self) -> bool {
        let sql = "SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) \
                   WHERE a.application_name = 'model-resource'";
        self.watcher.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// Opens a store, returns whether it is encrypted, and waits until it is closed.
    async fn opens_encrypted(&self, options: &str) -> bool {
        let store = Store::open(&self.url("localhost", options)).await.unwrap();
        store.begin().await.unwrap().commit().await.unwrap();
        let is_encrypted = self.is_encrypted().await;
        drop(store);
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'model-resource'";
        while self.watcher.query_one(sql, &[]).await.unwrap().get::<_, i64>(0) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        is_encrypted
    }

    async fn refuses(&self, host: &str, options: &str) -> String {
        let cause = unavailable(Store::open(&self.url(host, options)).await);
        assert!(!cause.contains(PASSWORD), "{cause}");
        cause
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_encrypted_as_sslmode_says() {
    let Some(server) = Encrypted::start().await else {
        return;
    };
    let roots = server
        .authority
        .write(server.folder.path(), "our roots & more.pem");
    // Special characters of a path are percent-encoded.
    let roots = roots.display().to_string();
    let roots = roots.replace('/', "%2F").replace(' ', "%20").replace('&', "%26");
    let verified = format!("sslmode=verify-full&sslrootcert={roots}");
    assert!(!server.opens_encrypted("sslmode=disable").await);
    assert!(server.opens_encrypted("").await);
    assert!(server.opens_encrypted("sslmode=prefer").await);
    assert!(server.opens_encrypted("sslmode=require").await);
    assert!(server.opens_encrypted(&verified).await);

    let off = "ALTER SYSTEM SET ssl = off";
    server.watcher.batch_execute(off).await.unwrap();
    server
        .watcher
        .batch_execute("SELECT pg_reload_conf()")
        .await
        .unwrap();
    // The server notices a moment later.
    while server.opens_encrypted("sslmode=prefer").await {}
    assert!(!server.opens_encrypted("sslmode=prefer").await);
    for options in ["sslmode=require", &verified] {
        let cause = server.refuses("localhost", options).await;
        assert!(cause.contains("does not support TLS"), "{cause}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_full_rejects_another_host_and_an_unknown_authority() {
    let Some(server) = Encrypted::start().await else {
        return;
    };
    let known = server.authority.write(server.folder.path(), "known.pem");
    let known = format!("sslmode=verify-full&sslrootcert={}", known.display());
    let cause = server.refuses("127.0.0.1", &known).await;
    assert!(cause.contains("not valid for name"), "{cause}");
    // Weaker modes verify less.
    Store::open(&server.url("127.0.0.1", "sslmode=require"))
        .await
        .unwrap();

    let stranger = Authority::new().write(server.folder.path(), "stranger.pem");
    let stranger = format!("sslmode=verify-full&sslrootcert={}", stranger.display());
    for options in [stranger.as_str(), "sslmode=verify-full"] {
        let cause = server.refuses("localhost", options).await;
        assert!(cause.contains("certificate"), "{cause}");
    }
    let absent = server.url("localhost", &known.replace("known.pem", "absent.pem"));
    let cause = failure(Store::open(&absent).await);
    assert!(
        cause.contains("absent.pem") && !cause.contains(PASSWORD),
        "{cause}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_write_is_cancelled_over_tls() {
    let Some(server) = Encrypted::start().await else {
        return;
    };
    let roots = server.authority.write(server.folder.path(), "roots.pem");
    let options = format!("sslmode=verify-full&sslrootcert={}", roots.display());
    let store = Store::open(&server.url("localhost", &options)).await.unwrap();
    store.create_tables(&[Category::table()]).await.unwrap();
    let lock = "BEGIN; LOCK TABLE categories IN EXCLUSIVE MODE";
    server.watcher.batch_execute(lock).await.unwrap();
    let write = tokio::spawn({
        let store = store.clone();
        async move { store.create(Category::draft("given up")).await }
    });
    crate::cancellation::until_waiting(server.server.url(), 1).await;
    write.abort();
    assert!(write.await.unwrap_err().is_cancelled());
    store.wait_cancelled().await;
    server.watcher.batch_execute("ROLLBACK").await.unwrap();
    assert!(store.all(&Query::<Category>::new()).await.unwrap().is_empty());
}
