//! Which names of a document belong to one element only: all that the short selectors of a few rows need.
//!
//! Tags, ids, classes, test attributes, `name` and `for` are counted up to two, tags and classes once per distinct
//! string, so that this costs a tenth of the whole index (`element::index`), which is only built when somebody wants to
//! know all bearers of a token. Answers are the same. O(nodes + attributes + distinct classes).

use std::collections::hash_map::Entry;

use crate::capture::atom::Atom;
use crate::capture::columns::{Document, ELEMENT, flag};
use crate::capture::node::NodeIndex;
use crate::capture::page::PartInfo;
use crate::capture::strings::NONE;
use crate::digest::canonical::tokens;
use crate::element::tokens::{Kind, LONGEST_VALUE, token, value_token_of};
use crate::hash::by_hash::ByHash;

struct Bearers {
    first: NodeIndex,
    many: bool,
    /// The string that brought the token, so that a class named twice in one `class` counts once; `NONE` if any other.
    string: u32,
}

pub struct Census {
    bearers: ByHash<Bearers>,
    /// Whether two tags differ in nothing but case: in a document of HTML those are of two namespaces.
    pub twin_tags: bool,
}

impl Census {
    pub fn new(document: &Document, part: &PartInfo) -> Self {
        let mut census = Self { bearers: ByHash::default(), twin_tags: false };
        let (mut tags, mut classes) = (Seen::new(part.strings.len()), Seen::new(part.strings.len()));
        for (node, &kind) in document.kind.iter().enumerate() {
            if kind == ELEMENT && document.flags[node] & flag::PSEUDO == 0 {
                tags.add(document.name[node], || NodeIndex::from_at(node));
            }
        }
        // Pairs are few that say something new: only for those it is looked up which element has them.
        for (at, &[name, value]) in document.attrs.as_chunks().0.iter().enumerate() {
            let bearer = || NodeIndex::from_at(document.attr_start.partition_point(|&start| start as usize <= at) - 1);
            match part.atoms.get(name as usize) {
                Some(Atom::Class) => classes.add(value, bearer),
                Some(Atom::Id) => {
                    census.add(token(Kind::Id, part.strings.bytes(value)), bearer(), false, NONE);
                }
                Some(&atom) if is_counted(atom) && part.strings.bytes(value).len() <= LONGEST_VALUE => {
                    let token = value_token_of(part.strings.bytes(name), part.strings.bytes(value));
                    census.add(token, bearer(), false, NONE);
                }
                _ => {}
            }
        }
        for (string, first, many) in tags.distinct() {
            census.twin_tags |= census.add(token(Kind::Tag, part.strings.bytes(string)), first, many, string);
        }
        for (string, first, many) in classes.distinct() {
            for class in tokens(part.strings.bytes(string)) {
                census.add(token(Kind::Class, class), first, many, string);
            }
        }
        census
    }

    /// Take down a bearer of a token; true if it had one by another string.
    fn add(&mut self, token: u64, first: NodeIndex, many: bool, string: u32) -> bool {
        match self.bearers.entry(token) {
            Entry::Vacant(entry) => {
                entry.insert(Bearers { first, many, string });
                false
            }
            Entry::Occupied(entry) => {
                let known = entry.into_mut();
                let other = string == NONE || known.string != string;
                known.many |= other;
                other
            }
        }
    }

    /// The element that has a token, or none; None if there are several.
    pub fn only(&self, token: u64) -> Option<&[NodeIndex]> {
        match self.bearers.get(&token) {
            None => Some(&[]),
            Some(bearers) if bearers.many => None,
            Some(bearers) => Some(std::slice::from_ref(&bearers.first)),
        }
    }
}

/// Attributes whose values are counted, ids and classes apart.
pub fn is_counted(attribute: Atom) -> bool {
    attribute.is_test_id() || matches!(attribute, Atom::Name | Atom::For)
}

/// How many elements have each string, up to two.
struct Seen {
    counts: Vec<u8>,
    /// Each string once, with the first element that has it.
    firsts: Vec<(u32, NodeIndex)>,
}

impl Seen {
    fn new(strings: usize) -> Self {
        Self { counts: vec![0; strings], firsts: Vec::new() }
    }

    #[inline(always)]
    fn add(&mut self, string: u32, node: impl FnOnce() -> NodeIndex) {
        match self.counts.get_mut(string as usize) {
            Some(count @ 0) => {
                *count = 1;
                self.firsts.push((string, node()));
            }
            Some(count) => *count = 2,
            None => {}
        }
    }

    /// (string, first element, whether several have it).
    fn distinct(&self) -> impl Iterator<Item = (u32, NodeIndex, bool)> + '_ {
        self.firsts.iter().map(|&(string, first)| (string, first, self.counts[string as usize] > 1))
    }
}
