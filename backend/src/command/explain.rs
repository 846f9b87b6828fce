//! `backend explain`: the SQL and the query plan of a list.

use axum::body::to_bytes;
use clap::Args;
use http::Uri;
use model_resource::{Authenticate, Caller, Store};
use serde_json::Value;

use crate::api::{Context, Error};
use crate::command::database::DatabaseArgs;
use crate::failure::Failure;
use crate::security::find_user;
use crate::{app, security};

/// Maximum bytes of the response.
const MAX_RESPONSE: usize = 1024 * 1024;

/// Prints the SQL of a list, the database's query plan, and filters and sort keys without an index.
#[derive(Args)]
pub(super) struct Explain {
    /// The URL of the list, such as '/api/v1/articles?sort=-createdAt'
    url: Uri,
    /// The caller, by e-mail address or user name; anonymous by default
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    #[command(flatten)]
    database: DatabaseArgs,
}

impl Explain {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let store = app::open(&self.database.database).await?;
        let caller = match &self.user {
            Some(name) => caller(&store, name).await?,
            None => Caller::anonymous(),
        };
        let api = app::api(Always(caller)).store(store.clone());
        let response = api.into_service().explain(self.url.clone()).await;
        let status = response.status();
        let body = to_bytes(response.into_body(), MAX_RESPONSE)
            .await
            .map_err(|error| error.to_string())?;
        store.close().await;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (Some(sql), Some(plan)) = (answer["sql"].as_str(), answer["plan"].as_array()) else {
            let message = answer["message"].as_str().unwrap_or("not a list of the api");
            return Err(format!("cannot explain {}: {status}: {message}", self.url).into());
        };
        println!("{sql}\n");
        let lines = |values: &[Value]| {
            for line in values.iter().filter_map(Value::as_str) {
                println!("  {line}");
            }
        };
        lines(plan);
        match answer["unindexed"].as_array() {
            Some(lacking) if !lacking.is_empty() => {
                println!("\nwithout an index:");
                lines(lacking);
            }
            _ => println!("\nnothing lacks an index"),
        }
        Ok(())
    }
}

/// Returns this user as the authenticated caller.
async fn caller(store: &Store, name: &str) -> Result<Caller, Failure> {
    let user = find_user(store, name).await?;
    let user = user.ok_or_else(|| format!("there is no user {name:?}"))?;
    if !user.is_active {
        return Err(format!("{} is disabled and gets no list", user.username).into());
    }
    Ok(security::authenticator().caller(user))
}

/// Authenticates every request as this caller. No login is needed by those who can open the database.
struct Always(Caller);

impl Authenticate for Always {
    async fn authenticate(&self, _: &mut Context) -> Result<Caller, Error> {
        Ok(self.0.clone())
    }
}
