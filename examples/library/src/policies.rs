//! The policies: what members see, and what the desk may write.

use std::marker::PhantomData;

use model_resource::{Caller, Model, ModelPolicy, Where};

use crate::cards::DESK;
use crate::models::{Invoice, InvoiceLine, InvoiceState, Loan, Member};

/// All rows for the desk, and none for others.
fn desk_only<M: Model>(caller: &Caller) -> Where<M> {
    Where::all_if(caller.has_role(DESK))
}

/// Everyone sees the catalogue, and the desk writes it.
pub(crate) struct CataloguePolicy<M>(PhantomData<fn() -> M>);

impl<M: Model> ModelPolicy for CataloguePolicy<M> {
    type Model = M;

    fn updatable(caller: &Caller) -> Where<M> {
        desk_only(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role(DESK)
    }

    fn shows_deleted(caller: &Caller) -> Where<M> {
        desk_only(caller)
    }
}

/// Members see and change themselves.
pub(crate) struct MemberPolicy;

impl ModelPolicy for MemberPolicy {
    type Model = Member;

    fn visible(caller: &Caller) -> Where<Member> {
        desk_only(caller).or(caller.owned_by(Member::ID))
    }

    fn updatable(caller: &Caller) -> Where<Member> {
        Self::visible(caller)
    }

    fn deletable(caller: &Caller) -> Where<Member> {
        desk_only(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role(DESK)
    }
}

/// Members see their loans. The desk writes them, until they are over.
pub(crate) struct LoanPolicy;

impl ModelPolicy for LoanPolicy {
    type Model = Loan;

    fn visible(caller: &Caller) -> Where<Loan> {
        desk_only(caller).or(caller.owned_by(Loan::MEMBER_ID))
    }

    fn updatable(caller: &Caller) -> Where<Loan> {
        desk_only(caller).and(Loan::RETURNED.is_null())
    }

    fn deletable(_: &Caller) -> Where<Loan> {
        Where::none()
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role(DESK)
    }
}

/// Members see their invoices, unless they are drafts.
pub(crate) struct InvoicePolicy;

impl ModelPolicy for InvoicePolicy {
    type Model = Invoice;

    fn visible(caller: &Caller) -> Where<Invoice> {
        let own = caller.owned_by(Invoice::MEMBER_ID);
        desk_only(caller).or(own.and(Invoice::STATE.ne(InvoiceState::Draft)))
    }

    fn updatable(caller: &Caller) -> Where<Invoice> {
        desk_only(caller)
    }

    fn deletable(caller: &Caller) -> Where<Invoice> {
        desk_only(caller).and(Invoice::STATE.eq(InvoiceState::Draft))
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role(DESK)
    }
}

/// Lines of an invoice exist with it, and change only while it is a draft.
pub(crate) struct LinePolicy;

impl ModelPolicy for LinePolicy {
    type Model = InvoiceLine;

    fn visible(caller: &Caller) -> Where<InvoiceLine> {
        InvoiceLine::INVOICE_ID.references(InvoicePolicy::visible(caller))
    }

    fn updatable(caller: &Caller) -> Where<InvoiceLine> {
        Self::writable(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.has_role(DESK)
    }

    fn writable(caller: &Caller) -> Where<InvoiceLine> {
        let draft = Invoice::STATE.eq(InvoiceState::Draft);
        desk_only(caller).and(InvoiceLine::INVOICE_ID.references(draft))
    }
}
