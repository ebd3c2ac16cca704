//! Which pieces of text belong together, and where a text ends.

use super::Walk;
use crate::capture::columns::flag;
use crate::capture::node::Node;
use crate::capture::strings::NONE;
use crate::element::flow::{self, Stand};
use crate::outline::item::Kind;
use crate::outline::pieces::{Piece, say_nothing};
use crate::outline::roles::Role;

impl Walk<'_> {
    pub(super) fn text(&mut self, node: Node, shown: bool) {
        let hush = self.opens.last().is_none_or(|open| open.hush);
        if hush || !self.view.has(self.snapshot, node) {
            return;
        }
        if shown {
            self.seen = node;
            self.go_on(node, Piece::Text(node.index));
        } else if self.snapshot.document(node).has(node.index, flag::DROPPED) && self.run != NONE {
            // White space goes on with a text and begins none.
            self.pieces.push(Piece::Text(node.index));
        }
    }

    /// What a pseudo-element shows, where it stands.
    pub(super) fn generated(&mut self, pseudo: Node) {
        let hush = self.opens.last().is_none_or(|open| open.hush);
        if !hush && self.view.has(self.snapshot, pseudo) && flow::generated(self.snapshot, pseudo).is_some() {
            self.go_on(self.seen, Piece::Generated(pseudo.index));
        }
    }

    /// Go on with a text, or begin one.
    pub(super) fn go_on(&mut self, node: Node, piece: Piece) {
        if self.run == NONE {
            let start = self.pieces.len() as u32;
            // Empty cells before it: columns stay where they are.
            let empty = self.cells.saturating_sub(1) as usize;
            self.pieces.extend(std::iter::repeat_n(Piece::Cell, empty));
            let band = self.band(node, Role::text());
            let at = self.push(node, Kind::Text, Role::text(), band);
            self.items[at as usize].said = (start, start);
            self.run = at;
        }
        self.pieces.push(piece);
        self.items[self.run as usize].said.1 = self.pieces.len() as u32;
    }

    pub(super) fn edge(&mut self, stand: Stand) {
        if stand != Stand::Inline && self.run != NONE {
            self.pieces.push(Piece::Edge(stand));
        }
    }

    pub(super) fn cell(&mut self) {
        match self.run {
            NONE => self.cells += 1,
            _ => self.pieces.push(Piece::Cell),
        }
    }

    /// What comes next is another text; one that says nothing is taken back.
    pub(super) fn end_run(&mut self, alone: bool) {
        let run = std::mem::replace(&mut self.run, NONE);
        let Some(item) = self.items.get(run as usize) else { return };
        let pieces = &self.pieces[item.said.0 as usize..item.said.1 as usize];
        if say_nothing(self.snapshot, item.node.document, pieces, alone) {
            let parent = item.parent;
            self.items.truncate(run as usize);
            if let Some(parent) = self.items.get_mut(parent as usize) {
                parent.children -= 1;
            }
        }
    }
}
