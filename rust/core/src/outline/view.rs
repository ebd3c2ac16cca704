//! The part of each document that the window shows.

use crate::capture::bounds::bounds;
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::element::snapshot::Snapshot;

/// x, y, right and bottom in CSS pixels of a document.
type Area = [f32; 4];

/// The part of each document that is in view; everything where nobody asked.
pub struct View {
    areas: Option<Vec<Option<Area>>>,
}

impl View {
    pub fn new(snapshot: &Snapshot, limited: bool) -> Self {
        if !limited {
            return Self { areas: None };
        }
        let mut areas: Vec<Option<Area>> = vec![None; snapshot.documents.len()];
        for &document in &snapshot.order {
            areas[document] = match snapshot.owner[document] {
                None => Some(window(snapshot, document)),
                Some(owner) => areas[owner.document].and_then(|outer| inner(snapshot, document, owner, outer)),
            };
        }
        Self { areas: Some(areas) }
    }

    /// Whether any of a document is in view.
    pub fn shows(&self, document: DocumentIndex) -> bool {
        self.areas.as_ref().is_none_or(|areas| areas[document].is_some())
    }

    /// Whether any of the box of a node is in view; a node without a box is.
    pub fn has(&self, snapshot: &Snapshot, node: Node) -> bool {
        let Some(areas) = &self.areas else { return true };
        let Some([left, top, right, bottom]) = areas[node.document] else { return false };
        if !snapshot.document(node).has(node.index, flag::BOX) {
            return true;
        }
        let Some([x, y, width, height]) = bounds(snapshot, node) else { return true };
        x < right && y < bottom && x + width.max(1.0) > left && y + height.max(1.0) > top
    }
}

/// What a document shows of itself: its root box is as large as its window, and it is scrolled.
fn window(snapshot: &Snapshot, document: DocumentIndex) -> Area {
    let columns = &snapshot.documents[document];
    let [x, y] = columns.scroll;
    let all = columns.content_size;
    let [width, height] = bounds(snapshot, Node { document, index: NodeIndex::ROOT })
        .map_or(all, |[_, _, width, height]| [width, height]);
    [x, y, x + width, y + height]
}

/// The part of a frame's document that is in view: what its window shows within the visible part of the frame element.
fn inner(snapshot: &Snapshot, document: DocumentIndex, owner: Node, outer: Area) -> Option<Area> {
    let [left, top, right, bottom] = window(snapshot, document);
    let [x, y, _, _] = bounds(snapshot, owner)?;
    // Borders and padding of the frame element are taken for a part of its window: a few pixels.
    let seen = [
        left.max(outer[0] - x + left),
        top.max(outer[1] - y + top),
        right.min(outer[2] - x + left),
        bottom.min(outer[3] - y + top),
    ];
    (seen[0] < seen[2] && seen[1] < seen[3]).then_some(seen)
}
