//! How the later page came about, and where a document is.

use crate::capture::node::DocumentIndex;
use crate::capture::page::text_of;
use crate::element::snapshot::Snapshot;

/// How the later page came about.
#[derive(Clone, Copy)]
pub struct Visit {
    /// Its document is another one.
    pub loaded: bool,
    /// Its URL leads to another page, not only to other data on it.
    pub elsewhere: bool,
}

/// Where a document is: its URL without query and fragment.
pub fn place(snapshot: &Snapshot, document: DocumentIndex) -> &str {
    path(text_of(snapshot.part_of(document), snapshot.documents[document].url))
}

/// A URL without query and fragment.
pub fn path(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}
