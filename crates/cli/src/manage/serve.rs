//! `serve`: serves the api on a socket.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::time::Duration;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, Command, ValueEnum};
use model_resource::{
    ForwardedHeader, IpNetwork, Origin, QuerySyntax, RouteInfo, ServerState, Shutdown, Store, shutdown_signal,
};
use tokio::net::TcpListener;

use crate::failure::Failure;
use crate::manage::application::ManagedApplication;
use crate::manage::database::DatabaseArgs;
use crate::manage::limits::Limits;
use crate::manage::output::announce;
use crate::manage::settings::Settings;
use crate::manage::{metrics, migrate};

/// Minimum characters of the secret of cursors.
const MIN_SECRET_LENGTH: usize = 16;
/// Time to close a database whose migration is interrupted.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

// Options of the server. This is not a doc comment, which would replace the help of the program.
#[derive(Args)]
pub(crate) struct Serve {
    /// The address to listen on
    #[arg(long, env = "LISTEN", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    #[command(flatten)]
    database: DatabaseArgs,
    /// The query syntax that lists accept; that of the application by default, or `native`
    #[arg(long, env = "QUERY_SYNTAX", value_enum)]
    query_syntax: Option<SyntaxArgument>,
    /// Whether clients connect over TLS, so that session cookies are sent over TLS only; true by default unless the
    /// server listens on a loopback address
    #[arg(long, env = "SECURE_COOKIES", value_name = "BOOL")]
    secure_cookies: Option<bool>,
    /// An origin whose pages may call the api, also with a session, such as `https://app.example.com`; `*` allows all
    /// origins without a session; may be repeated
    #[arg(
        long = "cors-origin",
        env = "CORS_ORIGINS",
        value_name = "ORIGIN",
        value_delimiter = ','
    )]
    cors_origins: Vec<Origin>,
    /// Proxies that are trusted to report the client's address: addresses and networks, such as `10.0.0.0/8`
    #[arg(long, env = "TRUSTED_PROXIES", value_name = "NETWORKS", value_delimiter = ',')]
    trusted_proxies: Vec<IpNetwork>,
    /// The header in which these proxies report it; that of the application by default, or `x-forwarded-for`
    #[arg(long, env = "FORWARDED_HEADER", value_enum)]
    forwarded_header: Option<Forwarding>,
    /// Writes that one client address may make per minute without an account; 0 for any number; that of the application
    /// by default, or 60
    #[arg(long, env = "ANONYMOUS_WRITES_PER_MINUTE", value_name = "NUMBER")]
    anonymous_writes_per_minute: Option<u32>,
    /// Milliseconds for which the account of a session or token is not read again on PostgreSQL: changes by this process
    /// take effect at once, those by others after this time; 0 turns the cache off, also that of SQLite, which notices all
    /// changes
    #[arg(long, env = "CREDENTIAL_CACHE_MS", value_name = "NUMBER")]
    credential_cache_ms: Option<u64>,
    /// Hours for which the response of a request with an `Idempotency-Key` is kept for its repetitions; that of the
    /// application by default, or 24
    #[arg(long, env = "IDEMPOTENCY_KEY_HOURS", value_name = "NUMBER")]
    idempotency_key_hours: Option<u32>,
    /// Whether responses are compressed for clients that accept it; not needed if a proxy does it; that of the
    /// application by default, or true
    #[arg(long, env = "COMPRESSION", value_name = "BOOL")]
    compression: Option<bool>,
    /// Maximum price of a list query; 0 for any price; that of the application by default, or 20,000,000
    #[arg(long, env = "QUERY_BUDGET", value_name = "PRICE")]
    query_budget: Option<u64>,
    /// Seconds for which requests are still answered after SIGTERM, so that proxies learn that the server is stopping
    #[arg(long, env = "GRACE_PERIOD", value_name = "SECONDS", default_value_t = 2)]
    grace_period: u64,
    /// The secret that signs the cursors of lists, at least 16 characters; one in the database by default
    #[arg(
        long,
        env = "CURSOR_SECRET",
        value_name = "SECRET",
        hide_env_values = true,
        value_parser = parse_secret
    )]
    cursor_secret: Option<String>,
    /// The address of `/metrics` for Prometheus, which only the monitoring should reach; not served by default
    #[arg(long, env = "METRICS_LISTEN", value_name = "ADDRESS")]
    metrics_listen: Option<SocketAddr>,
    /// Milliseconds from which on a statement is logged as slow
    #[arg(
        long,
        env = "SLOW_STATEMENT_MS",
        value_name = "MILLISECONDS",
        default_value_t = 500
    )]
    slow_statement_ms: u64,
    /// Do not start if migrations are pending, instead of applying them
    #[arg(long, env = "NO_MIGRATE", action = ArgAction::SetTrue, value_parser = BoolishValueParser::new())]
    no_migrate: bool,
    // Last, because its heading is also that of the options below it.
    #[command(flatten)]
    limits: Limits,
}

#[derive(Clone, Copy, ValueEnum)]
enum SyntaxArgument {
    /// The native syntax of model-resource
    Native,
    /// The native syntax and that of react-admin's `ra-data-simple-rest`
    SimpleRest,
}

#[derive(Clone, Copy, ValueEnum)]
enum Forwarding {
    /// `X-Forwarded-For`, which nearly all proxies send
    XForwardedFor,
    /// `Forwarded` (RFC 7239)
    Forwarded,
}

impl Serve {
    /// Adds the options to a command.
    pub(crate) fn add_options(command: Command) -> Command {
        Self::augment_args(command).next_help_heading(None::<&'static str>)
    }

    pub(crate) async fn run(self, application: &ManagedApplication) -> Result<(), Failure> {
        // Before the database is opened, so that no signal kills the process from here on.
        let mut signal = pin!(shutdown_signal());
        // Panics if the api has startup errors, before there is a database to close.
        let public_writes = application.public_writes();
        let opened = tokio::select! {
            opened = Store::open(self.database_url()) => Some(opened?),
            _ = &mut signal => None,
        };
        let Some(store) = opened else {
            announce_early_stop(application);
            return Ok(());
        };
        let prepared = tokio::select! {
            prepared = self.prepare(application, &store) => Some(prepared),
            _ = &mut signal => None,
        };
        let outcome = match prepared {
            None => {
                // A migration that takes longer is rolled back by the database.
                let _ = tokio::time::timeout(CLOSE_TIMEOUT, store.close()).await;
                announce_early_stop(application);
                return Ok(());
            }
            Some(Err(failure)) => Err(failure),
            Some(Ok(())) => {
                self.listen(application, &public_writes, store.clone(), signal)
                    .await
            }
        };
        store.close().await;
        outcome?;
        tracing::info!("stopped");
        announce_stop(application);
        Ok(())
    }

    fn database_url(&self) -> &str {
        if self.no_migrate {
            self.database.url_to_inspect()
        } else {
            &self.database.database
        }
    }

    /// Applies the migrations of the database, or only checks them.
    async fn prepare(&self, application: &ManagedApplication, store: &Store) -> Result<(), Failure> {
        if self.no_migrate {
            migrate::check_migrated(application, store, &self.database).await?;
        } else {
            for migration in application.migrate(store).await? {
                tracing::info!(%migration, "applied a migration");
            }
        }
        if let Err(error) = store.check_writable().await {
            tracing::warn!(%error, "the database accepts no writes");
        }
        Ok(())
    }

    /// Serves the api until the signal.
    async fn listen(
        self,
        application: &ManagedApplication,
        public_writes: &[RouteInfo],
        store: Store,
        signal: Pin<&mut impl Future<Output = Shutdown>>,
    ) -> Result<(), Failure> {
        let store = store.slow_statements(Duration::from_millis(self.slow_statement_ms));
        let listener = TcpListener::bind(self.listen).await.map_err(|error| {
            format!(
                "cannot listen at {}: {error}; choose another address with --listen",
                self.listen
            )
        })?;
        let address = listener.local_addr()?;
        let server = self
            .limits
            .apply(application.server())
            .trusted_proxies(self.trusted_proxies.iter().copied())
            .grace_period(Duration::from_secs(self.grace_period))
            .access_log();
        if let Some(address) = self.metrics_listen {
            metrics::serve(&application.names, address, server.state(), store.clone()).await?;
        }
        self.print_start(application, public_writes, address);
        let app = application.service(store, &self.settings(address, server.state()));
        let signal = async {
            let shutdown = signal.await;
            tracing::info!("stopping");
            shutdown
        };
        server.serve(listener, app, signal).await;
        Ok(())
    }

    fn print_start(
        &self,
        application: &ManagedApplication,
        public_writes: &[RouteInfo],
        address: SocketAddr,
    ) {
        let names = &application.names;
        tracing::info!(
            name = names.name,
            version = names.version,
            commit = names.commit,
            %address,
            database = self.database.shown(),
            "started"
        );
        announce(&format!(
            "{} listens at http://{address}, its database is {}",
            application.names.name,
            self.database.shown()
        ));
        for line in public_lines(public_writes) {
            announce(&format!("anyone may: {line}"));
        }
        if let Some(hints) = &application.hints {
            announce(&hints(address));
        }
    }

    /// Returns the settings of the application at this address.
    fn settings(self, address: SocketAddr, server: ServerState) -> Settings {
        let limits = self.limits;
        let settings = Settings {
            query_syntax: self.query_syntax.map(|syntax| match syntax {
                SyntaxArgument::Native => QuerySyntax::Native,
                SyntaxArgument::SimpleRest => QuerySyntax::SimpleRest,
            }),
            secure_cookies: self.secure_cookies.unwrap_or(!address.ip().is_loopback()),
            cors_origins: self.cors_origins,
            trusted_proxies: self.trusted_proxies,
            forwarded_header: self.forwarded_header.map(|header| match header {
                Forwarding::XForwardedFor => ForwardedHeader::XForwardedFor,
                Forwarding::Forwarded => ForwardedHeader::Forwarded,
            }),
            anonymous_writes_per_minute: self.anonymous_writes_per_minute,
            query_budget: self.query_budget,
            idempotency_key_lifetime: self
                .idempotency_key_hours
                .map(|hours| Duration::from_secs(60 * 60 * u64::from(hours))),
            compression: self.compression,
            cursor_secret: self.cursor_secret,
            credential_cache: self.credential_cache_ms.map(Duration::from_millis),
            metrics: self.metrics_listen.is_some(),
            access_log: true,
            server,
            ..Settings::default()
        };
        limits.add_to(settings)
    }
}

fn announce_early_stop(application: &ManagedApplication) {
    tracing::info!("stopped before the database was open");
    announce_stop(application);
}

fn announce_stop(application: &ManagedApplication) {
    announce(&format!("{} has stopped", application.names.name));
}

/// Rejects a secret that can be guessed.
fn parse_secret(text: &str) -> Result<String, String> {
    if text.chars().count() < MIN_SECRET_LENGTH {
        return Err(format!("a secret has at least {MIN_SECRET_LENGTH} characters"));
    }
    Ok(text.to_owned())
}

/// Formats the routes, one line per URL with its methods.
fn public_lines(writes: &[RouteInfo]) -> impl Iterator<Item = String> {
    writes.chunk_by(|one, next| one.url == next.url).map(|lines| {
        let methods: Vec<&str> = lines.iter().map(|line| line.method.as_str()).collect();
        format!("{} {}", methods.join(", "), lines[0].url)
    })
}
