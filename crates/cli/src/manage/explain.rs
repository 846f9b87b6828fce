//! `explain`: the SQL and the query plan of a list.

use axum::body::to_bytes;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use http::Uri;
use model_resource::{Caller, Context, Store};
use serde_json::Value;

use crate::failure::Failure;
use crate::manage::application::ManagedApplication;
use crate::manage::database::DatabaseArgs;
use crate::manage::migrate::check_migrated;
use crate::manage::output::print;

/// Maximum bytes of the response.
const MAX_RESPONSE: usize = 1024 * 1024;
/// Option with the name of the caller.
const USER: &str = "user";

/// Prints the SQL of a list, the database's query plan, and filters and sort keys without an index
#[derive(Args)]
struct ListUrl {
    /// The URL of the list, such as '/api/v1/articles?sort=-createdAt'
    url: Uri,
}

/// A list, its caller and its database.
pub(crate) struct Explain {
    url: Uri,
    user: Option<String>,
    database: DatabaseArgs,
}

impl Explain {
    /// Returns the command, with the option `--user` if the application can find accounts.
    pub(crate) fn command(application: &ManagedApplication) -> Command {
        let mut command = ListUrl::augment_args(Command::new("explain"));
        if application.find_caller.is_some() {
            let user = Arg::new(USER).long(USER).value_name("NAME");
            command =
                command.arg(user.help("The caller, by e-mail address or user name; anonymous by default"));
        }
        DatabaseArgs::augment_args(command)
    }

    pub(crate) fn from_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            url: ListUrl::from_arg_matches(matches)?.url,
            user: matches.try_get_one::<String>(USER).ok().flatten().cloned(),
            database: DatabaseArgs::from_arg_matches(matches)?,
        })
    }

    pub(crate) async fn run(self, application: &ManagedApplication) -> Result<(), Failure> {
        let store = Store::open(self.database.url_to_inspect()).await?;
        let explained = self.explain(application, &store).await;
        store.close().await;
        Ok(print(&explained?)?)
    }

    /// Returns the text about the list.
    async fn explain(&self, application: &ManagedApplication, store: &Store) -> Result<String, Failure> {
        check_migrated(application, store, &self.database).await?;
        let caller = caller(application, store, self.user.as_deref()).await?;
        // No login is needed by those who can open the database.
        let response = application
            .api()
            .known_callers(move |_: &Context| Some(caller.clone()))
            .store(store.clone())
            .into_service()
            .explain(self.url.clone())
            .await;
        let status = response.status();
        let body = to_bytes(response.into_body(), MAX_RESPONSE)
            .await
            .map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (Some(sql), Some(plan)) = (answer["sql"].as_str(), answer["plan"].as_array()) else {
            let message = answer["message"].as_str().unwrap_or("not a list of the api");
            return Err(format!("cannot explain {}: {status}: {message}", self.url).into());
        };
        let lacking = match answer["unindexed"].as_array() {
            Some(lacking) if !lacking.is_empty() => format!("without an index:\n{}", lines(lacking)),
            _ => "nothing lacks an index\n".to_owned(),
        };
        Ok(format!("{sql}\n\n{}\n{lacking}", lines(plan)))
    }
}

fn lines(values: &[Value]) -> String {
    let lines = values.iter().filter_map(Value::as_str);
    lines.map(|line| format!("  {line}\n")).collect()
}

/// Returns the account of this name as the authenticated caller, or an anonymous one.
async fn caller(
    application: &ManagedApplication,
    store: &Store,
    name: Option<&str>,
) -> Result<Caller, Failure> {
    match (&application.find_caller, name) {
        (Some(find), Some(name)) => find(store.clone(), name.to_owned()).await,
        _ => Ok(Caller::anonymous()),
    }
}
