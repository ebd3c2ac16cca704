//! The properties by which a later snapshot recognises an element.
//!
//! The properties are those of Similo (Nass et al., "Similarity-based web element localization", TOSEM 2023) and its
//! successors, plus what a page's structure says: the heading above, the landmarks around, the text of what holds it.
//! None of them is a value that a user typed.

use crate::capture::atom::Atom;
use crate::capture::bounds::bounds;
use crate::capture::columns::flag;
use crate::capture::node::{DocumentIndex, Node, NodeIndex};
use crate::capture::strings::NONE;
use crate::digest::canonical::looks_generated;
use crate::element::name::name;
use crate::element::places::element_children;
use crate::element::role::{is_password, shown_role};
use crate::element::selector::{nearest_element, selector, stable_classes};
use crate::element::snapshot::{Snapshot, index_of};
use crate::element::text::{Redactor, cut, rendered_text, text_within};
use crate::element::tokens::{Kind, is_indexed};

/// Characters of a text and of one attribute that are kept.
const TEXT_CHARACTERS: usize = 160;
const VALUE_CHARACTERS: usize = 120;

/// Attributes of one element that are kept.
const ATTRIBUTES: usize = 24;

/// Ancestors that are looked at for landmarks and for the text around.
const ABOVE: usize = 48;

/// Siblings that are examined for the place of an element.
const SIBLINGS: usize = 4096;

/// Nodes of an ancestor whose text is the text around an element: a larger one is not the context of one thing.
const AROUND_NODES: u32 = 96;

/// The document an element was in: node ids mean the same node only in the same one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Home {
    /// The key of the part.
    pub frame: String,
    /// Backend node ids of the document and of its root element, and the loader where it is known.
    pub document_id: u32,
    pub root_id: u32,
    pub loader: String,
}

/// The properties by which later snapshots recognise an element.
///
/// ```
/// # const BEFORE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/before.json"));
/// # const AFTER: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/pages/after.json"));
/// use std::sync::Arc;
/// use stillframe_core::{Fingerprint, Node, Redactor, Snapshot};
///
/// let (before, after) = (Snapshot::from_cdp(Arc::new(BEFORE))?, Snapshot::from_cdp(Arc::new(AFTER))?);
/// let nodes = (0..before.documents[0].len() as u32).map(|index| Node::numbered(0, index));
/// let button = nodes.into_iter().find(|node| before.tag_name(*node) == "button").expect("the page has a button");
/// let taken = Fingerprint::of(&before, button, &Redactor::default());
/// assert_eq!((taken.traits.role.as_str(), taken.traits.name.as_str()), ("button", "Add to cart"));
/// assert!(taken.find_in(&after).found.is_some());
/// # Ok::<(), stillframe_core::SnapshotError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fingerprint {
    pub home: Home,
    pub backend_node_id: u32,
    /// The short CSS selector with its frames.
    pub selector: String,
    pub traits: Traits,
}

/// The properties that are compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traits {
    pub tag: String,
    pub role: String,
    pub name: String,
    pub text: String,
    pub id: String,
    /// Classes that no program made up.
    pub classes: Vec<String>,
    /// Name and value of lasting attributes, by name.
    pub attributes: Vec<(String, String)>,
    /// The path of `href` or `src`, without origin, query and fragment unless there is nothing else.
    pub href: String,
    /// The nearest heading before the element.
    pub heading: String,
    /// The text of the nearest ancestor that says more than the element.
    pub around: String,
    /// The landmarks that hold it, outermost first.
    pub landmarks: Vec<String>,
    /// The tags of its ancestors, nearest first.
    pub above: Vec<String>,
    /// Half of the struct digest of its subtree.
    pub structure: u64,
    /// 0-based place among the siblings of that structure, and how many those are.
    pub place: (u32, u32),
    /// x, y, width, height in CSS pixels of the frame.
    pub bounds: Option<[f32; 4]>,
}

/// The document that `at` is in this snapshot.
pub fn home(snapshot: &Snapshot, at: DocumentIndex) -> Home {
    let part = snapshot.part_of(at);
    let document = &snapshot.documents[at];
    let root = element_children(document, NodeIndex::ROOT).next();
    let frame = if document.frame_id == NONE { "" } else { part.strings.get(document.frame_id) };
    let loader = snapshot.loaders.iter().find(|(id, _)| id == frame).map(|(_, loader)| loader.clone());
    Home {
        frame: part.key.clone(),
        document_id: document.backend_node_id[0],
        root_id: root.map_or(0, |root| document.backend_node_id[root]),
        loader: loader.unwrap_or_default(),
    }
}

impl Fingerprint {
    /// The fingerprint of an element. Declared secrets are taken out of every text. O(its path and siblings, and what it
    /// says), plus the struct digest of the page on first use.
    #[must_use]
    pub fn of(snapshot: &Snapshot, node: Node, redactor: &Redactor) -> Self {
        let node = nearest_element(snapshot, node);
        let mut traits = traits(snapshot, node);
        let redact = |text: &mut String| {
            let redacted = redactor.redact(text).into_owned();
            *text = redacted;
        };
        for text in [&mut traits.name, &mut traits.text, &mut traits.heading, &mut traits.around, &mut traits.href] {
            redact(text);
        }
        traits.attributes.iter_mut().for_each(|(_, value)| redact(value));
        let mut selector = selector(snapshot, node);
        redact(&mut selector);
        Self { home: home(snapshot, node.document), backend_node_id: snapshot.backend_node_id(node), selector, traits }
    }
}

/// What is compared of an element.
pub fn traits(snapshot: &Snapshot, node: Node) -> Traits {
    let document = snapshot.document(node);
    let text_of = |node| cut(&rendered_text(snapshot, node), TEXT_CHARACTERS).to_owned();
    let attribute = |wanted| snapshot.attribute(node, wanted).unwrap_or("");
    let id = attribute(Atom::Id);
    let address = snapshot.attribute(node, Atom::Href).or_else(|| snapshot.attribute(node, Atom::Src)).unwrap_or("");
    let text = if is_password(snapshot, node) { String::new() } else { text_of(node) };
    let structure = |index: NodeIndex| snapshot.node_digests()[node.document][index][2];
    let above = snapshot.ancestors(node).take(ABOVE);
    let mut landmarks: Vec<String> = Vec::new();
    let mut tags = Vec::new();
    for node in above.filter(|node| document.is_element(node.index)) {
        tags.push(snapshot.tag_name(node));
        landmarks.extend(landmark(snapshot, node));
    }
    landmarks.reverse();
    Traits {
        tag: snapshot.tag_name(node),
        role: shown_role(snapshot, node).to_owned(),
        name: cut(&name(snapshot, node), TEXT_CHARACTERS).to_owned(),
        around: around(snapshot, node, &text),
        heading: heading(snapshot, node),
        text,
        id: if looks_generated(id) { String::new() } else { cut(id, VALUE_CHARACTERS).to_owned() },
        classes: stable_classes(attribute(Atom::Class)).map(str::to_owned).collect(),
        attributes: attributes(snapshot, node),
        href: path_of(address),
        landmarks,
        above: tags,
        structure: structure(node.index),
        place: place(snapshot, node, &structure),
        bounds: document.has(node.index, flag::BOX).then(|| bounds(snapshot, node)).flatten(),
    }
}

/// Attributes that last, sorted by name.
fn attributes(snapshot: &Snapshot, node: Node) -> Vec<(String, String)> {
    let part = snapshot.part_of(node.document);
    let mut found = Vec::new();
    for &[name, value] in snapshot.document(node).attributes(node.index) {
        let Some(&atom) = part.atoms.get(name as usize) else { continue };
        let typed = atom == Atom::Value && snapshot.tag(node) == Atom::Input && is_password(snapshot, node);
        let told = matches!(atom, Atom::Href | Atom::Src | Atom::Role) || typed;
        let text = part.strings.get(value);
        if is_indexed(atom) && !told && !text.is_empty() && !looks_generated(text) && found.len() < ATTRIBUTES {
            found.push((part.strings.get(name).to_owned(), cut(text, VALUE_CHARACTERS).to_owned()));
        }
    }
    found.sort_unstable();
    found
}

/// `/a/b` of `https://x.test/a/b?c#d`; of an address that is a fragment alone, the fragment.
fn path_of(address: &str) -> String {
    if address.starts_with("data:") || address.starts_with("javascript:") {
        return String::new();
    }
    let after_origin = match address.find("://") {
        Some(at) => address[at + 3..].find('/').map_or("/", |slash| &address[at + 3 + slash..]),
        None => address,
    };
    let path = after_origin.split(['?', '#']).next().unwrap_or("");
    let told = if path.is_empty() { after_origin } else { path };
    cut(told, VALUE_CHARACTERS).to_owned()
}

fn landmark(snapshot: &Snapshot, node: Node) -> Option<String> {
    const LANDMARKS: [&str; 12] = [
        "banner",
        "complementary",
        "contentinfo",
        "form",
        "main",
        "navigation",
        "region",
        "search",
        "dialog",
        "alertdialog",
        "article",
        "table",
    ];
    let role = shown_role(snapshot, node);
    LANDMARKS.contains(&role).then(|| role.to_owned())
}

/// The nearest heading before `node` in document order. O(log headings).
pub(crate) fn heading(snapshot: &Snapshot, node: Node) -> String {
    let index = index_of(snapshot, node.document);
    let before = |tag: &str| {
        let headings = index.having(Kind::Tag, tag);
        headings[..headings.partition_point(|&heading| heading < node.index)].last().copied()
    };
    let nearest = ["h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption"].into_iter().filter_map(before).max();
    let text = nearest.map(|index| rendered_text(snapshot, Node { index, ..node }));
    text.map_or_else(String::new, |text| cut(&text, VALUE_CHARACTERS).to_owned())
}

/// The text of the nearest ancestor that says more than `own`, if that is not half of the page.
fn around(snapshot: &Snapshot, node: Node, own: &str) -> String {
    let document = snapshot.document(node);
    let above = snapshot.ancestors(node).take(ABOVE);
    for node in above {
        if document.size[node.index] > AROUND_NODES {
            let text = text_within(snapshot, node, AROUND_NODES);
            return cut(&text, TEXT_CHARACTERS).to_owned();
        }
        let text = rendered_text(snapshot, node);
        if text.len() > own.len() + 2 {
            return cut(&text, TEXT_CHARACTERS).to_owned();
        }
    }
    String::new()
}

/// The place of `node` among its siblings of the same structure, and how many those are.
fn place(snapshot: &Snapshot, node: Node, structure: &dyn Fn(NodeIndex) -> u64) -> (u32, u32) {
    let document = snapshot.document(node);
    let Some(parent) = document.parent_of(node.index) else { return (0, 1) };
    let own = structure(node.index);
    let alike = element_children(document, parent).take(SIBLINGS).filter(|&sibling| structure(sibling) == own);
    let (mut before, mut all) = (0, 0);
    for sibling in alike {
        before += u32::from(sibling < node.index);
        all += 1;
    }
    (before, all.max(1))
}
