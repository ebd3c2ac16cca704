//! What a document says, element by element: accessible names and whole texts, so that they can be looked up.
//!
//! These follow what `role=` and `text=` mean to the agent in the page (page/agent/names.js, tree.js), not the browser's
//! own accessibility tree: a selector made here is resolved there. A name counts for comparison without its whitespace,
//! which depends on styles that a capture does not hold; so two names that only differ in that are taken for the same
//! one. Made on first use, apart from the rest of the index, since a CSS selector needs none of it. O(nodes + text).

use std::borrow::Cow;

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, Document};
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::index::{index_of, mix, token, Collector, Kind, Postings};
use crate::element::naming::{button_value, is_button, source, Source};
use crate::element::role::{input_type, role};

/// Characters of a name or text that a selector holds at most.
const LONGEST: usize = 80;

/// Nodes of an element that are gone through for its name.
pub(super) const GATHERED: u32 = 64;

/// Elements that share a text and are looked at to tell whether they hold one another.
const SHARED: usize = 64;

pub struct Words {
    /// Of every element: its text (`plainText`), and what its name would be made of (`content`), as `Sum` without space.
    text: Vec<u64>,
    content: Vec<u64>,
    postings: Postings,
}

/// The words of a document.
pub fn words_of(snapshot: &Snapshot, document: u32) -> &Words {
    index_of(snapshot, document).known.words.get_or_init(|| Words::new(snapshot, document))
}

impl Words {
    fn new(snapshot: &Snapshot, at: u32) -> Self {
        let (text, content) = sums(snapshot, at);
        let mut words = Self { text, content, postings: Postings::default() };
        let document = &snapshot.documents[at as usize];
        let mut collector = Collector::default();
        for index in 0..document.len() as u32 {
            let node = Node { document: at, index };
            if !document.has_tag(index) || document.has(index, flag::PSEUDO) {
                continue;
            }
            let text = words.whole_text(snapshot, node);
            if text != 0 {
                let number = collector.number(mix(text, Kind::Text as u64));
                collector.add(number, index);
            }
            let role = agent_role(snapshot, node);
            if !role.is_empty() {
                let number = collector.number(role_token(&role));
                collector.add(number, index);
                let name = words.name_sum(snapshot, node, &role);
                if name != 0 {
                    let number = collector.number(named_token(&role, name));
                    collector.add(number, index);
                }
            }
        }
        words.postings = collector.finish();
        words
    }

    /// The elements with this role, and with this role and the name of `node`.
    pub fn with_role(&self, role: &str) -> &[u32] {
        self.postings.get(role_token(role))
    }

    pub fn with_name(&self, role: &str, name: u64) -> &[u32] {
        self.postings.get(named_token(role, name))
    }

    /// The elements that have the text `sum`, those round them included.
    pub fn with_text(&self, sum: u64) -> &[u32] {
        self.postings.get(mix(sum, Kind::Text as u64))
    }

    /// What `text=` compares of an element, without space; 0 if there is none.
    pub fn whole_text(&self, snapshot: &Snapshot, node: Node) -> u64 {
        match snapshot.tag(node) {
            Atom::Input if is_button(&input_type(snapshot, node)) => sum_of(button_value(snapshot, node)),
            Atom::Input | Atom::Textarea => 0,
            _ => self.text[node.index as usize],
        }
    }

    /// The accessible name of an element, without space; 0 if it has none.
    pub fn name_sum(&self, snapshot: &Snapshot, node: Node, role: &str) -> u64 {
        match source(snapshot, node, role) {
            Source::Text(text) => sum_of(&text),
            Source::Nodes(nodes) => {
                let sums = nodes.iter().map(|(index, own)| {
                    let label = snapshot.attribute(Node { index: *index, ..node }, Atom::AriaLabel);
                    match label.filter(|label| *own && !is_blank(label)) {
                        Some(label) => Sum::of(label),
                        // Its length is not known any more; order within a name made of several does not matter much.
                        None => Sum { value: self.content[*index as usize], power: 1 },
                    }
                });
                sums.fold(0u64, |all, sum| all.wrapping_mul(31).wrapping_add(sum.value))
            }
        }
    }

    /// The name as a role selector has to write it; None if what is in the capture does not tell it for sure.
    pub fn shown_name<'a>(&self, snapshot: &'a Snapshot, node: Node, role: &str) -> Option<Cow<'a, str>> {
        let shown = match source(snapshot, node, role) {
            Source::Text(text) => text,
            Source::Nodes(nodes) => match nodes.as_slice() {
                &[(index, own)] => {
                    let at = Node { index, ..node };
                    let label = snapshot.attribute(at, Atom::AriaLabel).filter(|label| own && !is_blank(label));
                    label.map(Cow::Borrowed).or_else(|| gather(snapshot, at, Mode::Content).map(Cow::Owned))?
                }
                _ => return None,
            },
        };
        writable(&shown)
    }

    /// The text as a text selector has to write it, if `node` is the innermost and only element that has it.
    pub fn own_text(&self, snapshot: &Snapshot, node: Node) -> Option<String> {
        let document = snapshot.document(node);
        let sum = self.whole_text(snapshot, node);
        let others = self.with_text(sum);
        if sum == 0 || others.len() > SHARED || !in_body(snapshot, node) {
            return None;
        }
        if others.iter().any(|&other| other != node.index && !document.within(node.index, other)) {
            return None;
        }
        let text = if snapshot.tag(node) == Atom::Input {
            button_value(snapshot, node).to_owned()
        } else {
            gather(snapshot, node, Mode::Text)?
        };
        writable(&text).map(Cow::into_owned)
    }
}

fn role_token(role: &str) -> u64 {
    token(Kind::Role, role.as_bytes())
}

fn named_token(role: &str, name: u64) -> u64 {
    mix(role_token(role), name)
}

/// Text with its whitespace collapsed, if it is short and every language in play takes its whitespace for the same.
fn writable(text: &str) -> Option<Cow<'static, str>> {
    let odd = |letter: char| (letter.is_control() && !letter.is_ascii_whitespace()) || letter == '\u{feff}';
    let collapsed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = !collapsed.is_empty() && collapsed.chars().count() <= LONGEST && !text.contains(odd);
    fits.then_some(Cow::Owned(collapsed))
}

fn in_body(snapshot: &Snapshot, node: Node) -> bool {
    let mut above = std::iter::successors(Some(node), |node| snapshot.parent(*node));
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
        for letter in text.chars().filter(|letter| !letter.is_whitespace() && *letter != '\u{feff}') {
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

pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Text and content of all nodes: one scan from the end, in which every child comes before its parent.
fn sums(snapshot: &Snapshot, at: u32) -> (Vec<u64>, Vec<u64>) {
    let document = &snapshot.documents[at as usize];
    let strings = &snapshot.part_of(at).strings;
    let mut text = vec![Sum::EMPTY; document.len()];
    let mut content = vec![Sum::EMPTY; document.len()];
    for index in (0..document.len() as u32).rev() {
        let node = Node { document: at, index };
        if document.is_text(index) && !document.has(index, flag::DROPPED) {
            let sum = Sum::of(strings.get(document.value[index as usize]));
            (text[index as usize], content[index as usize]) = (sum, sum);
        }
        let Some(parent) = document.parent_of(index) else { continue };
        if document.has(index, flag::DROPPED) || snapshot.tag(node) == Atom::Head {
            continue;
        }
        let parent = parent as usize;
        if !(document.has(index, flag::SHADOW)) {
            text[parent] = text[index as usize].then(text[parent]);
        }
        content[parent] = inside_name(snapshot, node, content[index as usize]).then(content[parent]);
    }
    let values = |sums: Vec<Sum>| sums.into_iter().map(|sum| sum.value).collect();
    (values(text), values(content))
}

/// What a node adds to the name of the element round it, whose own content is `content`.
fn inside_name(snapshot: &Snapshot, node: Node, content: Sum) -> Sum {
    if !snapshot.has_tag(node) {
        return content;
    }
    match stand_in(snapshot, node) {
        Some(text) => Sum::of(text),
        None => content,
    }
}

/// What stands in a name in the place of an element: its label, the text of an image, nothing for what is hidden.
pub(crate) fn stand_in(snapshot: &Snapshot, node: Node) -> Option<&str> {
    let tag = snapshot.tag(node);
    let mut found = None;
    for &[name, value] in snapshot.document(node).attributes(node.index) {
        let part = snapshot.part_of(node.document);
        let text = || part.strings.get(value);
        match part.atoms.get(name as usize) {
            Some(Atom::AriaHidden) if text() == "true" => return Some(""),
            Some(Atom::AriaLabel) if !text().is_empty() => found = Some(text()),
            Some(Atom::Alt) if tag == Atom::Img && found.is_none() && !text().is_empty() => found = Some(text()),
            _ => {}
        }
    }
    if matches!(tag, Atom::Input | Atom::Select | Atom::Textarea) {
        return Some("");
    }
    found
}

// -- the exact words -----------------------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Text,
    Content,
}

/// The words in an element in order; None if it is large, or if styles that the capture does not hold decide whether
/// two of them are parted.
fn gather(snapshot: &Snapshot, node: Node, mode: Mode) -> Option<String> {
    let document = snapshot.document(node);
    let end = document.end(node.index);
    if end - node.index > GATHERED || !document.shadow.is_empty() && has_shadow(document, node.index) {
        return None;
    }
    let mut words = String::new();
    // The last piece, and the first node after it.
    let mut last: Option<u32> = None;
    let mut index = node.index;
    while index < end {
        let at = Node { index, ..node };
        let element = document.has_tag(index);
        if document.has(index, flag::DROPPED) && element {
            index = document.end(index);
            continue;
        }
        let replaced =
            if element && mode == Mode::Content && index != node.index { stand_in(snapshot, at) } else { None };
        let piece = match replaced {
            Some(label) => label,
            None if document.is_text(index) => snapshot.strings(node).get(document.value[index as usize]),
            None => "",
        };
        if snapshot.tag(at) == Atom::Br {
            words.push(' ');
        }
        if !piece.is_empty() {
            let parted = words.ends_with(char::is_whitespace) || piece.starts_with(char::is_whitespace);
            let decided = mode == Mode::Text || words.is_empty() || parted || same_parent(document, last, index);
            if replaced.is_some() {
                words.push(' ');
            } else if !decided {
                return None;
            }
            words.push_str(piece);
            if replaced.is_some() {
                words.push(' ');
            }
            last = Some(index);
        }
        index = if replaced.is_some() { document.end(index) } else { index + 1 };
    }
    Some(words)
}

/// Whether two pieces are neighbours with no element between them.
fn same_parent(document: &Document, last: Option<u32>, next: u32) -> bool {
    last.is_some_and(|last| document.parent[last as usize] == document.parent[next as usize] && next == last + 1)
}

fn has_shadow(document: &Document, node: u32) -> bool {
    let inside = document.shadow.partition_point(|entry| entry.0 < node);
    document.shadow.get(inside).is_some_and(|entry| entry.0 < document.end(node))
}

/// The role that the agent in the page gives the element, where that is sure; "" where it is none or not sure.
pub fn agent_role<'a>(snapshot: &'a Snapshot, node: Node) -> Cow<'a, str> {
    if let Some(given) = snapshot.attribute(node, Atom::Role).and_then(|value| value.split_whitespace().next()) {
        let plain = given.bytes().all(|byte| byte.is_ascii_alphabetic());
        return if plain { Cow::Owned(given.to_ascii_lowercase()) } else { Cow::Borrowed("") };
    }
    let found = role(snapshot, node);
    let sure = match snapshot.tag(node) {
        Atom::Input => {
            let unlike = ["date", "time", "month", "week", "datetime-local", "color", "file", "hidden"];
            let list = snapshot.attribute(node, Atom::List).is_some();
            !list && !unlike.contains(&input_type(snapshot, node).as_str())
        }
        // Their roles depend on names or on what they are in, and they are better found by other means.
        Atom::Form | Atom::Section | Atom::Td | Atom::Th | Atom::Iframe | Atom::Frame => false,
        _ => true,
    };
    if sure {
        Cow::Borrowed(found)
    } else {
        Cow::Borrowed("")
    }
}

/// Whether `node` is part of what a screen reader is told: rendered, and in nothing that is hidden from it.
pub fn is_told(snapshot: &Snapshot, node: Node) -> bool {
    let hidden = |node: Node| snapshot.attribute(node, Atom::AriaHidden) == Some("true");
    let mut above = std::iter::successors(Some(node), |node| snapshot.parent(*node));
    snapshot.document(node).has(node.index, flag::RENDERED) && !above.any(hidden)
}
