//! Texts in reading order, and what separates them.
//!
//! White space is what the browser lays out: a text of only white space counts where it has a box (between two words of
//! a line, not between two blocks), though the canonical form leaves it out. Boxes part words by their computed
//! `display`, and by their tag where a capture does not have it. What `::before` and `::after` show is read where it
//! stands; markers of lists and the glyphs of icon fonts say nothing.

use std::borrow::Cow;

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, Document};
use crate::capture::page::Node;
use crate::capture::style::Display;
use crate::element::gather::Gathered;
use crate::element::generated::pseudo_kind;
use crate::element::snapshot::Snapshot;
use crate::element::text::is_phrasing;

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
fn above_is_dropped(document: &Document, index: u32) -> bool {
    document.parent_of(index).is_some_and(|parent| document.has(parent, flag::DROPPED))
}

fn keeps_space(document: &Document, index: u32) -> bool {
    match document.display(index) {
        Display::None | Display::Unknown => document.has(index, flag::PRE),
        _ => document.preserves_space(index),
    }
}

/// The `::before` and the `::after` of an element, where they are rendered.
pub fn pseudo(snapshot: &Snapshot, node: Node) -> [Option<u32>; 2] {
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

/// Whether a text only parts what stands around it, or says nothing at all.
pub fn is_separator(text: &str) -> bool {
    text.len() <= SEPARATOR
        && text.chars().all(|letter| is_space(letter) || is_unseen(letter) || SEPARATORS.contains(letter))
}

/// Whether a text is nothing but dashes, colons and the like: alone in a block they stand for a value.
pub fn is_dash(text: &str) -> bool {
    text.contains(DASHES)
}

/// Bytes of a text that may do no more than to part others; what is looked at of any text for that.
pub(super) const SEPARATOR: usize = 256;
const SEPARATORS: &str = "|¦·•‧∙●◦▪■/\\«»‹›<>–—-_:,;.()[]{}~→←▾▼▴▲▸▶◂◀⌄˅";
const DASHES: [char; 4] = ['-', '–', '—', '_'];

/// White space that is collapsed, and the space that is not broken at: it looks the same.
pub(super) fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter == '\u{a0}'
}

/// Letters that nobody sees: places to break a line at, and icons, whose letters mean nothing.
pub fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}'
    )
}

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
    end: u32,
    stand: Stand,
    after: Option<u32>,
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
