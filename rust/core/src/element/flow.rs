//! Texts in reading order, and what separates them.
//!
//! White space is what the browser lays out: a text of only white space counts where it has a box (between two words of
//! a line, not between two blocks), though the canonical form leaves it out. Boxes part words by their computed
//! `display`, and by their tag where a capture does not have it. What `::before` and `::after` show is read where it
//! stands; markers of lists and the glyphs of icon fonts say nothing.

use std::borrow::Cow;

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{Node, NodeIndex};
use crate::capture::style::Display;
use crate::element::generated::pseudo_kind;
use crate::element::letters::is_separator;
use crate::element::snapshot::Snapshot;

/// Pseudo-elements of one element that are looked at; they come before its children.
const PSEUDO: u32 = 8;

/// How an element stands in the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// As a part of its line.
    Inline,
    /// On a line with others, in a box of its own.
    Apart,
    /// On lines of its own.
    Block,
}

/// How `node` stands in the text around it.
pub fn stand(snapshot: &Snapshot, node: Node) -> Stand {
    let (document, tag) = (snapshot.document(node), snapshot.tag(node));
    let by_tag = if is_phrasing(tag) { Stand::Inline } else { Stand::Block };
    match document.display(node.index) {
        _ if matches!(tag, Atom::Option | Atom::Optgroup) => Stand::Block,
        Display::Inline => Stand::Inline,
        Display::InlineBlock | Display::TableCell => Stand::Apart,
        Display::Block | Display::TableRow | Display::TablePart => Stand::Block,
        // `display: contents`: only what it holds is there.
        Display::None if document.has(node.index, flag::RENDERED) => Stand::Inline,
        Display::None | Display::Unknown => by_tag,
    }
}

/// A text as it stands in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    pub text: Cow<'a, str>,
    /// Whether its white space is shown as it is.
    pub kept: bool,
}

/// What a text node shows; None where it shows nothing. With `hidden`, what it would show.
pub fn piece(snapshot: &Snapshot, node: Node, hidden: bool) -> Option<Piece<'_>> {
    let document = snapshot.document(node);
    let there = if document.has(node.index, flag::DROPPED) {
        document.has(node.index, flag::BOX) && !above_is_dropped(document, node.index)
    } else {
        hidden || document.has(node.index, flag::RENDERED)
    };
    there.then(|| Piece {
        text: Cow::Borrowed(snapshot.strings(node).get(document.shown(node.index))),
        kept: keeps_space(document, node.index),
    })
}

/// Whether a node is left out because what holds it is: a text of only white space is left out on its own account.
fn above_is_dropped(document: &Document, index: NodeIndex) -> bool {
    document.parent_of(index).is_some_and(|parent| document.has(parent, flag::DROPPED))
}

fn keeps_space(document: &Document, index: NodeIndex) -> bool {
    match document.display(index) {
        Display::None | Display::Unknown => document.has(index, flag::PRE),
        _ => document.preserves_space(index),
    }
}

/// The `::before` and the `::after` of an element, where they are rendered.
pub fn pseudo(snapshot: &Snapshot, node: Node) -> [Option<NodeIndex>; 2] {
    let document = snapshot.document(node);
    let (mut child, end) = (node.index + 1, document.end(node.index));
    let mut found = [None; 2];
    for _ in 0..PSEUDO {
        if child >= end || !document.has(child, flag::PSEUDO) {
            break;
        }
        match pseudo_kind(snapshot, Node { index: child, ..node }) {
            "before" if document.has(child, flag::BOX) => found[0] = Some(child),
            "after" if document.has(child, flag::BOX) => found[1] = Some(child),
            _ => {}
        }
        child = document.end(child);
    }
    found
}

/// The text that a pseudo-element shows, if that says something: separators, bullets and icons do not.
pub fn generated(snapshot: &Snapshot, pseudo: Node) -> Option<Piece<'_>> {
    let document = snapshot.document(pseudo);
    let mut texts = document.generated(pseudo.index).map(|id| snapshot.strings(pseudo).get(id));
    let first = texts.next()?;
    let text = match texts.next() {
        None => Cow::Borrowed(first),
        Some(second) => Cow::Owned([first, second].into_iter().chain(texts).collect()),
    };
    (!is_separator(&text)).then(|| Piece { text, kept: keeps_space(document, pseudo.index) })
}

/// Whether an element is part of a line of text rather than a block of its own.
pub fn is_phrasing(tag: Atom) -> bool {
    use Atom::*;
    matches!(
        tag,
        A | Abbr
            | B
            | Bdi
            | Bdo
            | Big
            | Cite
            | Code
            | Del
            | Dfn
            | Em
            | Font
            | I
            | Ins
            | Kbd
            | Label
            | Mark
            | Q
            | S
            | Samp
            | Small
            | Span
            | Strong
            | Sub
            | Sup
            | Time
            | Tt
            | U
            | Var
            | Wbr
            | Slot
    )
}
