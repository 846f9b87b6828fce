//! Returns of loans: a late one costs a fee, and the member gets a message.

use std::sync::Arc;

use model_resource::{Context, Date, Draft, Error, JsonBody, Reply, Result, route};
use serde::Deserialize;

use crate::models::{Invoice, InvoiceLine, Loan};

/// Fee of a day.
const CENTS_PER_DAY: i64 = 20;

/// Sends messages to members.
#[derive(Clone)]
pub struct Messages(Arc<dyn Fn(i64, String) + Send + Sync>);

impl Messages {
    /// Sends messages by a function of the member's number and the text.
    pub fn new(send: impl Fn(i64, String) + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }

    /// Prints messages.
    pub fn to_log() -> Self {
        Self::new(|member, text| println!("to member {member}: {text}"))
    }
}

/// Body of a return.
#[derive(Deserialize)]
struct Return {
    on: Date,
}

/// Takes a loan back. If it is late, the fee is an invoice.
#[route("/loans/<int:id>/return", methods = [POST])]
pub(crate) async fn give_back(mut cx: Context, JsonBody(body): JsonBody<Return>) -> Result<Reply> {
    cx.begin().await?;
    let loan: Loan = cx
        .find(cx.param::<i64>("id")?)
        .await?
        .ok_or_else(Error::not_found)?;
    let loan = cx
        .save(Draft::of(&loan).with(Loan::RETURNED, Some(body.on)))
        .await?;
    let late = i64::from((body.on - loan.due).get_days());
    if late > 0 {
        let invoice = cx
            .create(Draft::new().with(Invoice::MEMBER_ID, loan.member_id))
            .await?;
        let line = Draft::new()
            .with(InvoiceLine::INVOICE_ID, invoice.id)
            .with(InvoiceLine::TEXT, format!("{late} days late"))
            .with(InvoiceLine::CENTS, late * CENTS_PER_DAY);
        cx.create(line).await?;
    }
    let messages = cx
        .state::<Messages>()
        .ok_or_else(|| Error::internal("no messages"))?
        .clone();
    cx.after_commit(async move {
        (messages.0)(loan.member_id, format!("Loan {} is back. Thank you!", loan.id));
    });
    cx.commit().await?;
    Ok(Reply::no_content())
}
