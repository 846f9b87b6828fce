//! The resources: the URLs and representations of each model.

use model_resource::{
    Api, Columns, DefaultSerializer, ModelResource, ModelSerializer, SerializerFields, model_resource,
    serializer,
};

use crate::cards::Cards;
use crate::models::{Author, Book, BookAuthor, BookCopy, Branch, Invoice, InvoiceLine, Loan, Member};
use crate::policies::{CataloguePolicy, InvoicePolicy, LinePolicy, LoanPolicy, MemberPolicy};
use crate::returns::{Messages, give_back};

#[model_resource(Branch, "/branches", "/branches/<int:id>", policy = CataloguePolicy<Branch>)]
struct BranchResource;

#[model_resource(Member, "/members", "/members/<int:id>", policy = MemberPolicy)]
struct MemberResource;

#[model_resource(Author, "/authors", "/authors/<int:id>", policy = CataloguePolicy<Author>)]
struct AuthorResource;

struct BookResource;

#[model_resource(Book, "/books", "/books/<int:id>", serializer = BookSerializer, policy = CataloguePolicy<Book>)]
impl ModelResource for BookResource {
    const RESTORE: bool = true;
}

#[model_resource(BookCopy, "/copies", "/copies/<int:id>", "/books/<int:book_id>/copies", policy = CataloguePolicy<BookCopy>)]
struct CopyResource;

struct LoanResource;

#[model_resource(Loan, "/loans", "/loans/<int:id>", policy = LoanPolicy)]
impl ModelResource for LoanResource {
    const AGGREGATE: Columns<Loan> = Columns::of(Loan::BRANCH_ID).and(Loan::LENT);
}

#[model_resource(Invoice, "/invoices", "/invoices/<int:id>", serializer = InvoiceSerializer, policy = InvoicePolicy)]
struct InvoiceResource;

/// Books name their authors.
struct BookSerializer;

#[serializer]
impl ModelSerializer for BookSerializer {
    type Model = Book;

    fn fields(fields: SerializerFields<Book>) -> SerializerFields<Book> {
        fields
            .many_to_many::<DefaultSerializer<Author>>("authors", BookAuthor::BOOK_ID, BookAuthor::AUTHOR_ID)
            .as_member("authors", Author::NAME)
            .always("authors")
            .writable("authors")
    }
}

struct LineSerializer;

#[serializer]
impl ModelSerializer for LineSerializer {
    type Model = InvoiceLine;
    const EXCLUDE: Columns<InvoiceLine> = Columns::of(InvoiceLine::INVOICE_ID);
}

/// Invoices are written with their lines.
struct InvoiceSerializer;

#[serializer]
impl ModelSerializer for InvoiceSerializer {
    type Model = Invoice;

    fn fields(fields: SerializerFields<Invoice>) -> SerializerFields<Invoice> {
        fields
            .has_many::<LineSerializer>("lines", InvoiceLine::INVOICE_ID)
            .always("lines")
            .writable("lines")
    }
}

/// The api of the library.
pub fn api(cards: Cards, messages: Messages) -> Api {
    Api::new("library")
        .policy::<CataloguePolicy<BookAuthor>>()
        .policy::<LinePolicy>()
        .model_resource::<BranchResource>()
        .model_resource::<MemberResource>()
        .model_resource::<AuthorResource>()
        .model_resource::<BookResource>()
        .model_resource::<CopyResource>()
        .model_resource::<LoanResource>()
        .model_resource::<InvoiceResource>()
        .route(give_back)
        .with_state(messages)
        .authenticator(cards)
}
