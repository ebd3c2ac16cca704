//! Short CSS selectors that match one element of a frame.
//!
//! In this order: stable id, test attribute, `name`, a class; else a path of `tag:nth-of-type(n)` from the nearest
//! ancestor that has one of those. Each must be unique in the whole frame, shadow trees included, by the postings of
//! `element::index`: ids and classes that a program made up are passed over. A shadow tree is entered by the descendant
//! combinator, which in our engine reaches into shadow roots (`#host button`). So does `>`, from a host to the top of its
//! tree: `:is(* > *)`, which holds within one tree, keeps to the children that the host has outside of it. An element in a
//! frame gets `frame=<selector of the frame element> >> ` in front. One census of names per document, made on first use; a
//! selector then costs its path, over many of them however many siblings and strings there are.

use std::fmt::Write;

use crate::capture::atom::Atom;
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Interval, Node, NodeIndex};
use crate::digest::canonical::{is_state, looks_generated};
use crate::element::index::Index;
use crate::element::postings::between;
use crate::element::snapshot::{Snapshot, index_of};
use crate::element::tokens::Kind;
use crate::element::tree::{crosses_shadow, tree_parent};

/// Values longer than this many bytes make no short selector.
const LONGEST_VALUE: usize = 80;

/// Classes of one element that are tried, and ancestors that are tried as anchors.
const CLASSES: usize = 4;
const ANCHORS: usize = 24;

/// Nodes of the rarer of two postings that are looked at to tell whether they share one.
const SHARED: usize = 64;

/// A selector for `node` that matches nothing else in its frame, and leads to that frame.
pub fn selector(snapshot: &Snapshot, node: Node) -> String {
    let mut selector = in_frame(snapshot, node);
    selector.insert_str(0, &frame_prefix(snapshot, node.document));
    selector
}

/// What leads into the frame of a document: `frame=<selector> >> ` for each frame on the way; "" for the page's own.
pub fn frame_prefix(snapshot: &Snapshot, document: DocumentIndex) -> String {
    let owners = std::iter::successors(snapshot.owner[document], |owner| snapshot.owner[owner.document]);
    let mut pieces: Vec<String> = owners.map(|owner| format!("frame={} >> ", in_frame(snapshot, owner))).collect();
    pieces.reverse();
    pieces.concat()
}

/// A selector for `node` that matches nothing else in its frame.
pub fn in_frame(snapshot: &Snapshot, node: Node) -> String {
    let node = nearest_element(snapshot, node);
    let index = index_of(snapshot, node.document);
    path(snapshot, node, |at| direct(snapshot, index, at))
}

/// The steps down to `node` from the nearest ancestor that has an `anchor`, or from the root element.
fn path(snapshot: &Snapshot, node: Node, anchor: impl Fn(Node) -> Option<String>) -> String {
    let index = index_of(snapshot, node.document);
    let mut steps: Vec<String> = Vec::new();
    let mut at = node;
    loop {
        if let Some(anchor) = anchor(at) {
            steps.push(anchor);
            break;
        }
        let Some(parent) = tree_parent(snapshot, at).filter(|parent| snapshot.has_tag(*parent)) else {
            steps.push(root_step(snapshot, index, at));
            break;
        };
        if snapshot.parent(at) != Some(parent) {
            steps.push(slotted_step(snapshot, index, at, parent));
            steps.push(" > ".to_owned());
            at = parent;
            continue;
        }
        let step = step(snapshot, index, at);
        if crosses_shadow(snapshot, at, parent) {
            let told = is_told_from_deeper(snapshot, index, at, parent);
            steps.push(if told { step } else { format!("{step}:not(* > *)") });
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

/// What tells a node in a slot from all else in its host; by its place in the slot where nothing else does.
fn slotted_step(snapshot: &Snapshot, index: Index, node: Node, host: Node) -> String {
    let document = snapshot.document(node);
    let found = compounds(snapshot, index, node);
    let alone = |(_, fits): &&(String, Vec<&[NodeIndex]>)| is_alone(fits, document.inside(host.index));
    let alone = found.iter().rev().find(alone).map(|(compound, _)| compound.clone());
    alone.unwrap_or_else(|| format!("{}:is(* > *)", step(snapshot, index, node)))
}

/// The root element: by its tag, or where a page has put others of that tag into it, as what it is.
fn root_step(snapshot: &Snapshot, index: Index, root: Node) -> String {
    if !index.is_unique(Kind::Tag, tag_text(snapshot, root)) {
        return ":root".to_owned();
    }
    escape_name(&snapshot.tag_name(root))
}

/// Whether no other element in the host could be taken for `node`, a child of its shadow root. If one could, the
/// selector says that the element has no parent element, as only the top of a shadow tree is.
fn is_told_from_deeper(snapshot: &Snapshot, index: Index, node: Node, host: Node) -> bool {
    let document = snapshot.document(node);
    // Where the capture leaves open whether this is a shadow child, it may well have a parent element.
    if !document.has(node.index, flag::SHADOW) {
        return true;
    }
    let inside = between(index.having(Kind::Tag, tag_text(snapshot, node)), document.inside(host.index));
    inside.len() == index.place(node.index).1 as usize
}

pub fn nearest_element(snapshot: &Snapshot, node: Node) -> Node {
    let mut above = snapshot.inclusive_ancestors(node);
    above.find(|node| snapshot.has_tag(*node)).unwrap_or(node)
}

/// The tag as the capture has it.
fn tag_text(snapshot: &Snapshot, node: Node) -> &str {
    snapshot.strings(node).get(snapshot.document(node).name[node.index])
}

/// A selector that needs no other element to be unique.
fn direct(snapshot: &Snapshot, index: Index, node: Node) -> Option<String> {
    let part = snapshot.part_of(node.document);
    let document = snapshot.document(node);
    let tag = snapshot.tag(node);
    if matches!(tag, Atom::Html | Atom::Body | Atom::Head) && is_only_frame_of_page(snapshot, index, node) {
        return Some(snapshot.tag_name(node));
    }
    let (mut test, mut named, mut class) = (None, None, None);
    for &[name, value] in document.attributes(node.index) {
        let Some(atom) = part.atoms.get(name as usize) else { continue };
        let text = part.strings.get(value);
        if text.is_empty() || text.len() > LONGEST_VALUE {
            continue;
        }
        let is_unique = || index.is_unique_value(part.strings.get(name), text);
        match atom {
            Atom::Id if !looks_generated(text) && index.is_unique(Kind::Id, text) => {
                return Some(format!("#{}", escape_name(text)));
            }
            Atom::Name if !looks_generated(text) && is_unique() => named = Some(text),
            Atom::Class => class = Some(text),
            atom if atom.is_test_id() && is_unique() => test = Some((part.strings.get(name), text)),
            _ => {}
        }
    }
    if let Some((attribute, value)) = test {
        return Some(with_value("", attribute, value));
    }
    if let Some(name) = named {
        return Some(with_value(&escape_name(&snapshot.tag_name(node)), "name", name));
    }
    let unique = stable_classes(class?).find(|token| index.is_unique(Kind::Class, token))?;
    Some(format!(".{}", escape_name(unique)))
}

/// `tag[attribute="value"]`.
pub fn with_value(tag: &str, attribute: &str, value: &str) -> String {
    format!("{tag}[{}=\"{}\"]", escape_name(attribute), escape_string(value))
}

/// The first classes of a `class` value that neither a program made up nor the state of the element brought along.
pub fn stable_classes(value: &str) -> impl Iterator<Item = &str> {
    value.split_ascii_whitespace().filter(|token| !looks_generated(token) && !is_state(token.as_bytes())).take(CLASSES)
}

/// What says something of an element, the most telling first: compounds, each with the postings that it is made of.
fn compounds<'a>(snapshot: &'a Snapshot, index: Index<'a>, node: Node) -> Vec<(String, Vec<&'a [NodeIndex]>)> {
    const TELLING: [Atom; 7] =
        [Atom::Name, Atom::Placeholder, Atom::AriaLabel, Atom::Alt, Atom::Title, Atom::Type, Atom::Href];
    let part = snapshot.part_of(node.document);
    let tag = escape_name(&snapshot.tag_name(node));
    let tagged = index.having(Kind::Tag, tag_text(snapshot, node));
    let mut compounds = Vec::new();
    let classes = snapshot.attribute(node, Atom::Class).filter(|value| value.len() <= LONGEST_VALUE);
    for class in classes.into_iter().flat_map(stable_classes) {
        let having = index.having(Kind::Class, class);
        compounds.push((format!(".{}", escape_name(class)), vec![having]));
        compounds.push((format!("{tag}.{}", escape_name(class)), vec![tagged, having]));
    }
    for attribute in TELLING {
        let pairs = snapshot.written_attributes(node);
        let pair = pairs.iter().find(|pair| part.atoms.get(pair[0] as usize) == Some(&attribute));
        let Some((name, value)) = pair.map(|pair| (part.strings.get(pair[0]), part.strings.get(pair[1]))) else {
            continue;
        };
        if !value.is_empty() && value.len() <= LONGEST_VALUE && !looks_generated(value) {
            compounds.push((with_value(&tag, name, value), vec![tagged, index.with_value(name, value)]));
        }
    }
    compounds.push((tag, vec![tagged]));
    compounds
}

/// A selector that says what the element is and in which named part of the page, where a path would count siblings:
/// `tag.class`, or a class, an attribute or the tag inside the nearest ancestor in which it is the only one.
pub fn scoped(snapshot: &Snapshot, node: Node) -> Option<String> {
    let index = index_of(snapshot, node.document);
    let document = snapshot.document(node);
    let compounds = compounds(snapshot, index, node);
    if let Some((compound, _)) = compounds.iter().find(|(_, fits)| is_alone(fits, document.subtree(NodeIndex::ROOT))) {
        return Some(compound.clone());
    }
    let above = std::iter::successors(tree_parent(snapshot, node), |node| tree_parent(snapshot, *node)).take(ANCHORS);
    for anchor in above.filter(|node| snapshot.has_tag(*node)) {
        let alone = |(_, fits): &&(String, Vec<&[NodeIndex]>)| is_alone(fits, document.inside(anchor.index));
        let Some((compound, _)) = compounds.iter().find(alone) else {
            // What is not alone here is not alone further up.
            return None;
        };
        if let Some(direct) = direct(snapshot, index, anchor).filter(|_| snapshot.tag(anchor) != Atom::Body) {
            return Some(format!("{direct} {compound}"));
        }
    }
    None
}

/// Whether exactly one of `nodes` is in all of `fits`; false where that would take long to tell.
fn is_alone(fits: &[&[NodeIndex]], nodes: Interval) -> bool {
    let mut inside: Vec<&[NodeIndex]> = fits.iter().map(|bearers| between(bearers, nodes)).collect();
    inside.sort_by_key(|nodes| nodes.len());
    let Some((rarest, others)) = inside.split_first() else { return false };
    if others.is_empty() || rarest.len() <= 1 {
        return rarest.len() == 1;
    }
    let in_all = |node: &&NodeIndex| others.iter().all(|nodes| nodes.binary_search(node).is_ok());
    rarest.len() <= SHARED && rarest.iter().filter(in_all).count() == 1
}

/// The path of `tag:nth-of-type(n)` from the root element: what holds when nothing has a name, and nothing moves.
pub fn full_path(snapshot: &Snapshot, node: Node) -> String {
    path(snapshot, node, |_| None)
}

/// Whether `html`, `body` or `head` stands where a document has its own.
fn is_only_frame_of_page(snapshot: &Snapshot, index: Index, node: Node) -> bool {
    let document = snapshot.document(node);
    let depth = std::iter::successors(Some(node.index), |&node| document.parent_of(node)).take(4).count();
    let wanted = if snapshot.tag(node) == Atom::Html { 2 } else { 3 };
    depth == wanted && index.is_unique(Kind::Tag, tag_text(snapshot, node)) && !document.has_tag(NodeIndex::ROOT)
}

/// `tag` or `tag:nth-of-type(n)`, whichever tells `node` from its siblings; `tag:nth-child(n)` where siblings of another
/// namespace have its tag too.
fn step(snapshot: &Snapshot, index: Index, node: Node) -> String {
    let mut step = escape_name(&snapshot.tag_name(node));
    let (nth, alike) = index.place(node.index);
    if index.has_twin_sibling(node.index) {
        let _ = write!(step, ":nth-child({})", index.place_among_all(node.index));
    } else if alike > 1 {
        let _ = write!(step, ":nth-of-type({nth})");
    }
    step
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
