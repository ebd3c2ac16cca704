//! One capture of one process, and what is known of its documents before they are checked.

use crate::capture::atom::Atom;
use crate::capture::columns::Document;
use crate::capture::strings::Strings;
use crate::capture::style::StyleRows;

/// One capture of one process: documents that share a string table.
pub struct Part {
    pub documents: Vec<Document>,
    pub strings: Strings,
    /// What each string is as a tag or attribute name.
    pub atoms: Vec<Atom>,
    /// Where the result stands in the bytes.
    pub span: (usize, usize),
}

/// A document together with what its checks need.
pub(super) type Unchecked = (Document, Checks);

#[derive(Default)]
pub(super) struct Checks {
    pub(super) offset: usize,
    /// One more than the highest string index seen.
    pub(super) strings: u32,
    /// The computed styles of each row of the layout, and its text, which are kept by node.
    pub(super) styles: StyleRows,
    pub(super) texts: Vec<u32>,
}

/// What one element says of itself: its backend node id, and names and values as attributes have them.
pub type Internals = (u32, Vec<(String, String)>);
