//! The accessible names and whole texts of a document's elements, for look-ups.
//!
//! These are the names of `element::name`, which the scripts in the page make by the same rules (their names.js), and texts
//! as `text=` means them there (their words.js): a selector made here is resolved there. Both count for comparison without
//! their whitespace and what nobody sees; so two that only differ in that are taken for the same one. Made on first use,
//! apart from the rest of the index, since a CSS selector needs none of it. O(nodes + text): names of elements in one
//! another, each of which is made of all that they hold, get a bounded share of work for the whole document.

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, flag};
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::element::attributes::input_type;
use crate::element::control::{button_value, is_button};
use crate::element::letters::is_unseen;
use crate::element::name::name_of;
use crate::element::postings::{Collector, Postings};
use crate::element::role::role;
use crate::element::roles::Role;
use crate::element::snapshot::{Snapshot, index_of};
use crate::element::tokens::{Kind, mix};
use crate::element::word_index::{WordIndex, named_token, role_token};

/// Characters of a name or text that a selector holds at most.
const LONGEST: usize = 80;

/// Nodes of an element that are gone through for its name.
pub(super) const GATHERED: u32 = 64;

/// Elements that share a text and are looked at to tell whether they hold one another.
const SHARED: usize = 64;

/// Nodes that are looked at for the names of all elements, by node of the document, and some for small ones.
const NAME_NODES: usize = 16;
const NAME_NODES_ALWAYS: usize = 1 << 16;

/// The words of a document.
pub fn words_of(snapshot: &Snapshot, document: DocumentIndex) -> &WordIndex {
    index_of(snapshot, document).known.words.get_or_init(|| index(snapshot, document))
}

fn index(snapshot: &Snapshot, at: DocumentIndex) -> WordIndex {
    let text = sums(snapshot, at);
    let mut words = WordIndex { text, postings: Postings::default(), complete: true };
    let document = &snapshot.documents[at];
    let mut left = NAME_NODES * document.len() + NAME_NODES_ALWAYS;
    let mut collector = Collector::default();
    for index in document.nodes() {
        let node = Node { document: at, index };
        if !document.has_tag(index) || document.has(index, flag::PSEUDO) {
            continue;
        }
        let text = whole_text(&words, snapshot, node);
        if text != 0 {
            let number = collector.number(mix(text, Kind::Text as u64));
            collector.add(number, index);
        }
        let role = role(snapshot, node);
        if matches!(role, Role::None | Role::Generic) {
            continue;
        }
        let number = collector.number(role_token(role.name()));
        collector.add(number, index);
        if left == 0 {
            words.complete = false;
            continue;
        }
        let (name, nodes) = name_of(snapshot, node, role);
        left = left.saturating_sub(nodes);
        if !name.is_empty() {
            let number = collector.number(named_token(role.name(), sum_of(&name)));
            collector.add(number, index);
        }
    }
    words.postings = collector.finish();
    words
}

/// What `text=` compares of an element, without space; 0 if there is none.
fn whole_text(words: &WordIndex, snapshot: &Snapshot, node: Node) -> u64 {
    match snapshot.tag(node) {
        Atom::Input if is_button(&input_type(snapshot, node)) => sum_of(button_value(snapshot, node).unwrap_or("")),
        Atom::Input | Atom::Textarea => 0,
        _ => words.text[node.index],
    }
}

/// The text as a text selector has to write it, if `node` is the innermost and only element that has it.
pub fn own_text(snapshot: &Snapshot, node: Node) -> Option<String> {
    let document = snapshot.document(node);
    let words = words_of(snapshot, node.document);
    let sum = whole_text(words, snapshot, node);
    let others = words.with_text(sum);
    if sum == 0 || others.len() > SHARED || !in_body(snapshot, node) {
        return None;
    }
    if others.iter().any(|&other| other != node.index && !document.within(node.index, other)) {
        return None;
    }
    let text = if snapshot.tag(node) == Atom::Input {
        button_value(snapshot, node).unwrap_or("").to_owned()
    } else {
        gather(snapshot, node)?
    };
    writable(&text)
}

/// The letters of a text that are seen, with its whitespace collapsed, if it is short and every language in play takes
/// its whitespace for the same.
pub fn writable(text: &str) -> Option<String> {
    let odd = |letter: char| letter.is_control() && !letter.is_ascii_whitespace();
    let seen = text.replace(is_unseen, "");
    let collapsed = seen.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = !collapsed.is_empty() && collapsed.chars().count() <= LONGEST && !text.contains(odd);
    fits.then_some(collapsed)
}

fn in_body(snapshot: &Snapshot, node: Node) -> bool {
    let mut above = snapshot.inclusive_ancestors(node);
    above.any(|node| snapshot.tag(node) == Atom::Body)
}

// -- sums ----------------------------------------------------------------------------------------------------------

/// A polynomial hash of text without whitespace: that of two texts in a row follows from theirs.
#[derive(Clone, Copy)]
struct Sum {
    value: u64,
    power: u64,
}

const BASE: u64 = 0x2545_f491_4f6c_dd1d;

impl Sum {
    const EMPTY: Self = Self { value: 0, power: 1 };

    fn of(text: &str) -> Self {
        let mut sum = Self::EMPTY;
        let mut add = |byte: u8| {
            sum.value = sum.value.wrapping_mul(BASE).wrapping_add(u64::from(byte) + 1);
            sum.power = sum.power.wrapping_mul(BASE);
        };
        if text.is_ascii() {
            text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != 11).for_each(add);
            return sum;
        }
        for letter in text.chars().filter(|letter| !letter.is_whitespace() && !is_unseen(*letter)) {
            letter.encode_utf8(&mut [0; 4]).bytes().for_each(&mut add);
        }
        sum
    }

    fn then(self, next: Self) -> Self {
        Self {
            value: self.value.wrapping_mul(next.power).wrapping_add(next.value),
            power: self.power.wrapping_mul(next.power),
        }
    }
}

/// What a text counts for in comparisons: it without its whitespace; 0 if nothing is left.
pub fn sum_of(text: &str) -> u64 {
    Sum::of(text).value
}

/// Text of all nodes: one scan from the end, in which every child comes before its parent.
fn sums(snapshot: &Snapshot, at: DocumentIndex) -> Vec<u64> {
    let document = &snapshot.documents[at];
    let strings = &snapshot.part_of(at).strings;
    let mut text = vec![Sum::EMPTY; document.len()];
    for index in document.nodes().rev() {
        if document.is_text(index) && !document.has(index, flag::DROPPED) {
            text[index] = Sum::of(strings.get(document.value[index]));
        }
        let Some(parent) = document.parent_of(index) else { continue };
        let left_out = document.has(index, flag::DROPPED | flag::SHADOW);
        if !left_out && snapshot.tag(Node { document: at, index }) != Atom::Head {
            text[parent] = text[index].then(text[parent]);
        }
    }
    text.into_iter().map(|sum| sum.value).collect()
}

// -- the exact words -----------------------------------------------------------------------------------------------

/// The words in an element in order; None if it is large.
fn gather(snapshot: &Snapshot, node: Node) -> Option<String> {
    let document = snapshot.document(node);
    let end = document.end(node.index);
    if end - node.index > GATHERED || !document.shadow.is_empty() && has_shadow(document, node.index) {
        return None;
    }
    let mut words = String::new();
    let mut index = node.index;
    while index < end {
        let at = Node { index, ..node };
        if document.has(index, flag::DROPPED) && document.has_tag(index) {
            index = document.end(index);
            continue;
        }
        if document.is_text(index) {
            words.push_str(snapshot.strings(node).get(document.value[index]));
        } else if snapshot.tag(at) == Atom::Br {
            words.push(' ');
        }
        index += 1;
    }
    Some(words)
}

fn has_shadow(document: &Document, node: NodeIndex) -> bool {
    let inside = document.shadow.partition_point(|entry| entry.0 < node);
    document.shadow.get(inside).is_some_and(|entry| entry.0 < document.end(node))
}

/// Whether a screen reader gets `node`: it is rendered, and in nothing that is hidden from the reader.
pub fn is_told(snapshot: &Snapshot, node: Node) -> bool {
    let hidden = |node: Node| snapshot.attribute(node, Atom::AriaHidden) == Some("true");
    let mut above = snapshot.inclusive_ancestors(node);
    snapshot.document(node).has(node.index, flag::RENDERED) && !above.any(hidden)
}
