//! Well-behaved clients, which send requests at fixed times whether earlier ones are answered or not.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{Method, Response, StatusCode, header};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::client::Client;
use crate::latencies::{Latencies, Outcome};
use crate::seed::{PASSWORD, Seed, USERS};

/// Kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Get,
    List,
    Write,
    Login,
}

impl Work {
    pub(crate) const ALL: [Self; 4] = [Self::Get, Self::List, Self::Write, Self::Login];

    /// Requests per second.
    fn rate(self) -> u32 {
        match self {
            Self::Get => 100,
            Self::List => 20,
            Self::Write => 20,
            Self::Login => 2,
        }
    }
}

/// Latencies of each kind of work, in the order of [`Work::ALL`].
pub(crate) struct Measurement([Latencies; 4]);

impl Measurement {
    pub(crate) fn of(&self, work: Work) -> &Latencies {
        &self.0[work as usize]
    }
}

/// Sends requests for a time and waits for their responses.
pub(crate) async fn measure(client: &Client, seed: &Seed, time: Duration) -> Measurement {
    let works = Work::ALL.map(|work| {
        let client = match work {
            Work::Get | Work::Write => client.apart().with_token(&seed.token),
            // Anonymous, as most readers: their lists are restricted by a policy.
            Work::List | Work::Login => client.apart(),
        };
        tokio::spawn(send(work, client, seed.articles, time))
    });
    let mut measured = [const { None }; 4];
    for (measured, work) in measured.iter_mut().zip(works) {
        *measured = work.await.ok();
    }
    Measurement(measured.map(Option::unwrap_or_default))
}

async fn send(work: Work, client: Client, articles: u64, time: Duration) -> Latencies {
    let latencies = Arc::new(Mutex::new(Latencies::default()));
    let (begin, interval) = (Instant::now(), Duration::from_secs(1) / work.rate());
    let mut requests = JoinSet::new();
    for number in 0.. {
        // Counted from the time at which the request should be sent, so that a delayed one counts as slow.
        let due = begin + interval * number;
        if due >= begin + time {
            break;
        }
        tokio::time::sleep_until(due).await;
        let (client, latencies) = (client.clone(), Arc::clone(&latencies));
        requests.spawn(async move {
            let number = u64::from(number);
            let client = client.at_own_address(number);
            let name = format!("user{}", number % USERS);
            let outcome = work.request(&client, articles, number, &name).await;
            let mut latencies = latencies.lock().unwrap_or_else(PoisonError::into_inner);
            latencies.add(outcome, due.elapsed());
        });
    }
    requests.join_all().await;
    let mut latencies = latencies.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *latencies)
}

impl Work {
    /// Sends one request about a row of many, or of a user.
    pub(crate) async fn request(self, client: &Client, articles: u64, number: u64, user: &str) -> Outcome {
        // Spread over all rows.
        let article = format!("/api/v1/articles/{}", number * 7919 % articles + 1);
        let (method, path, body) = match self {
            Self::Get => (Method::GET, article.as_str(), None),
            Self::List => (Method::GET, "/api/v1/articles?limit=20", None),
            Self::Write => {
                let body = json!({"summary": format!("Summary {number}")});
                (Method::PATCH, article.as_str(), Some(body))
            }
            Self::Login => {
                let body = json!({"email": user, "password": PASSWORD, "credential": "token"});
                (Method::POST, "/api/v1/auth/login", Some(body))
            }
        };
        let content_type = body.as_ref().map_or("", |_| "application/json");
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        match client.exchange(method, path, content_type, body).await {
            Ok(response) if response.status().is_success() => Outcome::Success,
            Ok(response) if is_unavailable(&response) => Outcome::Unavailable,
            Ok(_) | Err(_) => Outcome::Failure,
        }
    }
}

/// Whether the response lets the client repeat the request later.
fn is_unavailable<B>(response: &Response<B>) -> bool {
    let is_503 = response.status() == StatusCode::SERVICE_UNAVAILABLE;
    is_503 && response.headers().contains_key(header::RETRY_AFTER)
}
