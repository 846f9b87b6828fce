//! The models: their columns, constraints and states.

use model_resource::{ColumnEnum, Date, Model, Timestamp};

#[derive(Debug, Clone, Model)]
#[model(table = "branches")]
pub(crate) struct Branch {
    pub(crate) id: i64,
    #[column(unique, trim, min_length = 1)]
    pub(crate) name: String,
}

#[derive(Debug, Clone, Model)]
pub(crate) struct Member {
    pub(crate) id: i64,
    #[column(trim, nfc, min_length = 1)]
    pub(crate) name: String,
    #[column(unique, trim, lowercase, email)]
    pub(crate) email: String,
}

#[derive(Debug, Clone, Model)]
pub(crate) struct Author {
    pub(crate) id: i64,
    #[column(unique, trim, nfc, min_length = 1)]
    pub(crate) name: String,
}

#[derive(Debug, Clone, Model)]
pub(crate) struct Book {
    pub(crate) id: i64,
    #[column(trim, nfc, min_length = 1, max_length = 300)]
    pub(crate) title: String,
    pub(crate) year: Option<i32>,
    #[column(soft_delete)]
    pub(crate) deleted_at: Option<Timestamp>,
}

/// An author of a book.
#[derive(Debug, Clone, Model)]
#[model(unique(book_id, author_id))]
pub(crate) struct BookAuthor {
    pub(crate) id: i64,
    #[column(references = Book, on_delete = cascade)]
    pub(crate) book_id: i64,
    #[column(references = Author)]
    pub(crate) author_id: i64,
}

/// One of the copies of a book.
#[derive(Debug, Clone, Model)]
#[model(table = "copies", unique(branch_id, barcode))]
pub(crate) struct BookCopy {
    pub(crate) id: i64,
    #[column(references = Book)]
    pub(crate) book_id: i64,
    #[column(references = Branch)]
    pub(crate) branch_id: i64,
    #[column(pattern = "[0-9]{6}")]
    pub(crate) barcode: String,
}

#[derive(Debug, Clone, Model)]
#[model(
    unique(copy_id, where = Self::RETURNED.is_null(), message = "This copy is on loan."),
    check(due_after_lent = Self::DUE.gt_field(Self::LENT), message = "Must be due after it is lent."),
    index(member_id, lent desc)
)]
pub(crate) struct Loan {
    pub(crate) id: i64,
    #[column(references = BookCopy)]
    pub(crate) copy_id: i64,
    #[column(references = Member)]
    pub(crate) member_id: i64,
    #[column(references = Branch)]
    pub(crate) branch_id: i64,
    pub(crate) lent: Date,
    pub(crate) due: Date,
    pub(crate) returned: Option<Date>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
pub(crate) enum InvoiceState {
    Draft,
    Sent,
    Paid,
    Void,
}

#[derive(Debug, Clone, Model)]
pub(crate) struct Invoice {
    pub(crate) id: i64,
    #[column(references = Member)]
    pub(crate) member_id: i64,
    #[column(default = "draft", transitions(new -> Draft, Draft -> Sent, Sent -> Paid, Draft | Sent -> Void))]
    pub(crate) state: InvoiceState,
    #[column(created)]
    pub(crate) created_at: Timestamp,
    #[column(version)]
    pub(crate) version: i64,
}

#[derive(Debug, Clone, Model)]
pub(crate) struct InvoiceLine {
    pub(crate) id: i64,
    #[column(references = Invoice, on_delete = cascade)]
    pub(crate) invoice_id: i64,
    #[column(trim, min_length = 1)]
    pub(crate) text: String,
    #[column(min = 1)]
    pub(crate) cents: i64,
}
