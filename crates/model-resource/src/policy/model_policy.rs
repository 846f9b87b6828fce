//! The rules of one model, as an application writes them.

use model_resource_schema::draft::Draft;
use model_resource_schema::model::Model;
use model_resource_schema::query::{Columns, Where};

use crate::caller::Caller;

/// Who may do what with the rows of a model. It holds wherever they are met: at their own URLs, below others, as relations
/// of other rows, in filters, sorts, counts and writes of many. What it does not allow is refused.
///
/// Each rule is a plain function, which a test can call:
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
///     /// Everybody sees what is public, and owners their own.
///     fn visible(caller: &Caller) -> Where<Note> {
///         Where::is(Note::IS_PUBLIC, true).or(Self::updatable(caller))
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
///     /// A new note is its maker's.
///     fn presets(caller: &Caller) -> Draft<Note> {
///         let mut given = Draft::new();
///         if let Some(id) = caller.key() {
///             given.set(Note::OWNER_ID, id);
///         }
///         given
///     }
/// }
///
/// let secret = Note { id: 1, is_public: false, owner_id: 7 };
/// assert!(NotePolicy::visible(&Caller::of(7_i64)).matches(&secret));
/// assert!(!NotePolicy::visible(&Caller::anonymous()).matches(&secret));
/// ```
pub trait ModelPolicy: Send + Sync + 'static {
    /// The model.
    type Model: Model;

    /// The rows that the caller can see. All others are not there, in any answer.
    fn visible(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::all()
    }

    /// Those of the visible rows that the caller may change.
    fn updatable(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::none()
    }

    /// Those of the visible rows that the caller may delete; those that they may change, unless it says otherwise.
    fn deletable(caller: &Caller) -> Where<Self::Model> {
        Self::updatable(caller)
    }

    /// Whether the caller may make new rows.
    fn may_create(caller: &Caller) -> bool {
        let _ = caller;
        false
    }

    /// What the caller's new rows are given: a body may repeat it and not contradict it.
    fn presets(caller: &Caller) -> Draft<Self::Model> {
        let _ = caller;
        Draft::new()
    }

    /// The columns that are not there for the caller: in objects, filters, sorts, bodies, and anywhere else. With a foreign
    /// key go the relations that lead over it, from either side.
    fn hidden(caller: &Caller) -> Columns<Self::Model> {
        let _ = caller;
        Columns::none()
    }

    /// The columns that a caller sees only on the rows of [`shows_private`](Self::shows_private), such as the e-mail address
    /// of an account.
    ///
    /// On other rows they are left out of objects, and are empty cells in CSV. Filters, sorts and searches cannot name them
    /// unless the caller sees them on all rows, since the order and the number of rows would tell their values. A change of
    /// them needs a row on which they are shown. The primary key and foreign keys cannot be private.
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
    ///         match caller.has_role("admin") {
    ///             true => Where::all(),
    ///             false => caller.owned_by(Member::ID),
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

    /// The rows whose [`private`](Self::private) columns the caller sees; none unless it is defined. It is decided by the
    /// columns of the row itself.
    fn shows_private(caller: &Caller) -> Where<Self::Model> {
        let _ = caller;
        Where::none()
    }

    /// The columns that the caller sees and cannot set: in a body they are passed over, as those are that nobody sets. Those
    /// that are [`given`](Self::given) are so by themselves, once the row is there.
    fn read_only(caller: &Caller) -> Columns<Self::Model> {
        let _ = caller;
        Columns::none()
    }
}
