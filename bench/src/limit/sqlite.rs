//! SQLite: reader threads, and one writer thread that commits waiting writes as a group.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use crossbeam_channel::{Receiver, Sender};
use futures_util::stream;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use tokio::sync::oneshot;

use super::answer::{PIECE, found, json, status, streamed};
use super::write;
use crate::article::{Changes, NewArticle, cents, columns, days};
use crate::outcome::Failure;

/// Maximum writes per commit.
const MAX_WRITES: usize = 128;

const GET: &str = concat!("SELECT ", columns!(), " FROM articles WHERE id = ?");
const LIST: &str = concat!("SELECT ", columns!(), " FROM articles WHERE id > ? ORDER BY id");
const CREATE: &str = concat!(
    "INSERT INTO articles (title, slug, body, summary, published, rating, price, publish_date, category_id, \
     author_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ",
    columns!()
);

struct Store {
    readers: Sender<Read>,
    writer: Sender<Write>,
}

type Reply<T> = oneshot::Sender<rusqlite::Result<T>>;

enum Read {
    Get(i64, Reply<Option<Vec<u8>>>),
    List(i64, Vec<u8>, Reply<Piece>),
}

/// A chunk of a list, and the key after which the next chunk begins.
type Piece = (Vec<u8>, Option<i64>);

struct Write {
    sql: std::borrow::Cow<'static, str>,
    parameters: Vec<Value>,
    reply: Reply<Option<Vec<u8>>>,
}

pub(super) async fn router(database: &str) -> Result<Router, Failure> {
    let file = database.trim_start_matches("sqlite:").to_owned();
    let (readers, reads) = crossbeam_channel::unbounded();
    let (writer, writes) = crossbeam_channel::unbounded();
    let connection = open(&file)?;
    std::thread::spawn(move || write_all(&connection, &writes));
    for _ in 0..std::thread::available_parallelism()?.get().max(2) {
        let (connection, reads) = (open(&file)?, reads.clone());
        std::thread::spawn(move || read_all(&connection, &reads));
    }
    Ok(Router::new()
        .route("/api/v1/articles", get(list).post(create))
        .route("/api/v1/articles/{id}", get(one).patch(patch))
        .with_state(Arc::new(Store { readers, writer })))
}

fn open(file: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -4096)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Serves waiting reads in one transaction.
fn read_all(connection: &Connection, reads: &Receiver<Read>) {
    while let Ok(first) = reads.recv() {
        let shared = !reads.is_empty() && run(connection, "BEGIN").is_ok();
        read(connection, first);
        if shared {
            reads
                .try_iter()
                .take(MAX_WRITES)
                .for_each(|next| read(connection, next));
            run(connection, "COMMIT").ok();
        }
    }
}

fn read(connection: &Connection, read: Read) {
    match read {
        Read::Get(id, reply) => drop(reply.send(read_one(connection, id))),
        Read::List(after, out, reply) => drop(reply.send(read_piece(connection, after, out))),
    }
}

fn read_one(connection: &Connection, id: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached(GET)?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(written).transpose()
}

fn read_piece(connection: &Connection, after: i64, mut out: Vec<u8>) -> rusqlite::Result<Piece> {
    let mut statement = connection.prepare_cached(LIST)?;
    let mut rows = statement.query([after])?;
    while let Some(row) = rows.next()? {
        // Only the list's first row has no comma before it.
        if out.last() != Some(&b'[') {
            out.push(b',');
        }
        write_row(&mut out, row)?;
        if out.len() >= PIECE {
            return Ok((out, Some(row.get(0)?)));
        }
    }
    out.push(b']');
    Ok((out, None))
}

/// Commits waiting writes as a group.
fn write_all(connection: &Connection, writes: &Receiver<Write>) {
    while let Ok(first) = writes.recv() {
        let begun = run(connection, "BEGIN IMMEDIATE");
        let mut done = Vec::new();
        for write in std::iter::once(first).chain(writes.try_iter()).take(MAX_WRITES) {
            let saved = begun.as_ref().map_or(Err(rusqlite::Error::InvalidQuery), |()| {
                change(connection, &write)
            });
            done.push((write.reply, saved));
        }
        let committed = run(connection, "COMMIT").is_ok();
        for (reply, saved) in done {
            reply
                .send(if committed {
                    saved
                } else {
                    Err(rusqlite::Error::InvalidQuery)
                })
                .ok();
        }
    }
}

fn change(connection: &Connection, write: &Write) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached(&write.sql)?;
    let mut rows = statement.query(params_from_iter(&write.parameters))?;
    let saved = rows.next()?.map(written).transpose()?;
    // SQLite checks foreign keys at the end of the statement.
    while rows.next()?.is_some() {}
    Ok(saved)
}

fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute(()).map(drop)
}

fn written(row: &Row<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(512);
    write_row(&mut out, row)?;
    Ok(out)
}

type Writer = fn(&mut Vec<u8>, i64);

fn write_row(out: &mut Vec<u8>, row: &Row<'_>) -> rusqlite::Result<()> {
    const FIELDS: [(&[u8], Writer); 13] = [
        (b"{\"id\":", write::integer),
        (b",\"title\":", write::integer),
        (b",\"slug\":", write::integer),
        (b",\"body\":", write::integer),
        (b",\"summary\":", write::integer),
        (b",\"published\":", |out, number| write::boolean(out, number != 0)),
        (b",\"rating\":", write::integer),
        (b",\"price\":", write::cents),
        (b",\"publishDate\":", write::date),
        (b",\"categoryId\":", write::integer),
        (b",\"authorId\":", write::integer),
        (b",\"createdAt\":", write::moment),
        (b",\"updatedAt\":", write::moment),
    ];
    for (column, (key, integer)) in FIELDS.iter().enumerate() {
        out.extend_from_slice(key);
        match row.get_ref(column)? {
            ValueRef::Integer(number) => integer(out, number),
            ValueRef::Text(text) => write::text(out, text),
            ValueRef::Real(number) => write::float(out, number),
            ValueRef::Null | ValueRef::Blob(_) => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
    Ok(())
}

impl Store {
    async fn piece(&self, after: i64, out: Vec<u8>) -> Result<Piece, Failure> {
        let (reply, answer) = oneshot::channel();
        self.readers.send(Read::List(after, out, reply))?;
        Ok(answer.await??)
    }

    async fn write(
        &self,
        sql: impl Into<std::borrow::Cow<'static, str>>,
        parameters: Vec<Value>,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let (reply, answer) = oneshot::channel();
        let sql = sql.into();
        self.writer
            .send(Write {
                sql,
                parameters,
                reply,
            })
            .map_err(|_| "the writer is gone")?;
        Ok(answer.await??)
    }
}

async fn one(State(store): State<Arc<Store>>, Path(id): Path<i64>) -> Response {
    let (reply, answer) = oneshot::channel();
    store.readers.send(Read::Get(id, reply)).ok();
    match answer.await {
        Ok(Ok(row)) => found(row),
        _ => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

async fn list(State(store): State<Arc<Store>>) -> Response {
    let mut out = Vec::with_capacity(PIECE + 1024);
    out.push(b'[');
    match store.piece(i64::MIN, out).await {
        Ok((all, None)) => json(StatusCode::OK, all),
        Ok((first, next)) => streamed(stream::try_unfold((Some(first), next), move |(ready, next)| {
            let store = Arc::clone(&store);
            async move {
                match (ready, next) {
                    (Some(ready), next) => Ok(Some((Bytes::from(ready), (None, next)))),
                    (None, Some(after)) => {
                        let (piece, next) = store.piece(after, Vec::with_capacity(PIECE + 1024)).await?;
                        Ok(Some((Bytes::from(piece), (None, next))))
                    }
                    (None, None) => Ok(None),
                }
            }
        })),
        Err(_) => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

async fn create(State(store): State<Arc<Store>>, body: Bytes) -> Response {
    let Some(new) = serde_json::from_slice::<NewArticle>(&body)
        .ok()
        .filter(NewArticle::is_valid)
    else {
        return status(StatusCode::BAD_REQUEST);
    };
    let now = Value::Integer(now());
    let parameters = vec![
        Value::Text(new.title.clone()),
        Value::Text(slug::slugify(&new.title)),
        Value::Text(new.body),
        new.summary.into(),
        new.published.into(),
        new.rating.into(),
        new.price.map(cents).into(),
        new.publish_date.map(days).into(),
        new.category_id.into(),
        new.author_id.into(),
        now.clone(),
        now,
    ];
    match store.write(CREATE, parameters).await {
        Ok(Some(row)) => json(StatusCode::CREATED, row),
        _ => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

async fn patch(State(store): State<Arc<Store>>, Path(id): Path<i64>, body: Bytes) -> Response {
    let Some(changes) = serde_json::from_slice::<Changes>(&body)
        .ok()
        .filter(Changes::is_valid)
    else {
        return status(StatusCode::BAD_REQUEST);
    };
    let mut sql = String::with_capacity(320);
    sql.push_str("UPDATE articles SET updated_at = ?");
    let mut parameters = vec![Value::Integer(now())];
    let mut set = |column: &str, value: Option<Value>| {
        if let Some(value) = value {
            sql.push_str(", ");
            sql.push_str(column);
            sql.push_str(" = ?");
            parameters.push(value);
        }
    };
    set(
        "slug",
        changes.title.as_ref().map(|title| slug::slugify(title).into()),
    );
    set("title", changes.title.map(Value::from));
    set("body", changes.body.map(Value::from));
    set("summary", changes.summary.map(Value::from));
    set("published", changes.published.map(Value::from));
    set("rating", changes.rating.map(Value::from));
    set("price", changes.price.map(|price| price.map(cents).into()));
    set(
        "publish_date",
        changes.publish_date.map(|date| date.map(days).into()),
    );
    set("category_id", changes.category_id.map(Value::from));
    set("author_id", changes.author_id.map(Value::from));
    sql.push_str(concat!(" WHERE id = ? RETURNING ", columns!()));
    parameters.push(id.into());
    match store.write(sql, parameters).await {
        Ok(row) => found(row),
        Err(_) => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}
