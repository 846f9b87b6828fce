//! Accounts and policies of `backend`, beside the same articles without them and beside sqlx.

use backend::api::Draft;
use backend::models::{AuthToken, User};
use backend::security::UserSecurity;

use super::articles::{self, Source};
use super::data::Data;
use super::process::Programs;
use super::request::rows_of;
use super::round::Rounds;
use crate::outcome::{Failure, Outcome, Server, Work};

const WORKS: [Work; 4] = [Work::Get, Work::List100, Work::Create, Work::Patch];
const SERVERS: [Server; 4] = [Server::Backend, Server::Secured, Server::Cached, Server::Sqlx];

/// Measures reads and writes of an author, to whom all articles belong.
pub(super) async fn measure(
    programs: &Programs,
    data: &mut Data,
    rounds: Rounds,
) -> Result<Vec<Outcome>, Failure> {
    let mut measured = Vec::new();
    for work in WORKS {
        let name = "accounts";
        let url = data.seed(&programs.backend, name, rows_of(work)).await?;
        let token = log_in(&url).await?;
        data.add(name, "UPDATE articles SET author_id = (SELECT id FROM users)")
            .await?;
        let source = Source::Accounts { name, token: &token };
        measured.extend(articles::measure(programs, data, &source, work, &SERVERS, rounds).await?);
    }
    Ok(measured)
}

/// Creates an account and returns a token of it.
async fn log_in(url: &str) -> Result<String, Failure> {
    let store = backend::app::APPLICATION.open(url).await?;
    let mut author = Draft::new();
    author.set(User::EMAIL, "author@example.com".to_owned());
    author.set(User::USERNAME, "author".to_owned());
    author.set(User::PASSWORD_HASH, "none".to_owned());
    let author = store.create(author).await?;
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "bench".to_owned());
    let (token, _) = UserSecurity::new().issue_token(&store, &author, token).await?;
    store.close().await;
    Ok(token)
}
