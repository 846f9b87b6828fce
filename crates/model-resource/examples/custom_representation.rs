//! A representation is a function from data to a response, chosen by the client's `Accept` header. Here every resource
//! can also be read as CSV.
//!
//! ```text
//! cargo run -p model-resource --example custom_representation
//!
//! curl localhost:8000/expenses --json '{"what": "Train, return", "amount": "49.90"}'
//! # 201 {"id":1,"what":"Train, return","amount":"49.90","note":null}
//! curl localhost:8000/expenses --json '{"what": "Lunch", "amount": "12.00", "note": "with \"the\" client"}'
//! # 201 {"id":2,"what":"Lunch","amount":"12.00","note":"with \"the\" client"}
//! curl localhost:8000/expenses -H 'Accept: text/csv' -i
//! # 200 id,what,amount,note
//! # 1,"Train, return",49.90,
//! # 2,Lunch,12.00,"with ""the"" client"
//! # content-type: text/csv
//! curl localhost:8000/expenses/2 -H 'Accept: text/csv'
//! # 200 id,what,amount,note
//! # 2,Lunch,12.00,"with ""the"" client"
//! curl localhost:8000/expenses/2
//! # 200 {"id":2,"what":"Lunch","amount":"12.00","note":"with \"the\" client"}
//! ```

use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use model_resource::{
    Api, Decimal, Model, ModelSerializer, Result, Store, model_resource, serializer, serve,
};
use serde_json::Value;

/// Writes a list with one line per object, and a single object as a list of one.
fn csv(data: Value, status: StatusCode, headers: HeaderMap) -> Result<Response> {
    let rows = match data {
        Value::Array(rows) => rows,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    let rows: Vec<_> = rows.iter().filter_map(Value::as_object).collect();
    let mut text = String::new();
    if let Some(first) = rows.first() {
        text += &line(first.keys().map(|name| cell(name)));
    }
    for row in rows {
        text += &line(row.values().map(|value| match value {
            Value::Null => String::new(),
            Value::String(text) => cell(text),
            other => cell(&other.to_string()),
        }));
    }
    Ok((status, headers, text).into_response())
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\n"
}

fn cell(text: &str) -> String {
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Expense.
#[derive(Model)]
struct Expense {
    #[column(primary_key)]
    id: i64,
    what: String,
    #[column(precision = 10, scale = 2)]
    amount: Decimal,
    note: Option<String>,
}

struct ExpenseSerializer;

#[serializer]
impl ModelSerializer for ExpenseSerializer {
    type Model = Expense;
}

#[model_resource(Expense, "/expenses", "/expenses/<int:id>")]
struct ExpenseResource;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let api = Api::new("expenses")
        .representation("text/csv", csv)
        .serializer::<ExpenseSerializer>()
        .model_resource::<ExpenseResource>();
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or("127.0.0.1:8000".to_owned());
    let database = arguments.next().unwrap_or("sqlite::memory:".to_owned());
    let store = Store::open(&database).await?;
    store.create_tables(&api.tables()).await?;
    serve(&address, api.store(store).into_router()).await?;
    Ok(())
}
