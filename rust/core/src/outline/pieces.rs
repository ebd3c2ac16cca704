//! The pieces of a page's text in reading order, and what separates them.

use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::element::flow::{Stand, generated, piece};
use crate::element::gather::Gathered;
use crate::element::letters::{is_dash, is_separator};
use crate::element::snapshot::Snapshot;

/// A piece of a text; nodes are of the document that the text is in.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
    Text(NodeIndex),
    /// What a pseudo-element shows.
    Generated(NodeIndex),
    /// The border of a box that is not a line of its own.
    Edge(Stand),
    /// A line break.
    Break,
    /// Another cell of a row.
    Cell,
}

/// The text that pieces make, of about `room` bytes at most; and whether there was more.
pub fn said(snapshot: &Snapshot, document: DocumentIndex, pieces: &[Piece], room: usize) -> (String, bool) {
    let mut gathered = Gathered::of_lines(room);
    for &one in pieces {
        if gathered.is_full() {
            break;
        }
        match one {
            Piece::Text(index) => {
                let node = Node { document, index };
                if let Some(piece) = piece(snapshot, node, true) {
                    gathered.piece(snapshot, node, &piece);
                }
            }
            Piece::Generated(index) => gathered.generated(snapshot, Node { document, index }),
            Piece::Edge(Stand::Block) | Piece::Break => gathered.part(),
            Piece::Edge(stand) => gathered.edge(stand),
            Piece::Cell => gathered.bar(),
        }
    }
    let partial = gathered.is_full();
    (gathered.done(), partial)
}

/// Whether pieces say nothing: white space, or what parts others from each other. A dash `alone` in a block, or in a
/// cell, stands for a value.
pub fn say_nothing(snapshot: &Snapshot, document: DocumentIndex, pieces: &[Piece], alone: bool) -> bool {
    let cells = pieces.iter().any(|piece| matches!(piece, Piece::Cell));
    pieces.iter().all(|&one| match one {
        Piece::Text(index) => piece(snapshot, Node { document, index }, true).is_none_or(|piece| {
            let stands = alone && is_dash(&piece.text) || cells && !is_blank(&piece.text);
            is_separator(&piece.text) && !stands
        }),
        Piece::Generated(index) => generated(snapshot, Node { document, index }).is_none(),
        Piece::Edge(_) | Piece::Break | Piece::Cell => true,
    })
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || letter == '\u{a0}')
}
