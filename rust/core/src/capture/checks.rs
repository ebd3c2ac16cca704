//! The step after reading the bytes: checks every index of a document, then fills in what follows from its columns.

use std::collections::HashMap;

use crate::capture::atom::Atom;
use crate::capture::columns::{CDATA, DOCUMENT, Document, ELEMENT, FRAGMENT, Rare, TEXT, flag};
use crate::capture::node::NodeIndex;
use crate::capture::part::{Checks, Part};
use crate::capture::strings::{NONE, Strings};
use crate::capture::style::{Looks, Style};
use crate::error::{ErrorKind, Result, SnapshotError};

/// Check every index of `document`, then fill in `size` and `flags`.
pub(super) fn settle(mut document: Document, checks: Checks, part: &Part, documents: usize) -> Result<Document> {
    let wrong = |kind, field| Err(SnapshotError::new(kind, checks.offset, field));
    let n = document.len();
    if checks.strings as usize > part.strings.len() {
        return wrong(ErrorKind::Index, "nodes");
    }
    let rares = [
        &document.shadow,
        &document.text_value,
        &document.input_value,
        &document.checked,
        &document.selected,
        &document.pseudo,
        &document.clickable,
        &document.content_document,
    ];
    let outside = |column: &Rare| column.last().is_some_and(|entry| entry.0.at() >= n);
    if rares.into_iter().any(outside) || document.layout_node.iter().any(|&node| node as usize >= n) {
        return wrong(ErrorKind::Index, "nodes");
    }
    if document.content_document.iter().any(|entry| entry.1 as usize >= documents) {
        return wrong(ErrorKind::Index, "contentDocumentIndex");
    }
    if !is_preorder(&document.parent) {
        return wrong(ErrorKind::Order, "parentIndex");
    }
    document.flags = vec![0; n];
    flag_columns(&mut document, part);
    settle_styles(&mut document, &checks, part);
    flag_downwards(&mut document, part);
    fill_upwards(&mut document);
    if document.title == NONE {
        document.title = title_text(&document, part).unwrap_or(NONE);
    }
    Ok(document)
}

/// The text of the first HTML `title`. Chrome sends the title itself since version 79.
fn title_text(document: &Document, part: &Part) -> Option<u32> {
    let is_title = |node: &NodeIndex| part.strings.bytes(document.name[*node]) == b"TITLE";
    let title = document.nodes().find(is_title)?;
    let text = document.inside(title).nodes().find(|&node| document.is_text(node))?;
    Some(document.value[text])
}

/// Whether node 0 is the only root and every node follows its parent's subtree so far. O(n): the walk upwards leaves
/// each node for good.
fn is_preorder(parent: &[u32]) -> bool {
    if parent.first() != Some(&NONE) {
        return false;
    }
    for (node, &wanted) in parent.iter().enumerate().skip(1) {
        let mut at = node as u32 - 1;
        while at != wanted {
            if at == NONE || wanted == NONE {
                return false;
            }
            at = parent[at as usize];
        }
    }
    true
}

fn flag_columns(document: &mut Document, part: &Part) {
    let flags = &mut document.flags;
    let mut mark = |column: &Rare, bit: u16| {
        for entry in column {
            flags[entry.0] |= bit;
        }
    };
    mark(&document.text_value, flag::VALUE);
    mark(&document.input_value, flag::VALUE);
    mark(&document.checked, flag::CHECKED);
    mark(&document.selected, flag::SELECTED);
    mark(&document.pseudo, flag::PSEUDO);
    mark(&document.clickable, flag::CLICKABLE);
    mark(&document.content_document, flag::FRAME);
    for at in 0..document.shadow.len() {
        let (node, kind) = document.shadow[at];
        if let Some(parent) = document.parent_of(node) {
            let above = crate::capture::columns::rare(&document.shadow, parent);
            let same = above.is_some_and(|above| part.strings.bytes(above) == part.strings.bytes(kind));
            if !same {
                document.flags[node] |= flag::SHADOW;
            }
        }
    }
}

/// Give every node with a box its styles, and pseudo-elements their texts.
fn settle_styles(document: &mut Document, checks: &Checks, part: &Part) {
    document.style = vec![Style::default(); document.len()];
    let looks = checks.styles.read(&part.strings);
    for (at, &node) in document.layout_node.iter().enumerate() {
        let node = NodeIndex::new(node);
        let look = checks.styles.ids.get(at).map_or(Looks::UNKNOWN, |&id| looks[id as usize]);
        let flags = &mut document.flags[node];
        if !look.hidden {
            *flags |= flag::BOX;
        }
        document.style[node] = look.style;
        if *flags & flag::PSEUDO != 0 {
            if look.content != NONE {
                document.content.push((node, look.content));
            }
            let text = checks.texts.get(at).copied().filter(|&text| text != NONE);
            document.generated.extend(text.map(|text| (node, text)));
        } else if let Some(&text) = checks.texts.get(at) {
            let written = document.value[node];
            if text != written && document.is_text(node) && is_other_case(&part.strings, written, text) {
                document.shown.push((node, text));
            }
        }
    }
    // Chrome sends them in order; a pseudo-element has a row for its box and one for each of its texts.
    document.content.sort_by_key(|entry| entry.0);
    document.content.dedup_by_key(|entry| entry.0);
    document.generated.sort_by_key(|entry| entry.0);
    document.shown.sort_by_key(|entry| entry.0);
    document.shown.dedup_by_key(|entry| entry.0);
}

/// Whether a text that was laid out is the one that was written, in another case. Chrome also lays out texts without
/// their `::first-letter`, and bullets in the place of letters.
fn is_other_case(strings: &Strings, written: u32, laid_out: u32) -> bool {
    let (was, is) = (strings.get(written), strings.get(laid_out));
    let upper = |text: &str| text.chars().flat_map(char::to_uppercase).collect::<String>();
    was != is && (was.eq_ignore_ascii_case(is) || !was.is_ascii() && upper(was) == upper(is))
}

fn flag_downwards(document: &mut Document, part: &Part) {
    let mut blanks = Blanks::default();
    for node in 0..document.len() {
        let above = match document.parent[node] {
            NONE => 0,
            parent => document.flags[parent as usize],
        };
        let mut bits = document.flags[node] | (above & (flag::DROPPED | flag::PRE | flag::FOLDED));
        let mut tag = Atom::Other;
        match document.kind[node] {
            ELEMENT => {
                tag = part.atoms.get(document.name[node] as usize).copied().unwrap_or(Atom::Other);
                bits |= element_flags(tag, bits, above);
                if tag == Atom::Details && !is_open(document, part, node) {
                    bits |= flag::CLOSED;
                }
            }
            TEXT | CDATA => {
                let blank = bits & flag::PRE == 0 && blanks.is_blank(part, document.value[node]);
                bits |= if blank { flag::DROPPED } else { 0 };
                bits |= if above & flag::OPTION != 0 { above & flag::BOX } else { 0 };
            }
            DOCUMENT | FRAGMENT => {}
            _ => bits |= flag::DROPPED,
        }
        if above & flag::CLOSED != 0 && tag != Atom::Summary {
            bits |= flag::FOLDED;
        }
        if bits & flag::FOLDED != 0 {
            bits &= !flag::BOX;
        }
        // Whatever it is, the root stays.
        document.flags[node] = if node == 0 { bits & !flag::DROPPED } else { bits };
    }
}

fn is_open(document: &Document, part: &Part, node: usize) -> bool {
    let is_open = |name: u32| part.atoms.get(name as usize) == Some(&Atom::Open);
    document.attributes(NodeIndex::from_at(node)).iter().any(|&[name, _]| is_open(name))
}

/// What the tag of an element adds to its flags.
#[inline(always)]
fn element_flags(tag: Atom, bits: u16, above: u16) -> u16 {
    let own = match tag {
        Atom::Script | Atom::Style | Atom::Template | Atom::Noscript => flag::DROPPED,
        Atom::Pre | Atom::Textarea => flag::PRE,
        // The options of a closed list have no box; they are there for the user as far as the list is.
        Atom::Option | Atom::Optgroup => flag::OPTION | (above & flag::BOX),
        _ => 0,
    };
    if bits & flag::PSEUDO != 0 { own | flag::DROPPED } else { own }
}

fn fill_upwards(document: &mut Document) {
    let n = document.len();
    document.size = vec![1; n];
    for node in (0..n).rev() {
        let mut bits = document.flags[node];
        if bits & flag::BOX != 0 && bits & flag::DROPPED == 0 {
            bits |= flag::RENDERED;
            document.flags[node] = bits;
        }
        let parent = document.parent[node];
        if parent != NONE {
            document.size[parent as usize] += document.size[node];
            document.flags[parent as usize] |= bits & flag::RENDERED;
        }
    }
}

/// Which long texts are blank: any number of nodes may share one, and it is read once.
#[derive(Default)]
struct Blanks {
    long: HashMap<u32, bool>,
}

impl Blanks {
    const LONG: usize = 64;

    #[inline(always)]
    fn is_blank(&mut self, part: &Part, id: u32) -> bool {
        let text = part.strings.bytes(id);
        if text.len() < Self::LONG {
            return is_blank(text);
        }
        // The first bytes decide nearly every text.
        is_blank(&text[..Self::LONG]) && *self.long.entry(id).or_insert_with(|| is_blank(text))
    }
}

/// Whether a text is nothing but HTML whitespace.
pub fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 12))
}
