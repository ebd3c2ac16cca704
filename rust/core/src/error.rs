//! The error of every reader of bytes: what is wrong, and at which byte that became certain.

use std::fmt;

/// What is wrong with a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes end before the value does.
    Truncated,
    /// Neither JSON nor Chrome's CBOR, or a value of another type than this place calls for.
    Syntax,
    /// A map or array of CBOR ends elsewhere than the envelope around it.
    Nesting,
    /// Bytes that are not UTF-8 inside the string table.
    Utf8,
    /// A number outside the range of its field.
    Number,
    /// A key that a capture always has is missing.
    Missing,
    /// Two columns of one table have different lengths.
    Length,
    /// A string, node or document index points outside its table.
    Index,
    /// Nodes are not in pre-order, or there is not exactly one root.
    Order,
    /// Documents or parts own one another in a circle.
    Cycle,
    /// More than 4 GiB, or more nodes than 32-bit indexes can hold.
    TooLarge,
    /// The parts of a capture do not fit together.
    Parts,
}

/// Bytes that are not a DOM snapshot; `offset` is the byte at which that became certain.
///
/// ```
/// use std::sync::Arc;
/// use stillframe_core::{Snapshot, SnapshotError};
///
/// let error: SnapshotError = Snapshot::from_cdp(Arc::new(b"{}")).err().expect("this is not a snapshot");
/// assert!(error.to_string().contains("a required key is missing"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotError {
    pub kind: ErrorKind,
    pub offset: usize,
    /// The field being read, in CDP's words.
    pub field: &'static str,
}

pub type Result<T> = std::result::Result<T, SnapshotError>;

impl SnapshotError {
    #[must_use]
    pub fn new(kind: ErrorKind, offset: usize, field: &'static str) -> Self {
        Self { kind, offset, field }
    }
}

impl ErrorKind {
    /// What is wrong, in a few words.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            ErrorKind::Truncated => "the bytes end too early",
            ErrorKind::Syntax => "unexpected JSON or CBOR",
            ErrorKind::Nesting => "a value ends elsewhere than its length says",
            ErrorKind::Utf8 => "a string is not UTF-8",
            ErrorKind::Number => "a number is out of range",
            ErrorKind::Missing => "a required key is missing",
            ErrorKind::Length => "columns of one table have different lengths",
            ErrorKind::Index => "an index points outside its table",
            ErrorKind::Order => "nodes are not in pre-order under one root",
            ErrorKind::Cycle => "documents own one another in a circle",
            ErrorKind::TooLarge => "the capture is too large",
            ErrorKind::Parts => "the parts do not fit together",
        }
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.kind.what();
        write!(
            f,
            "not a DOMSnapshot.captureSnapshot result: {what} (in {}, byte {}); capture the page again",
            self.field, self.offset
        )
    }
}

impl std::error::Error for SnapshotError {}
