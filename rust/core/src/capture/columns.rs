//! A capture as columns: one value per node and field, nodes in pre-order.
//!
//! First child = i + 1, next sibling = i + size[i]: there are no links. Texts are indexes into the string table of
//! the part, which borrows the bytes of the capture and only copies strings that had escapes in them.

use crate::capture::node::{Interval, NodeIndex, Nodes};
use crate::capture::style::{Cursor, Display, Style};

pub const ELEMENT: u8 = 1;
pub const TEXT: u8 = 3;
pub const CDATA: u8 = 4;
pub const DOCUMENT: u8 = 9;
pub const FRAGMENT: u8 = 11;

/// Bits of `Document::flags`.
pub mod flag {
    /// Not part of the canonical form (with all that it holds).
    pub const DROPPED: u16 = 1;
    /// Has a layout box of its own that `visibility` does not hide.
    pub const BOX: u16 = 2;
    /// `BOX`, or something inside is rendered.
    pub const RENDERED: u16 = 4;
    /// Inside `pre` or `textarea`, where whitespace counts.
    pub const PRE: u16 = 8;
    /// Has a live value (`inputValue` or `textValue`).
    pub const VALUE: u16 = 16;
    pub const CHECKED: u16 = 32;
    pub const SELECTED: u16 = 64;
    /// A child of a shadow root; its parent is the host.
    pub const SHADOW: u16 = 128;
    /// A listener for clicks, or a form control (as Chrome tells it).
    pub const CLICKABLE: u16 = 256;
    /// Owns a document (a frame element).
    pub const FRAME: u16 = 512;
    pub const PSEUDO: u16 = 1024;
    /// An `option` or `optgroup`.
    pub const OPTION: u16 = 2048;
    /// A `details` that is closed.
    pub const CLOSED: u16 = 4096;
    /// Inside a closed `details`, but not its `summary`. Chrome lays such content out when a script measures it.
    pub const FOLDED: u16 = 8192;
}

/// A sparse column: sorted node indexes with a value each.
pub type Rare = Vec<(NodeIndex, u32)>;

/// The value of a sparse column at `node`.
pub fn rare(column: &Rare, node: NodeIndex) -> Option<u32> {
    column.binary_search_by_key(&node, |entry| entry.0).ok().map(|at| column[at].1)
}

/// One document (a frame's, or the page's) as columns.
#[derive(Clone, Default)]
pub struct Document {
    /// Index of the part, and so of the string table.
    pub part: u32,
    pub frame_id: u32,
    pub url: u32,
    pub title: u32,
    /// Layout size of the content in CSS pixels.
    pub content_size: [f32; 2],
    /// How far the document is scrolled, in CSS pixels; boxes are relative to the document's top left.
    pub scroll: [f32; 2],
    pub parent: Vec<u32>,
    pub kind: Vec<u8>,
    pub name: Vec<u32>,
    pub value: Vec<u32>,
    /// Backend node ids: unique in the renderer process, the same from capture to capture.
    pub backend_node_id: Vec<u32>,
    /// Attributes of node i: pairs `attr_start[i]..attr_start[i + 1]` of `attrs`, each a name and a value.
    pub attr_start: Vec<u32>,
    pub attrs: Vec<u32>,
    pub shadow: Rare,
    pub text_value: Rare,
    pub input_value: Rare,
    pub checked: Rare,
    pub selected: Rare,
    pub pseudo: Rare,
    pub clickable: Rare,
    pub content_document: Rare,
    pub layout_node: Vec<u32>,
    /// The styles of each node that text and names depend on.
    pub style: Vec<Style>,
    /// The computed `content` of pseudo-elements.
    pub content: Rare,
    /// The texts that Chrome laid out for pseudo-elements, in order; a node may have several.
    pub generated: Rare,
    /// Texts whose letters `text-transform` shows in another case, as they are shown.
    pub shown: Rare,
    /// Where `layout.bounds` stands in the bytes of the part; read only for rows that are reported.
    pub bounds_at: Option<usize>,
    /// Nodes in the subtree, itself included.
    pub size: Vec<u32>,
    pub flags: Vec<u16>,
}

impl Document {
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    #[inline(always)]
    pub fn attributes(&self, node: NodeIndex) -> &[[u32; 2]] {
        let (start, end) = (self.attr_start[node] as usize, self.attr_start[node + 1] as usize);
        self.attrs[2 * start..2 * end].as_chunks().0
    }

    #[inline(always)]
    pub fn has(&self, node: NodeIndex, bits: u16) -> bool {
        self.flags[node] & bits != 0
    }

    /// Whether the node is rendered, and nothing that captures have and pages do not.
    #[inline(always)]
    pub fn is_shown(&self, node: NodeIndex) -> bool {
        self.flags[node] & (flag::RENDERED | flag::DROPPED) == flag::RENDERED
    }

    /// One past the last node of the subtree.
    #[inline(always)]
    pub fn end(&self, node: NodeIndex) -> NodeIndex {
        node + self.size[node]
    }

    /// All nodes, the root first.
    pub fn nodes(&self) -> Nodes {
        NodeIndex::ROOT.until(NodeIndex::from_at(self.len())).nodes()
    }

    /// The subtree of `node`, itself included.
    #[inline(always)]
    pub fn subtree(&self, node: NodeIndex) -> Interval {
        node.until(self.end(node))
    }

    /// What `node` holds.
    #[inline(always)]
    pub fn inside(&self, node: NodeIndex) -> Interval {
        (node + 1).until(self.end(node))
    }

    /// Whether `node` is `ancestor` or inside it.
    #[inline]
    pub fn within(&self, node: NodeIndex, ancestor: NodeIndex) -> bool {
        self.subtree(ancestor).contains(node)
    }

    /// The children that are part of the canonical form.
    pub fn children(&self, node: NodeIndex) -> Children<'_> {
        Children { document: self, next: node + 1, end: self.end(node) }
    }

    /// Whether `node` is an element in the DOM's sense; `is_element` takes all that may have children for one.
    #[inline(always)]
    pub fn has_tag(&self, node: NodeIndex) -> bool {
        self.kind[node] == ELEMENT
    }

    /// Whether the canonical form takes `node` for an element: one, or the root of a shadow tree.
    pub fn is_element(&self, node: NodeIndex) -> bool {
        !matches!(self.kind[node], TEXT | CDATA | DOCUMENT)
    }

    pub fn is_text(&self, node: NodeIndex) -> bool {
        matches!(self.kind[node], TEXT | CDATA)
    }

    /// How `node` takes part in the layout; `None` if it has no box, `Unknown` if the capture does not say.
    #[inline(always)]
    pub fn display(&self, node: NodeIndex) -> Display {
        self.style[node].display()
    }

    /// What the mouse pointer over `node` promises.
    pub fn cursor(&self, node: NodeIndex) -> Cursor {
        self.style[node].cursor()
    }

    /// Whether the white space of the texts in `node` shows: neither `white-space-collapse` nor `white-space`
    /// collapses it.
    pub fn preserves_space(&self, node: NodeIndex) -> bool {
        self.style[node].preserves_space()
    }

    /// The string that is the computed `content` of a pseudo-element: `"x" / "alternative"`, `url("…")`.
    pub fn content_style(&self, node: NodeIndex) -> Option<u32> {
        rare(&self.content, node)
    }

    /// The strings that Chrome laid out for a pseudo-element, with counters, quotes and `attr()` resolved.
    pub fn generated(&self, node: NodeIndex) -> impl Iterator<Item = u32> + '_ {
        let first = self.generated.partition_point(|entry| entry.0 < node);
        self.generated[first..].iter().take_while(move |entry| entry.0 == node).map(|entry| entry.1)
    }

    /// The string that a text node shows: its value, in the case that `text-transform` gives it.
    pub fn shown(&self, node: NodeIndex) -> u32 {
        rare(&self.shown, node).unwrap_or(self.value[node])
    }

    /// The node that holds `node`; None for the root.
    pub fn parent_of(&self, node: NodeIndex) -> Option<NodeIndex> {
        NodeIndex::known(self.parent[node])
    }
}

pub struct Children<'a> {
    document: &'a Document,
    next: NodeIndex,
    end: NodeIndex,
}

impl Iterator for Children<'_> {
    type Item = NodeIndex;

    #[inline]
    fn next(&mut self) -> Option<NodeIndex> {
        while self.next < self.end {
            let node = self.next;
            self.next += self.document.size[node];
            if !self.document.has(node, flag::DROPPED) {
                return Some(node);
            }
        }
        None
    }
}

/// The columns of a subtree; node 0 is its root.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    pub start: NodeIndex,
    pub parent: &'a [u32],
    pub kind: &'a [u8],
    pub name: &'a [u32],
    pub value: &'a [u32],
    pub flags: &'a [u16],
    attr_start: &'a [u32],
    attributes: &'a [[u32; 2]],
}

impl<'a> Columns<'a> {
    pub fn new(document: &'a Document, start: NodeIndex) -> Self {
        let range = start.at()..document.end(start).at();
        Self {
            start,
            parent: &document.parent[range.clone()],
            kind: &document.kind[range.clone()],
            name: &document.name[range.clone()],
            value: &document.value[range.clone()],
            flags: &document.flags[range.clone()],
            attr_start: &document.attr_start[range.start..=range.end],
            attributes: document.attrs.as_chunks().0,
        }
    }

    #[inline(always)]
    pub fn attributes(&self, at: usize) -> &'a [[u32; 2]] {
        let range = self.attr_start[at] as usize..self.attr_start[at + 1] as usize;
        self.attributes.get(range).unwrap_or_default()
    }
}
