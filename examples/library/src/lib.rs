//! A public library: books with several authors, copies in branches, loans, and invoices with their lines.
//!
//! Members see the catalogue, and their own loans and invoices. The desk lends, takes back and writes invoices. There is one
//! handler, which takes a loan back; everything else is declared.

mod cards;
mod models;
mod policies;
mod resources;
mod returns;

pub use cards::Cards;
pub use resources::api;
pub use returns::Messages;
