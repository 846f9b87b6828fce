//! Returns of loans: a late one costs a fee, and the member gets a message.

use std::sync::Arc;

use axum::extract::{Path, State};
use model_resource::{Context, Date, Draft, Error, JsonBody, Reply, Result, route};
use serde::Deserialize;

use crate::models::{Invoice, InvoiceLine, Loan};

/// Fee of a day.
const CENTS_PER_DAY: i64 = 20;

/// Sends a text to the member with this number.
#[derive(Clone)]
pub struct Messages(pub Arc<dyn Fn(i64, String) + Send + Sync>);

/// Body of a return.
#[derive(Deserialize)]
struct Return {
    on: Date,
}

/// Takes a loan back. If it is late, the fee is an invoice.
#[route("/loans/<int:id>/return", methods = [POST])]
pub(crate) async fn give_back(
    mut cx: Context,
    Path(id): Path<i64>,
    State(Messages(send)): State<Messages>,
    JsonBody(Return { on }): JsonBody<Return>,
) -> Result<Reply> {
    cx.begin().await?;
    let loan: Loan = cx.find(id).await?.ok_or_else(Error::not_found)?;
    let back = Draft::of(&loan).with(Loan::RETURNED, Some(on));
    let loan = cx.save(back).await?;
    let late = i64::from((on - loan.due).get_days());
    if late > 0 {
        let invoice = Draft::new().with(Invoice::MEMBER_ID, loan.member_id);
        let invoice = cx.create(invoice).await?;
        let line = Draft::new()
            .with(InvoiceLine::INVOICE_ID, invoice.id)
            .with(InvoiceLine::TEXT, format!("{late} days late"))
            .with(InvoiceLine::CENTS, late * CENTS_PER_DAY);
        cx.create(line).await?;
    }
    let text = format!("Loan {id} is back. Thank you!");
    cx.after_commit(async move {
        send(loan.member_id, text);
    });
    cx.commit().await?;
    Ok(Reply::no_content())
}
