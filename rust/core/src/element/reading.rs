//! Reads the texts of a subtree in their order, and has them gathered.

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{Node, NodeIndex};
use crate::element::flow::{Stand, piece, pseudo, stand};
use crate::element::gather::Gathered;
use crate::element::snapshot::Snapshot;

/// What to do at an element.
pub enum Enter {
    Into,
    Skip,
}

/// How a subtree is read.
pub struct Reading {
    /// The first nodes that are read.
    pub nodes: u32,
    /// Whether what pseudo-elements show is read.
    pub generated: bool,
}

/// An element that is being read.
struct Open {
    end: NodeIndex,
    stand: Stand,
    after: Option<NodeIndex>,
}

/// Read the texts in and under `node`; hidden ones too if it is hidden itself, as that is how names are hidden.
/// O(nodes), and no more once `out` is full.
pub fn read(snapshot: &Snapshot, node: Node, how: &Reading, out: &mut Gathered, enter: impl Fn(Node) -> Enter) {
    let document = snapshot.document(node);
    let hidden = !document.has(node.index, flag::RENDERED);
    let end = document.end(node.index).min(node.index.saturating_add(how.nodes));
    let mut open: Vec<Open> = Vec::new();
    let mut index = node.index;
    loop {
        while open.last().is_some_and(|open| index >= open.end.min(end)) {
            let Some(closed) = open.pop() else { break };
            if let Some(after) = closed.after {
                out.generated(snapshot, Node { index: after, ..node });
            }
            out.edge(closed.stand);
        }
        if index >= end || out.is_full() {
            return;
        }
        let at = Node { index, ..node };
        if document.is_text(index) {
            if let Some(piece) = piece(snapshot, at, hidden) {
                out.piece(snapshot, at, &piece);
            }
            index += 1;
            continue;
        }
        if document.has(index, flag::DROPPED) || !hidden && !document.has(index, flag::RENDERED) {
            index = document.end(index);
            continue;
        }
        match enter(at) {
            Enter::Into => {}
            Enter::Skip => {
                index = document.end(index);
                continue;
            }
        }
        if snapshot.tag(at) == Atom::Br {
            out.line();
        }
        let stand = if index == node.index { Stand::Inline } else { stand(snapshot, at) };
        let [before, after] = if how.generated { pseudo(snapshot, at) } else { [None; 2] };
        out.edge(stand);
        if let Some(before) = before {
            out.generated(snapshot, Node { index: before, ..node });
        }
        if stand != Stand::Inline || after.is_some() {
            open.push(Open { end: document.end(index), stand, after });
        }
        index += 1;
    }
}
