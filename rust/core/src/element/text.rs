//! What a user reads: the rendered text of a subtree, and how texts are shortened.

use unicode_segmentation::UnicodeSegmentation;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::Node;
use crate::digest::canonical::is_space;
use crate::element::flow::is_phrasing;
use crate::element::gather::Gathered;
use crate::element::letters::is_unseen;
use crate::element::reading::{Enter, Reading, read};
use crate::element::snapshot::Snapshot;

/// Characters that a row shows at least of the text of what holds other elements (design: the contract of a row).
pub const ROW_CHARACTERS: usize = 50;

/// Characters that a row shows of a message or a single text, unless the caller says otherwise.
pub const TEXT_CHARACTERS: usize = 300;

/// Characters of an accessible name that a row shows.
pub const NAME_CHARACTERS: usize = 100;

/// Elements that are looked at to tell whether a text holds only words: a longer one is not worth showing whole.
const WORDS: u32 = 512;

/// Nodes of an element of which all texts are read, shown or not.
const HELD: usize = 2048;

pub use crate::secret::{REDACTED, Redactor};

/// The first `limit` characters of `text`; a grapheme that would cross the limit is left out whole.
pub fn cut(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let mut characters = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        characters += grapheme.chars().count();
        if characters > limit {
            return text[..at].trim_end();
        }
    }
    text
}

/// As `cut`, with an ellipsis, which counts, in place of what was cut off.
pub fn shorten(text: &str, limit: usize) -> String {
    if cut(text, limit).len() == text.len() {
        return text.to_owned();
    }
    match limit.checked_sub(1) {
        Some(room) => format!("{}…", cut(text, room)),
        None => String::new(),
    }
}

/// A name as a person reads it: without the glyphs of icon fonts and the places to break a line at, and with a plain
/// space for each that does not break, which Chrome all has in names.
pub fn legible(name: String) -> String {
    let other = |letter: char| is_unseen(letter) || !letter.is_ascii() && letter.is_whitespace();
    if name.is_ascii() || !name.contains(other) {
        return name;
    }
    let mut words = Gathered::of_words();
    words.text(&name);
    words.done()
}

impl Redactor {
    /// Take out secrets, then cut.
    pub fn show(&self, text: &str, limit: usize) -> String {
        shorten(&self.redact(text), limit)
    }
}

/// Whether an element only styles the words in it.
pub fn is_formatting(tag: Atom) -> bool {
    is_phrasing(tag) && !matches!(tag, Atom::A | Atom::Label | Atom::Slot) || tag == Atom::Br
}

/// The rendered text in and under `node` on one line, its white space collapsed, blocks parted by a space; of a list only
/// what is selected. At most ~4 kB of it.
pub fn rendered_text(snapshot: &Snapshot, node: Node) -> String {
    text_within(snapshot, node, u32::MAX)
}

/// As `rendered_text`, of the first `limit` nodes.
pub fn text_within(snapshot: &Snapshot, node: Node, limit: u32) -> String {
    words_of(snapshot, node, limit, |_| Enter::Into)
}

/// As `rendered_text`, without the elements that `enter` skips.
pub fn text_except(snapshot: &Snapshot, node: Node, enter: impl Fn(Node) -> Enter) -> String {
    words_of(snapshot, node, u32::MAX, enter)
}

fn words_of(snapshot: &Snapshot, node: Node, limit: u32, enter: impl Fn(Node) -> Enter) -> String {
    let how = Reading { nodes: limit, generated: true };
    let mut gathered = Gathered::of_words();
    let enter = |at| if is_unselected(snapshot, at, node) { Enter::Skip } else { enter(at) };
    read(snapshot, node, &how, &mut gathered, enter);
    gathered.done()
}

/// The texts in an element, shown or not.
pub(super) fn words_within(snapshot: &Snapshot, node: Node) -> String {
    let document = snapshot.document(node);
    let mut gathered = Gathered::default();
    for at in document.subtree(node.index).nodes().take(HELD).filter(|&at| document.is_text(at)) {
        gathered.text(snapshot.strings(node).get(document.value[at]));
    }
    gathered.done()
}

fn is_unselected(snapshot: &Snapshot, at: Node, root: Node) -> bool {
    let option = snapshot.tag(at) == Atom::Option && snapshot.document(at).kind[at.index] == 1;
    option && at != root && !snapshot.document(at).has(at.index, flag::SELECTED)
}

/// Whether a rendered text that is not blank stands directly in `node`.
pub fn has_own_text(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    document.children(node.index).any(|child| {
        document.is_text(child)
            && document.has(child, flag::RENDERED)
            && !snapshot.strings(node).bytes(document.value[child]).iter().all(|&byte| is_space(byte))
    })
}

/// Whether all rendered elements in `node` are words of its text.
pub fn is_only_words(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    let mut index = node.index + 1;
    if document.size[node.index] > WORDS {
        return false;
    }
    while index < document.end(node.index) {
        if !document.is_shown(index) {
            index = document.end(index);
            continue;
        }
        let tag = snapshot.tag(Node { index, ..node });
        if document.is_element(index) && !is_phrasing(tag) && tag != Atom::Br {
            return false;
        }
        index += 1;
    }
    true
}
