//! What lines say of elements: names, texts and values, each gathered only as far as it can be shown.

use std::borrow::Cow;

use crate::capture::atom::Atom;
use crate::capture::columns::{flag, ELEMENT};
use crate::capture::snapshot::{Node, Snapshot};
use crate::element::index::index_of;
use crate::element::naming::{is_labelable, source, Source};
use crate::element::role::is_named_by_content;
use crate::element::text::{cut, is_phrasing, Redactor};
use crate::element::words::stand_in;
use crate::outline::facts::Facts;
use crate::outline::roles::{Role, Sort};

/// Bytes of a text that are gathered, and bytes and nodes that are read for them, at most.
const GATHERED: usize = 4096;
const READ: usize = 65_536;
const NODES: usize = 2048;

/// Nodes of a label among which its control is looked for.
const LABEL_NODES: u32 = 64;

/// What stands where a text was cut.
pub const CUT: char = '…';

/// Who gives a name to an element that is not named by what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namer {
    Nobody,
    Attribute,
    /// An element inside it.
    Element(u32),
}

pub fn namer(snapshot: &Snapshot, node: Node) -> Namer {
    let attribute = |wanted| snapshot.attribute(node, wanted).filter(|value| !value.trim().is_empty());
    if let Some(ids) = attribute(Atom::AriaLabelledby) {
        let index = index_of(snapshot, node.document);
        let mut named = ids.split_ascii_whitespace().take(8).filter_map(|id| index.by_id(id));
        if let Some(first) = named.next() {
            let inside = snapshot.document(node).within(first, node.index) && named.next().is_none();
            return if inside { Namer::Element(first) } else { Namer::Attribute };
        }
    }
    if attribute(Atom::AriaLabel).is_some() {
        return Namer::Attribute;
    }
    let wanted = match snapshot.tag(node) {
        Atom::Fieldset => Atom::Legend,
        Atom::Table => Atom::Caption,
        Atom::Figure => Atom::Figcaption,
        _ => return if attribute(Atom::Title).is_some() { Namer::Attribute } else { Namer::Nobody },
    };
    let mut children = snapshot.document(node).children(node.index).take(LABEL_NODES as usize);
    let found = children.find(|&index| snapshot.tag(Node { index, ..node }) == wanted);
    found.map_or(Namer::Nobody, Namer::Element)
}

/// Whether an author named the element.
pub fn has_own_name(snapshot: &Snapshot, node: Node) -> bool {
    [Atom::AriaLabel, Atom::AriaLabelledby, Atom::Alt, Atom::Title]
        .into_iter()
        .any(|name| snapshot.attribute(node, name).is_some_and(|value| !value.trim().is_empty()))
}

/// The control that a label is for.
pub fn control_of(snapshot: &Snapshot, label: Node) -> Option<Node> {
    let document = snapshot.document(label);
    let node = |index| Node { index, ..label };
    let control = |index: &u32| document.kind[*index as usize] == ELEMENT && is_labelable(snapshot.tag(node(*index)));
    if let Some(id) = snapshot.attribute(label, Atom::For) {
        return index_of(snapshot, label.document).by_id(id).filter(control).map(node);
    }
    (label.index + 1..document.end(label.index)).take(LABEL_NODES as usize).find(control).map(node)
}

/// The name of an element that makes a line; what it holds gives it only where that is not said below.
pub fn name(snapshot: &Snapshot, node: Node, role: Role, by_content: bool) -> String {
    let named = match source(snapshot, node, role.name()) {
        Source::Text(text) => collapsed(&text),
        Source::Nodes(nodes) if nodes.iter().all(|(index, _)| *index == node.index) && !by_content => String::new(),
        Source::Nodes(nodes) => {
            let texts = nodes.iter().map(|&(index, own)| name_from(snapshot, Node { index, ..node }, own));
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
        }
    };
    if !named.is_empty() {
        return named;
    }
    if by_content && !is_named_by_content(role.name()) {
        let content = content(snapshot, node);
        if !content.is_empty() {
            return content;
        }
    }
    let attribute = |wanted| snapshot.attribute(node, wanted).filter(|value| !value.trim().is_empty());
    collapsed(attribute(Atom::Title).or_else(|| attribute(Atom::Placeholder)).unwrap_or(""))
}

/// A text with its whitespace collapsed, as far as it can be shown.
pub fn collapsed(text: &str) -> String {
    let mut gathered = Gathered::default();
    gathered.text(text);
    gathered.done()
}

fn name_from(snapshot: &Snapshot, node: Node, own: bool) -> String {
    let label = snapshot.attribute(node, Atom::AriaLabel).filter(|label| own && !label.trim().is_empty());
    label.map_or_else(|| content(snapshot, node), collapsed)
}

/// The words in an element, labels and alternative texts in their places; hidden ones too if the element is hidden, as
/// that is how names are hidden.
pub fn content(snapshot: &Snapshot, node: Node) -> String {
    let document = snapshot.document(node);
    let hidden = !document.has(node.index, flag::RENDERED);
    let mut gathered = Gathered::default();
    let (mut index, end) = (node.index, document.end(node.index));
    let mut blocks: Vec<u32> = Vec::new();
    for _ in 0..NODES {
        if index >= end || gathered.is_full() {
            break;
        }
        let at = Node { index, ..node };
        while blocks.last().is_some_and(|&end| index >= end) {
            blocks.pop();
            gathered.part();
        }
        if document.has(index, flag::DROPPED) || !hidden && !document.has(index, flag::RENDERED) {
            index = document.end(index);
            continue;
        }
        if document.is_text(index) {
            gathered.text(snapshot.strings(at).get(document.value[index as usize]));
        } else if document.is_element(index) && index != node.index {
            if let Some(said) = stand_in(snapshot, at) {
                gathered.part();
                gathered.text(said);
                gathered.part();
                index = document.end(index);
                continue;
            }
            if !is_phrasing(snapshot.tag(at)) {
                gathered.part();
                blocks.push(document.end(index));
            }
        }
        index += 1;
    }
    gathered.done()
}

/// The texts from node `first` to node `last`, those of neighbouring cells parted by a bar.
pub fn run(snapshot: &Snapshot, facts: &Facts, first: Node, last: u32) -> String {
    let document = snapshot.document(first);
    let mut gathered = Gathered::default();
    let mut index = first.index;
    while index <= last && !gathered.is_full() {
        let at = Node { index, ..first };
        if !facts.shown(index) {
            index = document.end(index);
            continue;
        }
        if document.is_text(index) {
            gathered.text(snapshot.strings(at).get(document.value[index as usize]));
        } else if facts.role(index).sort() == Sort::Cell {
            gathered.bar();
        } else if snapshot.tag(at) == Atom::Br {
            gathered.part();
        }
        index += 1;
    }
    gathered.done()
}

/// A text in the making: whitespace collapsed, and no longer than is needed.
#[derive(Default)]
pub struct Gathered {
    text: String,
    read: usize,
    space: bool,
    bar: bool,
}

impl Gathered {
    /// What is added next is a word of its own.
    pub fn part(&mut self) {
        self.space = true;
    }

    fn bar(&mut self) {
        self.bar = true;
    }

    pub fn is_full(&self) -> bool {
        self.text.len() >= GATHERED || self.read >= READ
    }

    pub fn text(&mut self, text: &str) {
        let room = READ.saturating_sub(self.read);
        self.read += text.len().min(room).max(1);
        let text = &text[..boundary(text, room)];
        let is_space = |letter: char| letter.is_ascii_whitespace();
        let mut words = text.split(is_space).peekable();
        while let Some(word) = words.next() {
            if !word.is_empty() {
                self.word(word);
                if self.is_full() {
                    return;
                }
            }
            self.space |= words.peek().is_some();
        }
    }

    fn word(&mut self, word: &str) {
        if !self.text.is_empty() {
            if self.bar {
                self.text.push_str(" | ");
            } else if self.space {
                self.text.push(' ');
            }
        }
        (self.space, self.bar) = (false, false);
        self.text.push_str(&word[..boundary(word, GATHERED)]);
    }

    pub fn done(self) -> String {
        self.text
    }
}

/// The last place up to `limit` at which no character is cut in two.
fn boundary(text: &str, limit: usize) -> usize {
    let limit = limit.min(text.len());
    (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// A text as it is shown: secrets taken out, then cut; and whether it was cut.
///
/// Of a text that was gathered only in part, the end could be the beginning of a secret, so it is not shown.
pub fn shorten(redactor: &Redactor, text: &str, limit: usize) -> (String, bool) {
    let redacted = redactor.redact(text);
    let whole = match text.len() < GATHERED {
        true => redacted,
        false => {
            let kept = redacted.len().saturating_sub(redactor.longest());
            Cow::Owned(redacted[..boundary(&redacted, kept)].to_owned())
        }
    };
    let short = cut(&whole, limit);
    if short.len() == whole.len() && text.len() < GATHERED {
        return (whole.into_owned(), false);
    }
    (format!("{}{CUT}", short.trim_end()), true)
}
