//! The six operations of a resource, and how a request chooses one.

use http::Method;

/// What a request asks of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Make a new object.
    Create,
    /// Remove an object.
    Delete,
    /// Read an object.
    Get,
    /// Read all objects.
    List,
    /// Change some fields of an object.
    Patch,
    /// Change an object as a whole.
    Put,
}

/// Make a new object.
pub const CREATE: Operation = Operation::Create;
/// Remove an object.
pub const DELETE: Operation = Operation::Delete;
/// Read an object.
pub const GET: Operation = Operation::Get;
/// Read all objects.
pub const LIST: Operation = Operation::List;
/// Change some fields of an object.
pub const PATCH: Operation = Operation::Patch;
/// Change an object as a whole.
pub const PUT: Operation = Operation::Put;
/// All six operations.
pub const ALL_METHODS: [Operation; 6] = [CREATE, DELETE, GET, LIST, PATCH, PUT];
/// The lower-case name of the HTTP method that is handled as GET; not an operation.
pub const HEAD: &str = "head";

impl Operation {
    /// The operation's name, such as `create`.
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

    /// Whether it changes anything.
    pub const fn writes(self) -> bool {
        !matches!(self, Operation::Get | Operation::List)
    }

    /// The operation that an HTTP method stands for, at the URL of one object or of a collection.
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

/// A set of operations, written with [`operations!`](crate::operations).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operations(u8);

impl Operations {
    /// No operation.
    pub const NONE: Self = Self(0);
    /// All six operations.
    pub const ALL: Self = Self::of(&ALL_METHODS);

    /// The set of these operations.
    pub const fn of(operations: &[Operation]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < operations.len() {
            bits |= 1 << operations[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// Whether the operation belongs to the set.
    pub const fn contains(self, operation: Operation) -> bool {
        self.0 & 1 << operation as u8 != 0
    }
}

impl From<Operation> for Operations {
    fn from(operation: Operation) -> Self {
        Self::of(&[operation])
    }
}

impl<const N: usize> From<[Operation; N]> for Operations {
    fn from(operations: [Operation; N]) -> Self {
        Self::of(&operations)
    }
}

/// Names operations: `operations![CREATE, LIST]`.
#[macro_export]
macro_rules! operations {
    ($($operation:expr),* $(,)?) => { $crate::Operations::of(&[$($operation),*]) };
}
