//! The errors in the stored form of a signature or an index.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes end before what they announce does.
    Truncated,
    /// More bytes than a signature or an index has.
    Trailing,
    /// Not the stored form of this.
    Magic,
    /// Of another version.
    Version,
    /// Made with another seed.
    Seed,
    /// The bytes are not those that were written.
    Checksum,
    /// A key is not UTF-8.
    Utf8,
    /// A key stands there twice.
    Duplicate,
    /// More than an index holds.
    TooLarge,
}

/// Bytes that are not a stored signature or index; `offset` is the byte where that became certain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignatureError {
    pub kind: ErrorKind,
    pub offset: usize,
}

pub type Result<T> = std::result::Result<T, SignatureError>;

impl SignatureError {
    #[must_use]
    pub fn new(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ErrorKind::Truncated => "the bytes end too early; read the file or the row again as a whole",
            ErrorKind::Trailing => "there are bytes behind its end; pass one stored form at a time",
            ErrorKind::Magic => "these bytes are something else; pass what `to_bytes` returned",
            ErrorKind::Version => "it has another version; make it again from the page's snapshot",
            ErrorKind::Seed => "it was made with another seed; make it again from the page's snapshot",
            ErrorKind::Checksum => "the checksum does not fit; some bytes were changed since it was written",
            ErrorKind::Utf8 => "a key is not UTF-8",
            ErrorKind::Duplicate => "a key stands there twice",
            ErrorKind::TooLarge => "an index holds at most 4,294,967,294 signatures and 4 GiB per key",
        };
        write!(f, "not a stored signature or index: {what} (byte {})", self.offset)
    }
}

impl std::error::Error for SignatureError {}
