//! Row-level policies (row-level security): the trait that declares which rows and columns of a model a caller may use.

use std::borrow::Cow;

use model_resource_schema::draft::Draft;
use model_resource_schema::model::Model;
use model_resource_schema::query::{Columns, Where};

use crate::access::caller::Caller;

/// Access policy of a model (row-level security). It is enforced wherever the model's rows are used: at their own URLs,
/// below others, as relations of other rows, in filters, sorts, counts and bulk writes. Anything that it does not allow
/// is denied.
///
/// Each method is a plain function, which a test can call:
///
/// ```
/// use model_resource::{Caller, Draft, Model, ModelPolicy, Where};
///
/// #[derive(Model)]
/// struct Note {
///     #[column(primary_key)]
///     id: i64,
///     is_public: bool,
///     owner_id: i64,
/// }
///
/// struct NotePolicy;
///
/// impl ModelPolicy for NotePolicy {
///     type Model = Note;
///
///     /// Public notes are visible to everyone, and owners see their own.
///     fn visible(caller: &Caller) -> Where<Note> {
///         Note::IS_PUBLIC.eq(true).or(Self::updatable(caller))
///     }
///
///     fn updatable(caller: &Caller) -> Where<Note> {
///         caller.owned_by(Note::OWNER_ID)
///     }
///
///     fn may_create(caller: &Caller) -> bool {
///         caller.is_authenticated()
///     }
///
///     /// A new note belongs to its author.
///     fn presets(caller: &Caller) -> Draft<Note> {
///         caller.preset(Note::OWNER_ID)
///     }
/// }
///
/// let secret = Note { id: 1, is_public: false, owner_id: 7 };
/// assert!(NotePolicy::visible(&Caller::of(7_i64)).matches(&secret));
/// assert!(!NotePolicy::visible(&Caller::anonymous()).matches(&secret));
/// assert_eq!(NotePolicy::presets(&Caller::of(7_i64)).get(Note::OWNER_ID), Some(7));
/// assert_eq!(NotePolicy::presets(&Caller::anonymous()).get(Note::OWNER_ID), None);
/// ```
#[doc(alias = "row-level security")]
pub trait ModelPolicy: Send + Sync + 'static {
    /// Model of the policy.
    type Model: Model;

    /// Rows that the caller can see. All others do not exist for the caller, in any response.
    fn visible(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::all()
    }

    /// Soft-deleted rows that the caller can see, among the visible ones; none by default. For a model with
    /// `#[column(soft_delete)]`.
    ///
    /// A get of such a row shows it, a list shows it with `?deleted=include` or `?deleted=only`, and callers who may
    /// update it may restore it; see [`ModelResource::RESTORE`](crate::ModelResource::RESTORE). Everywhere else, such
    /// as in relations and as the target of a foreign key, deleted rows do not exist for these callers either.
    ///
    /// ```
    /// use model_resource::{Caller, Model, ModelPolicy, Timestamp, Where};
    ///
    /// #[derive(Model)]
    /// struct Note {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     #[column(soft_delete)]
    ///     deleted_at: Option<Timestamp>,
    /// }
    ///
    /// struct NotePolicy;
    ///
    /// impl ModelPolicy for NotePolicy {
    ///     type Model = Note;
    ///
    ///     fn shows_deleted(caller: &Caller) -> Where<Note> {
    ///         if caller.has_role("admin") { Where::all() } else { Where::none() }
    ///     }
    /// }
    ///
    /// let note = Note { id: 1, deleted_at: None };
    /// assert!(!NotePolicy::shows_deleted(&Caller::of(7_i64)).matches(&note));
    /// ```
    fn shows_deleted(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::none()
    }

    /// Visible rows that the caller may update.
    fn updatable(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::none()
    }

    /// Visible rows that the caller may delete; by default those that they may update.
    fn deletable(caller: &Caller) -> Where<Self::Model> {
        Self::updatable(caller)
    }

    /// Whether the caller may create rows.
    fn may_create(caller: &Caller) -> bool {
        let _ = caller;
        false
    }

    /// Rows that a creation or an update of the caller may result in (`WITH CHECK` in PostgreSQL). A write of any other
    /// row is denied and changes nothing.
    ///
    /// [`updatable`](Self::updatable) is about the row before the write, and `writable` about the row after it. It applies
    /// to all writes of the caller, also by bulk requests and by handlers.
    ///
    /// ```
    /// use model_resource::{Caller, Model, ModelPolicy, Where};
    ///
    /// #[derive(Model)]
    /// struct Offer {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     discount: i64,
    /// }
    ///
    /// struct OfferPolicy;
    ///
    /// impl ModelPolicy for OfferPolicy {
    ///     type Model = Offer;
    ///
    ///     fn may_create(caller: &Caller) -> bool {
    ///         caller.is_authenticated()
    ///     }
    ///
    ///     /// Only managers give a discount of more than ten percent.
    ///     fn writable(caller: &Caller) -> Where<Offer> {
    ///         if caller.has_role("manager") {
    ///             Where::all()
    ///         } else {
    ///             Offer::DISCOUNT.lte(10)
    ///         }
    ///     }
    /// }
    ///
    /// let offer = Offer { id: 1, discount: 25 };
    /// assert!(!OfferPolicy::writable(&Caller::of(7_i64)).matches(&offer));
    /// ```
    fn writable(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::all()
    }

    /// Values preset on rows that the caller creates. A body may repeat them but not change them.
    ///
    /// A preset may be null, as [`Caller::preset`] is for an anonymous caller: the column stays empty. If it is not
    /// nullable, the caller cannot create rows, whatever [`may_create`](Self::may_create) returns.
    fn presets(caller: &Caller) -> Draft<Self::Model> {
        let _ = caller;
        Draft::new()
    }

    /// Columns that do not exist for the caller: in objects, filters, sorts, bodies and anywhere else. Hiding a foreign
    /// key also hides the relations over it, from either side.
    fn hidden(caller: &Caller) -> Columns<Self::Model> {
        let _ = caller;
        Columns::none()
    }

    /// Columns that a caller sees only on the rows of [`shows_private`](Self::shows_private), such as the e-mail
    /// address of an account.
    ///
    /// On other rows they are left out of objects, and are empty cells in CSV. Filters, sorts and searches cannot use
    /// them unless the caller sees them on all rows, because the order and the number of rows would reveal their
    /// values. An update of a private column needs a row on which it is shown. The primary key and foreign keys cannot
    /// be private.
    ///
    /// ```
    /// use model_resource::{Caller, Columns, Model, ModelPolicy, Where};
    ///
    /// #[derive(Model)]
    /// struct Member {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     name: String,
    ///     email: String,
    /// }
    ///
    /// struct MemberPolicy;
    ///
    /// impl ModelPolicy for MemberPolicy {
    ///     type Model = Member;
    ///
    ///     fn private() -> Columns<Member> {
    ///         Columns::of(Member::EMAIL)
    ///     }
    ///
    ///     /// Members see their own e-mail address, and admins all of them.
    ///     fn shows_private(caller: &Caller) -> Where<Member> {
    ///         if caller.has_role("admin") {
    ///             Where::all()
    ///         } else {
    ///             caller.owned_by(Member::ID)
    ///         }
    ///     }
    /// }
    ///
    /// let ann = Member { id: 7, name: "Ann".to_owned(), email: "ann@example.com".to_owned() };
    /// assert!(MemberPolicy::shows_private(&Caller::of(7_i64)).matches(&ann));
    /// assert!(!MemberPolicy::shows_private(&Caller::of(8_i64)).matches(&ann));
    /// ```
    fn private() -> Columns<Self::Model> {
        Columns::none()
    }

    /// Rows whose [`private`](Self::private) columns the caller sees; none by default. The condition may only use
    /// columns of the row itself.
    fn shows_private(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::none()
    }

    /// Text for people about what the policy means for the caller, instead of the sentences that are made from its
    /// conditions. See [`CompiledApi::explain_policies`](crate::CompiledApi::explain_policies).
    fn explain(caller: &Caller) -> Option<Cow<'static, str>> {
        let _ = caller;
        None
    }

    /// Columns that the caller sees and cannot set, on any row. In a body they are ignored, like all read-only columns.
    /// Columns with [`presets`](Self::presets) are read-only once the row exists. For columns that are read-only on some
    /// rows, see [`frozen`](Self::frozen).
    fn read_only(caller: &Caller) -> Columns<Self::Model> {
        let _ = caller;
        Columns::none()
    }

    /// Columns that are read-only on the rows of [`frozen_on`](Self::frozen_on), such as the amount of an invoice that was
    /// sent.
    ///
    /// A new value is an error of its field (400), and a repeated one is accepted. The condition is about the row before
    /// the write, and part of the UPDATE statement. It applies to all updates of the caller, also in bulk requests, of
    /// related objects and by handlers, and not to new rows. The primary key cannot be frozen, nor can columns that the
    /// framework sets.
    ///
    /// ```
    /// use model_resource::{Caller, Columns, Model, ModelPolicy, Where};
    ///
    /// #[derive(Model)]
    /// struct Invoice {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     amount: i64,
    ///     is_sent: bool,
    /// }
    ///
    /// struct InvoicePolicy;
    ///
    /// impl ModelPolicy for InvoicePolicy {
    ///     type Model = Invoice;
    ///
    ///     fn frozen() -> Columns<Invoice> {
    ///         Columns::of(Invoice::AMOUNT)
    ///     }
    ///
    ///     /// Only managers change the amount of an invoice that was sent.
    ///     fn frozen_on(caller: &Caller) -> Where<Invoice> {
    ///         if caller.has_role("manager") {
    ///             Where::none()
    ///         } else {
    ///             Invoice::IS_SENT.eq(true)
    ///         }
    ///     }
    /// }
    ///
    /// let invoice = Invoice { id: 1, amount: 10, is_sent: true };
    /// assert!(InvoicePolicy::frozen_on(&Caller::of(7_i64)).matches(&invoice));
    /// ```
    fn frozen() -> Columns<Self::Model> {
        Columns::none()
    }

    /// Rows on which the caller cannot change the [`frozen`](Self::frozen) columns; all by default.
    fn frozen_on(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::all()
    }
}
