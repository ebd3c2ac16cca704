//! Finds what a selector written by `element::selector` matches in a snapshot.
//!
//! It reads that grammar and no more: compounds of a tag, an id, classes, attribute values, `:nth-of-type(n)`,
//! `:nth-child(n)`, `:root`, `:not(* > *)` and `:is(* > *)`, joined by `>` and by the descendant combinator, which
//! reaches into shadow trees. Anything else is None, "not ours". Left to right over the index: O(elements that fit a step, and their children).

use crate::capture::columns::{DOCUMENT, rare};
use crate::capture::node::{DocumentIndex, Interval, Node, NodeIndex};
use crate::element::index::Index;
use crate::element::places::element_children;
use crate::element::postings::between;
use crate::element::snapshot::{Snapshot, index_of};
use crate::element::tokens::Kind;
use crate::element::tree::{crosses_shadow, tree_parent};

/// Elements that one step may match before the selector is given up: ours match one.
const WIDEST: usize = 4096;

#[derive(Clone, Debug, Default, PartialEq)]
struct Compound {
    tag: String,
    id: Option<String>,
    classes: Vec<String>,
    values: Vec<(String, String)>,
    nth: Option<u32>,
    nth_child: Option<u32>,
    root: bool,
    /// Whether it has no parent element: the root, or the top of a shadow tree.
    top: Option<bool>,
    /// It hangs on the compound before it as a child, not just somewhere inside.
    child: bool,
}

/// The one element that `selector` matches, with its frames; None if there is none or more, or it is not ours.
pub fn resolve(snapshot: &Snapshot, selector: &str) -> Option<Node> {
    let mut document = *snapshot.order.first()?;
    let mut rest = selector;
    while let Some(inner) = rest.strip_prefix("frame=") {
        let cut = end_of_frame(inner)?;
        let owner = resolve_in(snapshot, document, &inner[..cut])?;
        document = snapshot.owner.iter().position(|holder| *holder == Some(owner)).map(DocumentIndex::from_at)?;
        rest = inner[cut..].strip_prefix(" >> ")?;
    }
    resolve_in(snapshot, document, rest)
}

fn end_of_frame(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            '>' if !quoted && text[at..].starts_with(">> ") => return at.checked_sub(1),
            _ => {}
        }
    }
    None
}

fn resolve_in(snapshot: &Snapshot, document: DocumentIndex, css: &str) -> Option<Node> {
    match *matches(snapshot, document, css)?.as_slice() {
        [index] => Some(Node { document, index }),
        _ => None,
    }
}

/// The elements of a document that `css` matches, in document order; None if it is not a selector of ours.
pub fn matches(snapshot: &Snapshot, document: DocumentIndex, css: &str) -> Option<Vec<NodeIndex>> {
    let compounds = Reader { rest: css }.complex()?;
    let index = index_of(snapshot, document);
    let (first, others) = compounds.split_first()?;
    let all = snapshot.documents[document].subtree(NodeIndex::ROOT);
    let fit = |compound: &Compound, node: NodeIndex| fits(snapshot, index, Node { document, index: node }, compound);
    let mut found: Vec<NodeIndex> = candidates(index, first, all)?.iter().copied().filter(|&n| fit(first, n)).collect();
    for compound in others {
        if found.len() > WIDEST {
            return None;
        }
        found = if compound.child {
            children(snapshot, document, &found, compound, |node| fit(compound, node))?
        } else {
            let columns = &snapshot.documents[document];
            let mut inside = Vec::new();
            let mut until = NodeIndex::ROOT;
            for &holder in &found {
                let start = until.max(holder + 1);
                until = until.max(columns.end(holder));
                inside.extend(
                    candidates(index, compound, start.until(until))?.iter().copied().filter(|&n| fit(compound, n)),
                );
            }
            inside
        };
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// The children of some elements that fit: those that a capture shows in a slot stand further down in it.
fn children(
    snapshot: &Snapshot,
    document: DocumentIndex,
    parents: &[NodeIndex],
    compound: &Compound,
    fit: impl Fn(NodeIndex) -> bool,
) -> Option<Vec<NodeIndex>> {
    let node = |index| Node { document, index };
    let columns = &snapshot.documents[document];
    let mut found = Vec::new();
    for &parent in parents {
        let is_child = |child: NodeIndex| {
            tree_parent(snapshot, node(child)) == Some(node(parent))
                && !crosses_shadow(snapshot, node(child), node(parent))
        };
        if columns.shadow.is_empty() {
            found.extend(element_children(columns, parent).filter(|&child| fit(child)));
            continue;
        }
        let inside = candidates(index_of(snapshot, document), compound, columns.inside(parent))?;
        if inside.len() > WIDEST {
            return None;
        }
        found.extend(inside.iter().copied().filter(|&child| is_child(child) && fit(child)));
    }
    Some(found)
}

/// Those of `nodes` that bear the rarest token of a compound; None if it has none.
fn candidates<'a>(index: Index<'a>, compound: &Compound, nodes: Interval) -> Option<&'a [NodeIndex]> {
    let id = compound.id.iter().map(|id| index.having(Kind::Id, id));
    let classes = compound.classes.iter().map(|class| index.having(Kind::Class, class));
    let values = compound.values.iter().map(|(name, value)| index.with_value(name, value));
    let tag = (!compound.tag.is_empty()).then(|| index.having(Kind::Tag, &compound.tag));
    let all = id.chain(classes).chain(values).chain(tag).map(|bearers| between(bearers, nodes));
    match all.min_by_key(|nodes| nodes.len()) {
        // `:root` alone: the first elements of the document.
        None if compound.root => Some(index.having(Kind::Tag, "html")),
        found => found,
    }
}

fn fits(snapshot: &Snapshot, index: Index, node: Node, wanted: &Compound) -> bool {
    let document = snapshot.document(node);
    let strings = snapshot.strings(node);
    let value = |name: &str| {
        let mut pairs = document.attributes(node.index).iter();
        pairs.find(|pair| strings.get(pair[0]) == name).map(|pair| strings.get(pair[1]))
    };
    let holds = |class: &String| value("class").is_some_and(|v| v.split_ascii_whitespace().any(|token| token == class));
    (wanted.tag.is_empty() || snapshot.tag_name(node).eq_ignore_ascii_case(&wanted.tag))
        && wanted.id.as_deref().is_none_or(|id| value("id") == Some(id))
        && wanted.classes.iter().all(holds)
        && wanted.values.iter().all(|(name, text)| value(name) == Some(text))
        && wanted.nth.is_none_or(|nth| index.place(node.index).0 == nth)
        && wanted.nth_child.is_none_or(|nth| index.place_among_all(node.index) == nth)
        && wanted.top.is_none_or(|top| is_top(snapshot, node) == top)
        && (!wanted.root || snapshot.parent(node).is_some_and(|p| document.kind[p.index] == DOCUMENT))
}

/// Whether the element has no parent element, its host not counted.
fn is_top(snapshot: &Snapshot, node: Node) -> bool {
    let document = snapshot.document(node);
    let Some(parent) = snapshot.parent(node) else { return true };
    document.kind[parent.index] == DOCUMENT
        || crosses_shadow(snapshot, node, parent) && rare(&document.shadow, node.index).is_some()
}

// -- reading -------------------------------------------------------------------------------------------------------

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn complex(mut self) -> Option<Vec<Compound>> {
        let mut compounds = vec![self.compound()?];
        while !self.rest.is_empty() {
            let child = self.take(" > ");
            if !child && !self.take(" ") {
                return None;
            }
            compounds.push(Compound { child, ..self.compound()? });
        }
        Some(compounds)
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn compound(&mut self) -> Option<Compound> {
        let mut compound = Compound { tag: self.name(), ..Compound::default() };
        let mut empty = compound.tag.is_empty();
        loop {
            if self.take("#") {
                compound.id = Some(self.name()).filter(|id| !id.is_empty());
            } else if self.take(".") {
                compound.classes.push(self.name());
            } else if self.take("[") {
                let name = self.name();
                let value = self.take("=\"").then(|| self.string())??;
                compound.values.push((name, value));
            } else if self.take(":nth-of-type(") {
                compound.nth = Some(self.number()?);
            } else if self.take(":nth-child(") {
                compound.nth_child = Some(self.number()?);
            } else if self.take(":not(* > *)") {
                compound.top = Some(true);
            } else if self.take(":is(* > *)") {
                compound.top = Some(false);
            } else if self.take(":root") {
                compound.root = true;
            } else {
                return (!empty).then_some(compound);
            }
            empty = false;
        }
    }

    /// A number and the bracket that closes it.
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.rest.split_once(')')?;
        self.rest = rest;
        number.parse().ok()
    }

    /// An identifier with its escapes taken out; "" if none stands here.
    fn name(&mut self) -> String {
        let mut name = String::new();
        loop {
            let Some(letter) = self.rest.chars().next() else { return name };
            match letter {
                '\\' => name.push(self.escape()),
                '-' | '_' | '\u{80}'.. => self.push(&mut name, letter),
                _ if letter.is_ascii_alphanumeric() => self.push(&mut name, letter),
                _ => return name,
            }
        }
    }

    fn push(&mut self, text: &mut String, letter: char) {
        text.push(letter);
        self.rest = &self.rest[letter.len_utf8()..];
    }

    /// The inside of a quoted value and its end: `"]`.
    fn string(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.rest.chars().next()? {
                '"' => return self.take("\"]").then_some(text),
                '\\' => text.push(self.escape()),
                letter => self.push(&mut text, letter),
            }
        }
    }

    fn escape(&mut self) -> char {
        self.rest = &self.rest[1..];
        let digits = self.rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits > 0 {
            let number = u32::from_str_radix(&self.rest[..digits], 16).unwrap_or(0);
            self.rest = &self.rest[digits..];
            self.take(" ");
            return char::from_u32(number).unwrap_or('\u{fffd}');
        }
        let letter = self.rest.chars().next().unwrap_or('\u{fffd}');
        self.rest = self.rest.get(letter.len_utf8()..).unwrap_or("");
        letter
    }
}
