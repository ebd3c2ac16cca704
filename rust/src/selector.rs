//! Short CSS selectors that name one element of a frame.
//!
//! In this order: stable id, test attribute, `name`, a class, a tag with a class; else a path of `tag:nth-of-type(n)`
//! from the nearest ancestor that has one of those. Each must be unique in the whole frame, shadow trees included: ids
//! and classes that a program made up are passed over. A shadow tree is entered by the descendant combinator, which
//! in our engine reaches into shadow roots (`#host button`); `>` never does. An element in a frame gets
//! `frame=<selector of the frame element> >> ` in front. One index per document, built on first use, O(attributes);
//! a selector then costs its path and its siblings.

use crate::atom::Atom;
use crate::canonical::{looks_generated, tokens};
use crate::columns::{flag, Document, ELEMENT};
use crate::snapshot::{Node, PartInfo, Snapshot};

/// How often each attribute value is used in one document; indexed by string.
#[derive(Default)]
pub struct SelectorIndex {
    ids: Vec<(u32, u32)>,
    tests: Vec<u32>,
    names: Vec<u32>,
    /// Distinct values of `class` with the number of elements that have it.
    classes: Vec<(u32, u32)>,
    pub labels: Vec<u32>,
}

/// The index of a document.
pub fn index_of(snapshot: &Snapshot, document: u32) -> &SelectorIndex {
    let all = snapshot
        .selectors
        .get_or_init(|| (0..snapshot.documents.len() as u32).map(|_| std::sync::OnceLock::new()).collect());
    all[document as usize]
        .get_or_init(|| SelectorIndex::new(&snapshot.documents[document as usize], snapshot.part_of(document)))
}

impl SelectorIndex {
    fn new(document: &Document, part: &PartInfo) -> Self {
        let count = part.strings.len();
        let mut ids = vec![(0u32, 0u32); count];
        let mut tests = vec![0; count];
        let mut names = vec![0; count];
        let mut classes = vec![0; count];
        let mut labels = Vec::new();
        for node in 0..document.len() as u32 {
            if part.atoms.get(document.name[node as usize] as usize) == Some(&Atom::Label) {
                labels.push(node);
            }
            for &[name, value] in document.attributes(node) {
                let Some(atom) = part.atoms.get(name as usize) else { continue };
                let value = value as usize;
                if value >= count {
                    continue;
                }
                match atom {
                    Atom::Id => {
                        if ids[value].0 == 0 {
                            ids[value].1 = node;
                        }
                        ids[value].0 += 1;
                    }
                    Atom::Name => names[value] += 1,
                    Atom::Class => classes[value] += 1,
                    atom if atom.is_test_id() => tests[value] += 1,
                    _ => {}
                }
            }
        }
        let classes = classes.into_iter().enumerate().filter(|entry: &(usize, u32)| entry.1 > 0);
        let classes = classes.map(|(value, count)| (value as u32, count)).collect();
        Self { ids, tests, names, classes, labels }
    }

    /// The first element with this id. O(strings).
    pub fn by_id(&self, snapshot: &Snapshot, document: u32, id: &str) -> Option<u32> {
        let strings = &snapshot.part_of(document).strings;
        let used = self.ids.iter().enumerate().filter(|(_, (count, _))| *count > 0);
        used.into_iter().find(|(value, _)| strings.bytes(*value as u32) == id.as_bytes()).map(|(_, (_, node))| *node)
    }

    fn class_count(&self, part: &PartInfo, token: &[u8]) -> u32 {
        let having =
            self.classes.iter().filter(|(value, _)| tokens(part.strings.bytes(*value)).any(|other| other == token));
        having.map(|(_, count)| count).sum()
    }
}

/// A selector for `node` that matches nothing else in its frame, and leads to that frame.
pub fn selector(snapshot: &Snapshot, node: Node) -> String {
    let mut pieces = vec![in_frame(snapshot, node)];
    let mut document = node.document;
    while let Some(owner) = snapshot.owner[document as usize] {
        pieces.push(format!("frame={}", in_frame(snapshot, owner)));
        document = owner.document;
    }
    pieces.reverse();
    pieces.join(" >> ")
}

/// A selector for `node` that matches nothing else in its frame.
pub fn in_frame(snapshot: &Snapshot, node: Node) -> String {
    let node = nearest_element(snapshot, node);
    let index = index_of(snapshot, node.document);
    let mut steps: Vec<String> = Vec::new();
    let mut at = node;
    loop {
        if let Some(direct) = direct(snapshot, index, at) {
            steps.push(direct);
            break;
        }
        let Some(parent) = snapshot.parent(at).filter(|parent| is_element(snapshot, *parent)) else {
            steps.push(escape_name(&snapshot.tag_name(at)));
            break;
        };
        let step = step(snapshot, at, parent);
        if crosses_shadow(snapshot, at, parent) {
            steps.push(if is_told_from_deeper(snapshot, at, parent) { step } else { format!("{step}:not(* > *)") });
            steps.push(" ".to_owned());
        } else {
            steps.push(step);
            steps.push(" > ".to_owned());
        }
        at = parent;
    }
    steps.reverse();
    steps.concat()
}

/// Whether no element deeper in the host could be taken for `node`, a child of its shadow root. If one could, the
/// selector says that the element has no parent element, as only the top of a shadow tree is.
fn is_told_from_deeper(snapshot: &Snapshot, node: Node, host: Node) -> bool {
    let document = snapshot.document(node);
    let name = document.name[node.index as usize];
    let alike = |other: u32| document.name[other as usize] == name && document.parent[other as usize] != host.index;
    // Where the capture leaves open whether this is a shadow child, it may well have a parent element.
    !document.has(node.index, flag::SHADOW) || !(host.index + 1..document.end(host.index)).any(alike)
}

fn nearest_element(snapshot: &Snapshot, node: Node) -> Node {
    let mut above = std::iter::successors(Some(node), |node| snapshot.parent(*node));
    above.find(|node| is_element(snapshot, *node)).unwrap_or(node)
}

fn is_element(snapshot: &Snapshot, node: Node) -> bool {
    snapshot.document(node).kind[node.index as usize] == ELEMENT
}

/// A selector that needs no other element to be unique.
fn direct(snapshot: &Snapshot, index: &SelectorIndex, node: Node) -> Option<String> {
    let part = snapshot.part_of(node.document);
    let document = snapshot.document(node);
    let tag = snapshot.tag(node);
    if matches!(tag, Atom::Html | Atom::Body | Atom::Head) && is_only_frame_of_page(snapshot, node) {
        return Some(snapshot.tag_name(node));
    }
    let (mut test, mut named, mut class) = (None, None, None);
    for &[name, value] in document.attributes(node.index) {
        let text = part.strings.get(value);
        let Some(atom) = part.atoms.get(name as usize) else { continue };
        if text.is_empty() || text.len() > 80 {
            continue;
        }
        let counted = |table: &[u32]| table.get(value as usize) == Some(&1);
        match atom {
            Atom::Id if index.ids.get(value as usize).is_some_and(|entry| entry.0 == 1) && !looks_generated(text) => {
                return Some(format!("#{}", escape_name(text)));
            }
            Atom::Name if counted(&index.names) && !looks_generated(text) => named = Some(text),
            Atom::Class => class = Some(text),
            atom if atom.is_test_id() && counted(&index.tests) => test = Some((part.strings.get(name), text)),
            _ => {}
        }
    }
    if let Some((attribute, value)) = test {
        return Some(format!("[{}=\"{}\"]", escape_name(attribute), escape_string(value)));
    }
    if let Some(name) = named {
        return Some(format!("{}[name=\"{}\"]", escape_name(&snapshot.tag_name(node)), escape_string(name)));
    }
    let stable = |token: &&str| !looks_generated(token) && !is_state(token);
    let mut candidates = class?.split_ascii_whitespace().filter(stable).take(4);
    let unique = candidates.find(|token| index.class_count(part, token.as_bytes()) == 1)?;
    Some(format!(".{}", escape_name(unique)))
}

/// Whether `html`, `body` or `head` stands where a document has its own.
fn is_only_frame_of_page(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    let depth = std::iter::successors(Some(node.index), |&node| document.parent_of(node)).take(4).count();
    let siblings_before = document.parent_of(node.index).map_or(0, |parent| {
        let name = document.name[node.index as usize];
        let before = raw_children(document, parent).take_while(|&sibling| sibling < node.index);
        before.filter(|&sibling| document.name[sibling as usize] == name).count()
    });
    let wanted = if snapshot.tag(node) == Atom::Html { 2 } else { 3 };
    depth == wanted && siblings_before == 0 && document.kind[0] != ELEMENT
}

/// Classes that come and go with the state of an element name it badly.
fn is_state(token: &str) -> bool {
    const STATES: [&str; 14] = [
        "active", "selected", "open", "opened", "closed", "hidden", "visible", "show", "disabled", "focus", "hover",
        "error", "loading", "current",
    ];
    STATES.contains(&token) || token.starts_with("is-") || token.starts_with("has-")
}

/// All children, those that the canonical form drops included (CSS counts them), pseudo elements not.
fn raw_children(document: &Document, parent: u32) -> impl Iterator<Item = u32> + '_ {
    let end = document.end(parent);
    let next = move |node: &u32| Some(*node + document.size[*node as usize]).filter(|&next| next < end);
    let first = (parent + 1 < end).then_some(parent + 1);
    std::iter::successors(first, next).filter(|&node| !document.has(node, flag::PSEUDO))
}

/// `tag` or `tag:nth-of-type(n)`, whichever tells `node` from its siblings.
fn step(snapshot: &Snapshot, node: Node, parent: Node) -> String {
    let document = snapshot.document(node);
    let name = document.name[node.index as usize];
    let shadow = document.has(node.index, flag::SHADOW);
    let alike =
        |sibling: &u32| document.name[*sibling as usize] == name && document.has(*sibling, flag::SHADOW) == shadow;
    let mut nth = 0;
    let mut count = 0;
    for sibling in raw_children(document, parent.index).filter(alike) {
        count += 1;
        if sibling <= node.index {
            nth = count;
        }
    }
    let tag = escape_name(&snapshot.tag_name(node));
    if count == 1 {
        tag
    } else {
        format!("{tag}:nth-of-type({nth})")
    }
}

/// Whether `node` is, or may be, the child of a shadow root of `parent`.
///
/// A capture names the type of the shadow root a node is in, so a root inside another of the same type does not show;
/// there a custom element is taken to hold its children in its shadow, which the descendant combinator allows for.
pub fn crosses_shadow(snapshot: &Snapshot, node: Node, parent: Node) -> bool {
    let document = snapshot.document(node);
    if document.has(node.index, flag::SHADOW) {
        return true;
    }
    let in_shadow = crate::columns::rare(&document.shadow, node.index).is_some();
    in_shadow && snapshot.tag_name(parent).contains('-')
}

/// A CSS identifier for `name` (CSSOM, "serialize an identifier").
pub fn escape_name(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for (at, letter) in name.chars().enumerate() {
        let leading = at == 0 || (at == 1 && name.starts_with('-'));
        match letter {
            '\0' => escaped.push('\u{fffd}'),
            '\u{1}'..='\u{1f}' | '\u{7f}' => escaped.push_str(&format!("\\{:x} ", letter as u32)),
            '0'..='9' if leading => escaped.push_str(&format!("\\{:x} ", letter as u32)),
            '-' if name.len() == 1 => escaped.push_str("\\-"),
            '0'..='9' | 'A'..='Z' | 'a'..='z' | '-' | '_' | '\u{80}'.. => escaped.push(letter),
            _ => {
                escaped.push('\\');
                escaped.push(letter);
            }
        }
    }
    escaped
}

/// The inside of a double-quoted CSS string.
pub fn escape_string(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\0' => escaped.push('\u{fffd}'),
            '\u{1}'..='\u{1f}' | '\u{7f}' => escaped.push_str(&format!("\\{:x} ", letter as u32)),
            '"' | '\\' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}
