//! Which document and which node: indexes that cannot be taken for one another, nor for any other number.

use std::fmt;
use std::ops::{Add, AddAssign, Index, IndexMut, Range, Sub};

use crate::capture::strings::NONE;

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(u32);

        impl $name {
            #[inline(always)]
            #[must_use]
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The index as the number that it is in a capture.
            #[inline(always)]
            #[must_use]
            pub const fn number(self) -> u32 {
                self.0
            }

            /// The place in a column.
            #[inline(always)]
            #[must_use]
            pub const fn at(self) -> usize {
                self.0 as usize
            }

            /// The index of a place in a column. No column has more places than 32 bits can count.
            #[inline(always)]
            #[must_use]
            pub const fn from_at(at: usize) -> Self {
                Self(at as u32)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$name> for u64 {
            #[inline(always)]
            fn from(index: $name) -> Self {
                Self::from(index.0)
            }
        }

        impl<T> Index<$name> for [T] {
            type Output = T;

            #[inline(always)]
            fn index(&self, index: $name) -> &T {
                &self[index.at()]
            }
        }

        impl<T> IndexMut<$name> for [T] {
            #[inline(always)]
            fn index_mut(&mut self, index: $name) -> &mut T {
                &mut self[index.at()]
            }
        }

        impl<T> Index<$name> for Vec<T> {
            type Output = T;

            #[inline(always)]
            fn index(&self, index: $name) -> &T {
                &self[index.at()]
            }
        }

        impl<T> IndexMut<$name> for Vec<T> {
            #[inline(always)]
            fn index_mut(&mut self, index: $name) -> &mut T {
                &mut self[index.at()]
            }
        }
    };
}

index_type! {
    /// The index of a document among those of its snapshot.
    DocumentIndex
}

index_type! {
    /// The index of a node in the columns of its document. `node + 1` is the one after it in pre-order.
    NodeIndex
}

impl DocumentIndex {
    /// The first document of a capture: the page's own, if no other process holds it.
    pub const FIRST: Self = Self(0);
}

impl NodeIndex {
    /// The root of a document.
    pub const ROOT: Self = Self(0);

    /// The node that a column names; None for `NONE`.
    #[inline(always)]
    pub(crate) fn known(number: u32) -> Option<Self> {
        (number != NONE).then_some(Self(number))
    }

    /// The nodes from this one up to `end`, which is not one of them.
    #[inline(always)]
    #[must_use]
    pub const fn until(self, end: Self) -> Interval {
        Interval { start: self, end }
    }

    #[inline(always)]
    #[must_use]
    pub const fn saturating_add(self, count: u32) -> Self {
        Self(self.0.saturating_add(count))
    }
}

impl Add<u32> for NodeIndex {
    type Output = Self;

    #[inline(always)]
    fn add(self, count: u32) -> Self {
        Self(self.0 + count)
    }
}

impl AddAssign<u32> for NodeIndex {
    #[inline(always)]
    fn add_assign(&mut self, count: u32) {
        self.0 += count;
    }
}

impl Sub<u32> for NodeIndex {
    type Output = Self;

    #[inline(always)]
    fn sub(self, count: u32) -> Self {
        Self(self.0 - count)
    }
}

/// How many nodes lie between two.
impl Sub for NodeIndex {
    type Output = u32;

    #[inline(always)]
    fn sub(self, other: Self) -> u32 {
        self.0 - other.0
    }
}

/// A node of a snapshot: the index of its document, and its index in that document's columns.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Node, NodeIndex, Snapshot};
///
/// let snapshot = Snapshot::from_cdp(Arc::new(BEFORE))?;
/// let root = Node { document: snapshot.order[0], index: NodeIndex::ROOT };
/// assert_eq!(snapshot.find("", snapshot.backend_node_id(root)), Some(root));
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    pub document: DocumentIndex,
    pub index: NodeIndex,
}

impl Node {
    /// By the numbers that document and node have in a capture.
    #[must_use]
    pub const fn numbered(document: u32, index: u32) -> Self {
        Self { document: DocumentIndex::new(document), index: NodeIndex::new(index) }
    }
}

/// Nodes that follow one another in pre-order: `start` up to `end`, which is not one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Interval {
    pub start: NodeIndex,
    pub end: NodeIndex,
}

impl Interval {
    /// How many nodes these are.
    #[inline(always)]
    #[must_use]
    pub fn len(self) -> u32 {
        self.end.0.saturating_sub(self.start.0)
    }

    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    #[inline(always)]
    #[must_use]
    pub fn contains(self, node: NodeIndex) -> bool {
        self.start <= node && node < self.end
    }

    /// The nodes, the first one first.
    #[inline(always)]
    #[must_use]
    pub fn nodes(self) -> Nodes {
        Nodes(self.start.0..self.end.0)
    }
}

impl IntoIterator for Interval {
    type Item = NodeIndex;
    type IntoIter = Nodes;

    #[inline(always)]
    fn into_iter(self) -> Nodes {
        self.nodes()
    }
}

/// The nodes of an interval.
#[derive(Clone, Debug)]
pub struct Nodes(Range<u32>);

impl Iterator for Nodes {
    type Item = NodeIndex;

    #[inline(always)]
    fn next(&mut self) -> Option<NodeIndex> {
        self.0.next().map(NodeIndex)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline(always)]
    fn nth(&mut self, count: usize) -> Option<NodeIndex> {
        self.0.nth(count).map(NodeIndex)
    }
}

impl DoubleEndedIterator for Nodes {
    #[inline(always)]
    fn next_back(&mut self) -> Option<NodeIndex> {
        self.0.next_back().map(NodeIndex)
    }
}

impl ExactSizeIterator for Nodes {}

/// The same node before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodePair {
    pub old: NodeIndex,
    pub new: NodeIndex,
}

impl NodePair {
    #[inline(always)]
    #[must_use]
    pub const fn new(old: NodeIndex, new: NodeIndex) -> Self {
        Self { old, new }
    }
}

/// The same document before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentPair {
    pub old: DocumentIndex,
    pub new: DocumentIndex,
}
