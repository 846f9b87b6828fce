//! `backend explain`: how a list is read from the database.

use axum::body::to_bytes;
use clap::Args;
use http::Uri;
use serde_json::Value;

use crate::app;
use crate::command::database::Database;
use crate::command::failure::Failure;

/// No explanation is longer.
const LONGEST: usize = 1024 * 1024;

/// Prints the SQL of a list, the database's plan for it, and what has no index.
#[derive(Args)]
pub(super) struct Explain {
    /// The URL of the list, such as '/api/v1/articles?sort=-createdAt'
    url: Uri,
    #[command(flatten)]
    database: Database,
}

impl Explain {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let store = app::open(&self.database.database).await?;
        let response = app::app(store, app::Settings::default())
            .explain(self.url.clone())
            .await;
        let status = response.status();
        let body = to_bytes(response.into_body(), LONGEST)
            .await
            .map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (Some(sql), Some(plan)) = (answer["sql"].as_str(), answer["plan"].as_array()) else {
            let told = answer["message"].as_str().unwrap_or("it is no list of the api");
            return Err(format!("cannot explain {}: {status}: {told}", self.url).into());
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
