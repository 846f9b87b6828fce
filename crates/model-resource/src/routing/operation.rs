//! The six operations of a resource, and how a request selects one.

use http::Method;

/// Operation of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Creates an object.
    Create,
    /// Deletes an object.
    Delete,
    /// Reads an object.
    Get,
    /// Reads a list of objects.
    List,
    /// Updates some fields of an object.
    Patch,
    /// Replaces an object.
    Put,
}

/// Creates an object.
pub const CREATE: Operation = Operation::Create;
/// Deletes an object.
pub const DELETE: Operation = Operation::Delete;
/// Reads an object.
pub const GET: Operation = Operation::Get;
/// Reads a list of objects.
pub const LIST: Operation = Operation::List;
/// Updates some fields of an object.
pub const PATCH: Operation = Operation::Patch;
/// Replaces an object.
pub const PUT: Operation = Operation::Put;
/// All six operations, which the specification calls methods.
pub const ALL_METHODS: [Operation; 6] = [CREATE, DELETE, GET, LIST, PATCH, PUT];
/// Text `"head"`, for completeness with the specification: HEAD is answered like GET and is not an [`Operation`].
pub const HEAD: &str = "head";

impl Operation {
    /// Name of the operation, such as `create`.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Delete => "delete",
            Operation::Get => "get",
            Operation::List => "list",
            Operation::Patch => "patch",
            Operation::Put => "put",
        }
    }

    /// Whether the operation writes.
    pub const fn writes(self) -> bool {
        !matches!(self, Operation::Get | Operation::List)
    }

    /// Operation of an HTTP method, at an item or a collection URL.
    ///
    /// ```
    /// use http::Method;
    /// use model_resource::{CREATE, GET, LIST, Operation};
    ///
    /// assert_eq!(Operation::choose(&Method::GET, false), Some(LIST));
    /// assert_eq!(Operation::choose(&Method::POST, false), Some(CREATE));
    /// assert_eq!(Operation::choose(&Method::HEAD, true), Some(GET));
    /// assert_eq!(Operation::choose(&Method::POST, true), None);
    /// ```
    pub fn choose(method: &Method, is_item: bool) -> Option<Self> {
        let method = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        match (is_item, method) {
            (false, &Method::GET) => Some(LIST),
            (false, _) => Some(CREATE),
            (true, &Method::GET) => Some(GET),
            (true, &Method::PUT) => Some(PUT),
            (true, &Method::PATCH) => Some(PATCH),
            (true, &Method::DELETE) => Some(DELETE),
            (true, _) => None,
        }
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Set of operations, built in a constant.
///
/// ```
/// use model_resource::{ALL_METHODS, CREATE, DELETE, LIST, Operations};
///
/// const READ_AND_CREATE: Operations = Operations::of([CREATE, LIST]);
///
/// assert!(READ_AND_CREATE.contains(LIST) && !READ_AND_CREATE.contains(DELETE));
/// assert_eq!(Operations::of(ALL_METHODS), Operations::ALL);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operations(u8);

impl Operations {
    /// Empty set.
    pub const NONE: Self = Self(0);
    /// All six operations.
    pub const ALL: Self = Self::of(ALL_METHODS);

    /// Creates a set of operations.
    pub const fn of<const N: usize>(operations: [Operation; N]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < N {
            bits |= 1 << operations[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// Returns the set without the operations of another one.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set contains the operation.
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & 1 << operation as u8 != 0
    }
}

impl From<Operation> for Operations {
    fn from(operation: Operation) -> Self {
        Self::of([operation])
    }
}

impl<const N: usize> From<[Operation; N]> for Operations {
    fn from(operations: [Operation; N]) -> Self {
        Self::of(operations)
    }
}
