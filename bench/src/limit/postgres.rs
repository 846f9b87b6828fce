//! PostgreSQL: a few connections that all reads share and more that all writes share, with pipelined statements.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use chrono::Utc;
use futures_util::{TryStreamExt, stream};
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, RowStream, Statement};

use super::answer::{PIECE, found, json, status, streamed};
use super::{numeric, write};
use crate::article::{Changes, NewArticle, columns};
use crate::outcome::Failure;

const READERS: usize = 4;
/// Number of connections for writes. The server commits waiting connections as a group, so writes gain from more of
/// them.
const WRITERS: usize = 16;
/// Days from 1970 to 2000, the epoch of PostgreSQL's dates.
const DAYS: i64 = 10_957;

const GET: &str = concat!("SELECT ", columns!(), " FROM articles WHERE id = $1");
const LIST: &str = concat!("SELECT ", columns!(), " FROM articles ORDER BY id");
const CREATE: &str = concat!(
    "INSERT INTO articles (title, slug, body, summary, published, rating, price, publish_date, category_id, \
     author_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ",
    columns!()
);

struct Shared {
    readers: Connections,
    writers: Connections,
}

struct Connections {
    all: Vec<Connection>,
    next: AtomicUsize,
}

struct Connection {
    client: Client,
    get: Statement,
    list: Statement,
    create: Statement,
    others: Mutex<HashMap<String, Statement>>,
}

pub(super) async fn router(database: &str) -> Result<Router, Failure> {
    let shared = Shared {
        readers: Connections::open(database, READERS).await?,
        writers: Connections::open(database, WRITERS).await?,
    };
    Ok(Router::new()
        .route("/api/v1/articles", get(list).post(create))
        .route("/api/v1/articles/{id}", get(one).patch(patch))
        .with_state(Arc::new(shared)))
}

impl Connections {
    async fn open(database: &str, count: usize) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for _ in 0..count {
            let (client, connection) = tokio_postgres::connect(database, NoTls).await?;
            tokio::spawn(connection);
            all.push(Connection {
                get: client.prepare(GET).await?,
                list: client.prepare(LIST).await?,
                create: client.prepare(CREATE).await?,
                others: Mutex::default(),
                client,
            });
        }
        let next = AtomicUsize::new(0);
        Ok(Self { all, next })
    }

    /// Returns the next connection, round-robin.
    fn next(&self) -> &Connection {
        &self.all[self.next.fetch_add(1, Ordering::Relaxed) % self.all.len()]
    }
}

impl Connection {
    async fn prepared(&self, sql: String) -> Result<Statement, tokio_postgres::Error> {
        let known = |sql: &str| {
            self.others
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(sql)
                .cloned()
        };
        if let Some(statement) = known(&sql) {
            return Ok(statement);
        }
        let statement = self.client.prepare(&sql).await?;
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(others.entry(sql).or_insert(statement).clone())
    }

    /// Returns the first row of a result as JSON.
    async fn row(
        &self,
        statement: &Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Vec<u8>>, tokio_postgres::Error> {
        let row = self.client.query_opt(statement, parameters).await?;
        row.map(|row| {
            let mut out = Vec::with_capacity(512);
            write_row(&mut out, &row).map(|()| out)
        })
        .transpose()
    }
}

/// A value in PostgreSQL's binary format.
struct Raw<'r>(&'r [u8]);

impl<'r> FromSql<'r> for Raw<'r> {
    fn from_sql(_: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

type ValueWriter = fn(&mut Vec<u8>, &[u8]);

fn write_row(out: &mut Vec<u8>, row: &Row) -> Result<(), tokio_postgres::Error> {
    const FIELDS: [(&[u8], ValueWriter); 13] = [
        (b"{\"id\":", integer),
        (b",\"title\":", write::text),
        (b",\"slug\":", write::text),
        (b",\"body\":", write::text),
        (b",\"summary\":", write::text),
        (b",\"published\":", |out, raw| write::boolean(out, raw == [1])),
        (b",\"rating\":", |out, raw| {
            write::float(out, f64::from_bits(number(raw) as u64));
        }),
        (b",\"price\":", numeric::write),
        (b",\"publishDate\":", |out, raw| {
            let days = i32::from_be_bytes(raw.try_into().unwrap_or_default());
            write::date(out, i64::from(days) + DAYS);
        }),
        (b",\"categoryId\":", integer),
        (b",\"authorId\":", integer),
        (b",\"createdAt\":", moment),
        (b",\"updatedAt\":", moment),
    ];
    for (column, (key, write)) in FIELDS.iter().enumerate() {
        out.extend_from_slice(key);
        match row.try_get::<_, Option<Raw<'_>>>(column)? {
            Some(Raw(raw)) => write(out, raw),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
    Ok(())
}

fn number(raw: &[u8]) -> i64 {
    i64::from_be_bytes(raw.try_into().unwrap_or_default())
}

fn integer(out: &mut Vec<u8>, raw: &[u8]) {
    write::integer(out, number(raw));
}

fn moment(out: &mut Vec<u8>, raw: &[u8]) {
    write::moment(out, number(raw) + DAYS * 86_400_000_000);
}

async fn one(State(shared): State<Arc<Shared>>, Path(id): Path<i64>) -> Response {
    let connection = shared.readers.next();
    answered(connection.row(&connection.get, &[&id]).await)
}

async fn list(State(shared): State<Arc<Shared>>) -> Response {
    first_piece(shared.readers.next()).await.unwrap_or_else(failed)
}

async fn first_piece(connection: &Connection) -> Result<Response, tokio_postgres::Error> {
    let none: [i64; 0] = [];
    let rows = connection.client.query_raw(&connection.list, none).await?;
    let mut listing = Listing {
        rows: Box::pin(rows),
        is_over: false,
    };
    let first = listing.piece(b'[').await?;
    if listing.is_over {
        return Ok(json(StatusCode::OK, first));
    }
    Ok(streamed(stream::try_unfold(
        (Some(first), listing),
        |(ready, mut listing)| async move {
            match ready {
                Some(ready) => Ok(Some((Bytes::from(ready), (None, listing)))),
                None if listing.is_over => Ok(None),
                None => Ok(Some((Bytes::from(listing.piece(b',').await?), (None, listing)))),
            }
        },
    )))
}

struct Listing {
    rows: Pin<Box<RowStream>>,
    is_over: bool,
}

impl Listing {
    /// Returns the next chunk of the list, with a comma before each row except the first.
    async fn piece(&mut self, before: u8) -> Result<Vec<u8>, tokio_postgres::Error> {
        let mut out = Vec::with_capacity(PIECE + 1024);
        let mut before = Some(before);
        while out.len() < PIECE {
            match self.rows.try_next().await? {
                Some(row) => {
                    out.push(before.take().unwrap_or(b','));
                    write_row(&mut out, &row)?;
                }
                None => {
                    self.is_over = true;
                    out.extend(before.filter(|sign| *sign == b'['));
                    out.push(b']');
                    break;
                }
            }
        }
        Ok(out)
    }
}

async fn create(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let Some(new) = serde_json::from_slice::<NewArticle>(&body)
        .ok()
        .filter(NewArticle::is_valid)
    else {
        return status(StatusCode::BAD_REQUEST);
    };
    let (slug, now) = (slug::slugify(&new.title), Utc::now());
    let parameters: [&(dyn ToSql + Sync); 12] = [
        &new.title,
        &slug,
        &new.body,
        &new.summary,
        &new.published,
        &new.rating,
        &new.price,
        &new.publish_date,
        &new.category_id,
        &new.author_id,
        &now,
        &now,
    ];
    let connection = shared.writers.next();
    match connection.row(&connection.create, &parameters).await {
        Ok(Some(row)) => json(StatusCode::CREATED, row),
        Ok(None) => status(StatusCode::INTERNAL_SERVER_ERROR),
        Err(error) => failed(error),
    }
}

async fn patch(State(shared): State<Arc<Shared>>, Path(id): Path<i64>, body: Bytes) -> Response {
    let Some(changes) = serde_json::from_slice::<Changes>(&body)
        .ok()
        .filter(Changes::is_valid)
    else {
        return status(StatusCode::BAD_REQUEST);
    };
    let (slug, now) = (changes.title.as_ref().map(slug::slugify), Utc::now());
    let mut sql = String::with_capacity(320);
    sql.push_str("UPDATE articles SET updated_at = $1");
    let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&now];
    let columns: [(&str, Option<&(dyn ToSql + Sync)>); 10] = [
        ("slug", if_present(&slug)),
        ("title", if_present(&changes.title)),
        ("body", if_present(&changes.body)),
        ("summary", if_present(&changes.summary)),
        ("published", if_present(&changes.published)),
        ("rating", if_present(&changes.rating)),
        ("price", if_present(&changes.price)),
        ("publish_date", if_present(&changes.publish_date)),
        ("category_id", if_present(&changes.category_id)),
        ("author_id", if_present(&changes.author_id)),
    ];
    for (column, value) in columns {
        let Some(value) = value else { continue };
        parameters.push(value);
        let _ = write!(sql, ", {column} = ${}", parameters.len());
    }
    parameters.push(&id);
    let _ = write!(
        sql,
        concat!(" WHERE id = ${} RETURNING ", columns!()),
        parameters.len()
    );
    let connection = shared.writers.next();
    match connection.prepared(sql).await {
        Ok(statement) => answered(connection.row(&statement, &parameters).await),
        Err(error) => failed(error),
    }
}

fn if_present<T: ToSql + Sync>(value: &Option<T>) -> Option<&(dyn ToSql + Sync)> {
    value.as_ref().map(|value| value as &(dyn ToSql + Sync))
}

fn answered(row: Result<Option<Vec<u8>>, tokio_postgres::Error>) -> Response {
    row.map_or_else(failed, found)
}

fn failed(error: tokio_postgres::Error) -> Response {
    eprintln!("{error}");
    status(StatusCode::INTERNAL_SERVER_ERROR)
}
